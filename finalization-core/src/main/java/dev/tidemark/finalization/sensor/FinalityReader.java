package dev.tidemark.finalization.sensor;

/** Reads the finality of one table from its store. One metadata read per call. */
public interface FinalityReader {
  /**
   * What the table says now.
   *
   * @throws java.io.UncheckedIOException if the store cannot be reached: try again
   * @throws IllegalArgumentException if its opinion cannot be read: a newer format
   */
  TableFinality read();
}
