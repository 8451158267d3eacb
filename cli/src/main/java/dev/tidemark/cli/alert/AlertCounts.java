package dev.tidemark.cli.alert;

/**
 * What became of alerts so far.
 *
 * @param raised all of them
 * @param delivered those that the webhook took
 * @param dropped those that it never got: the queue was full, it refused them for good, or the
 *     server ended
 * @param waiting those that wait for it
 */
public record AlertCounts(long raised, long delivered, long dropped, long waiting) {
  /** Nothing yet. */
  public static final AlertCounts NONE = new AlertCounts(0, 0, 0, 0);
}
