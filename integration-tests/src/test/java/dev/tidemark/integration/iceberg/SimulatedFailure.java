package dev.tidemark.integration.iceberg;

/** A failure that a test asked for. */
public final class SimulatedFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SimulatedFailure(String message) {
    super("Simulated: " + message);
  }

  /** A crash of the process: nothing on the way catches it, least of all with good intentions. */
  public static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash(String message) {
      super("Simulated crash: " + message);
    }
  }
}
