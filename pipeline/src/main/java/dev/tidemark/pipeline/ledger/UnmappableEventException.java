package dev.tidemark.pipeline.ledger;

/** A change that cannot become a row of its ledger; the message says where it lies in Kafka. */
public final class UnmappableEventException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnmappableEventException(String message) {
    super(message);
  }
}
