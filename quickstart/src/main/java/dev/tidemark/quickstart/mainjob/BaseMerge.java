package dev.tidemark.quickstart.mainjob;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One merge of the ledger into the base table.
 *
 * @param before the base table before it
 * @param after the base table after it
 * @param ledger the ledger when it had ended
 * @param said what Spark printed
 */
record BaseMerge(BaseState before, BaseState after, LedgerPoint ledger, List<String> said) {
  private static final Pattern MERGED =
      Pattern.compile(": merged ([\\d,]+) changes with (\\d+) exchanges");

  /**
   * What Spark says of the rows that it merged.
   *
   * @param changes of the ledger
   * @param exchanges on the way of the rows
   */
  record Moved(long changes, int exchanges) {}

  /** Empty if there was no new row. */
  Optional<Moved> moved() {
    return said.stream()
        .map(MERGED::matcher)
        .filter(Matcher::find)
        .map(
            line ->
                new Moved(
                    Long.parseLong(line.group(1).replace(",", "")),
                    Integer.parseInt(line.group(2))))
        .findFirst();
  }

  /** Whether the base table was empty: then a merge is an insert. */
  boolean filledIt() {
    return before.rows() == 0 && moved().isPresent();
  }

  /** Whether it read what was appended since the last one, and no more, into a table with rows. */
  boolean mergedARange() {
    long appended = after.merged().rows() - before.merged().rows();
    return before.rows() > 0
        && before.merged().rows() > 0
        && moved().filter(moved -> moved.changes() == appended).isPresent();
  }

  /** Whether there is not even a new metadata version. */
  boolean changedNothing() {
    return before.metadataFile().equals(after.metadataFile());
  }

  /** Whether the base table says what the ledger said at the snapshot that was merged. */
  boolean carriesWhatItRead() {
    return Objects.equals(after.watermarkMillis(), after.merged().watermarkMillis());
  }

  /** For people: what it did, and both watermarks. */
  String line(int number) {
    return "MERGE %d: %s; watermark of the base table %s, of the ledger %s"
        .formatted(number, what(), watermarks(), time(ledger.watermarkMillis()));
  }

  private String what() {
    if (changedNothing()) {
      return "nothing new, no metadata version";
    }
    return moved().map(this::what).orElse("no new row, finality alone");
  }

  private String what(Moved moved) {
    String how =
        filledIt()
            ? "%,d changes, all so far, inserted into the empty table"
            : mergedARange()
                ? "%,d changes since the last one merged into %,d rows"
                : "%,d changes of the whole ledger merged into %,d rows";
    return String.format(Locale.ROOT, how, moved.changes(), before.rows())
        + " with "
        + moved.exchanges()
        + " exchanges";
  }

  private String watermarks() {
    String now = time(after.watermarkMillis());
    String last = time(before.watermarkMillis());
    return now.equals(last) ? now : last + " -> " + now;
  }

  private static String time(@Nullable Long millis) {
    return millis == null ? "none" : LedgerWatch.time(millis);
  }
}
