package dev.tidemark.flink.testing;

/** A failure that a test asked for. */
public final class SimulatedFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Fails for this reason. */
  public SimulatedFailure(String message) {
    super("Simulated: " + message);
  }

  /** A crash of the process: nothing on the way catches it, least of all with good intentions. */
  public static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    /** Crashes at this point. */
    public Crash(String message) {
      super("Simulated crash: " + message);
    }
  }
}
