package dev.tidemark.pinot.flink;

/**
 * A record that did not become a row, and why.
 *
 * @param record as it came; valid only during the call, since Flink may reuse it
 * @param kind what was wrong with it
 * @param reason for a reader: column, value, what was expected
 */
public record DeadLetter<T>(T record, Kind kind, String reason) {
  /** What can be wrong with a record. */
  public enum Kind {
    /** It could not be converted to a row, or the row does not fit the schema. */
    MALFORMED,
    /** It is a row, but one that the table would lose or that would harm others. */
    REFUSED
  }
}
