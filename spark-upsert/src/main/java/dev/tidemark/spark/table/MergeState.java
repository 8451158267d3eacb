package dev.tidemark.spark.table;

import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.catalog.FinalityCatalog;
import dev.tidemark.iceberg.catalog.JobState;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * How far each ledger has been merged into a base table. Kept in the summary of every snapshot that
 * a merge makes, whole, and repeated in the table properties; the summary on the ancestry of the
 * head is the truth. Immutable.
 *
 * @param ledgers by {@link TableName#inCatalog()}
 */
public record MergeState(SortedMap<String, Ledger> ledgers) {
  /** The summary key. */
  public static final String KEY = FinalityCatalog.STATE_PREFIX + "merge";

  /** Nothing was merged yet. */
  public static final MergeState NONE = new MergeState(new TreeMap<>());

  private static final String VERSION = "2;";
  private static final int FIELDS = 6;
  private static final String VERSION_1 = "1;";
  private static final int FIELDS_1 = 4;
  private static final String ABSENT = "-";
  private static final String BOOTSTRAPPED = "b";

  /**
   * One ledger.
   *
   * @param snapshotId the snapshot up to which it is merged, inclusive; null before the first merge
   * @param floor the greatest {@code cdc_ord} that the base table answers for on its own: changes
   *     at or below it change nothing. Set by a bootstrap (the position of the dump) and by a
   *     TRUNCATE; null if there is none
   * @param bootstrapped whether a dump brought everything that was there before the ledger began
   * @param table the UUID of the table that was merged; null if that is not known
   * @param ignoredTruncate the greatest {@code cdc_ord} of a TRUNCATE that was left out on purpose;
   *     null if none was
   */
  public record Ledger(
      @Nullable Long snapshotId,
      @Nullable String floor,
      boolean bootstrapped,
      @Nullable String table,
      @Nullable String ignoredTruncate) {
    /** Nothing merged, no floor. */
    public static final Ledger NEW = new Ledger(null, null, false, null, null);

    /** Filled by a dump that holds every change up to this order; the merge begins anew on it. */
    public Ledger bootstrappedAt(String order) {
      return new Ledger(null, order, true, table, ignoredTruncate);
    }

    /** Of the table with this UUID. */
    public Ledger ofTable(String uuid) {
      return new Ledger(snapshotId, floor, bootstrapped, uuid, ignoredTruncate);
    }

    /** Merged up to a snapshot. */
    public Ledger mergedTo(long newSnapshotId) {
      return new Ledger(newSnapshotId, floor, bootstrapped, table, ignoredTruncate);
    }

    /** With a floor that can only rise. */
    public Ledger withFloor(@Nullable String newFloor) {
      return new Ledger(snapshotId, higher(floor, newFloor), bootstrapped, table, ignoredTruncate);
    }

    /** With one more TRUNCATE that is left out for good. */
    public Ledger ignoringTruncate(@Nullable String order) {
      return new Ledger(snapshotId, floor, bootstrapped, table, higher(ignoredTruncate, order));
    }

    /** No dump brought what was there before the ledger began, or not up to where it begins now. */
    public Ledger notBootstrapped() {
      return new Ledger(snapshotId, floor, false, table, ignoredTruncate);
    }

    /**
     * What is left of it where another table has its name now: the orders, which are the source's.
     */
    public Ledger madeAgain() {
      return new Ledger(null, floor, false, null, ignoredTruncate);
    }

    /** Whether another table than this one was merged, or filled by a dump, under its name. */
    public boolean isOfAnother(String uuid) {
      return table != null && !table.equals(uuid);
    }

    /** Whether the base table has rows of it. */
    public boolean isIn() {
      return snapshotId != null || bootstrapped;
    }

    private static @Nullable String higher(@Nullable String one, @Nullable String other) {
      if (one == null || other == null) {
        return one == null ? other : one;
      }
      return one.compareTo(other) >= 0 ? one : other;
    }
  }

  public MergeState {
    ledgers = Collections.unmodifiableSortedMap(new TreeMap<>(ledgers));
  }

  /**
   * The state of a base table as its handle knows it: what the ancestry of the head carries; what
   * the properties say where the snapshots that carried it were expired.
   */
  public static MergeState of(Table base) {
    MergeState carried =
        IcebergHistory.of(base, SnapshotRef.MAIN_BRANCH)
            .snapshots()
            .map(Snapshot::summary)
            .map(summary -> read(summary == null ? Map.of() : summary))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    if (carried == null && JobState.outlivesItsSnapshots(base)) {
      carried = read(base.properties());
    }
    return carried == null ? NONE : carried;
  }

  /**
   * Reads what a summary or the properties keep.
   *
   * @return null if they keep none
   * @throws IllegalArgumentException if it cannot be read
   */
  public static @Nullable MergeState read(Map<String, String> properties) {
    String text = properties.get(KEY);
    return text == null ? null : parse(text);
  }

  private static MergeState parse(String text) {
    boolean isOld = text.startsWith(VERSION_1);
    if (!isOld && !text.startsWith(VERSION)) {
      throw invalid(text);
    }
    SortedMap<String, Ledger> ledgers = new TreeMap<>();
    for (String entry : text.substring(VERSION.length()).split(";", -1)) {
      String[] parts = entry.split("[=/]", -1);
      if (parts.length != (isOld ? FIELDS_1 : FIELDS)) {
        throw invalid(text);
      }
      ledgers.put(
          parts[0],
          new Ledger(
              number(text, parts[1]),
              orNull(parts[2]),
              BOOTSTRAPPED.equals(parts[3]),
              isOld ? null : orNull(parts[4]),
              isOld ? null : orNull(parts[5])));
    }
    return new MergeState(ledgers);
  }

  /**
   * {@code 2;db.orders_ledger=8123/-/-/5f0c…/-;db.returns_ledger=-/0000…/b/-/-}: snapshot, floor,
   * whether it was bootstrapped, the table's UUID, and the TRUNCATE that is left out. Version 1 had
   * the first three.
   */
  public String toText() {
    StringJoiner text = new StringJoiner(";", VERSION, "");
    ledgers.forEach(
        (name, ledger) ->
            text.add(
                name
                    + "="
                    + orAbsent(ledger.snapshotId())
                    + "/"
                    + orAbsent(ledger.floor())
                    + "/"
                    + (ledger.bootstrapped() ? BOOTSTRAPPED : ABSENT)
                    + "/"
                    + orAbsent(ledger.table())
                    + "/"
                    + orAbsent(ledger.ignoredTruncate())));
    return text.toString();
  }

  /** What is kept of a ledger. */
  public Ledger of(String ledger) {
    Ledger kept = ledgers.get(ledger);
    return kept == null ? Ledger.NEW : kept;
  }

  /** With what is kept of one ledger replaced. */
  public MergeState with(String name, Ledger ledger) {
    SortedMap<String, Ledger> all = new TreeMap<>(ledgers);
    all.put(name, ledger);
    return new MergeState(all);
  }

  /** With the floor of these ledgers raised, where it is lower; no floor ever sinks. */
  public MergeState withFloor(Collection<String> names, String order) {
    SortedMap<String, Ledger> all = new TreeMap<>(ledgers);
    names.forEach(name -> all.put(name, of(name).withFloor(order)));
    return new MergeState(all);
  }

  private static String orAbsent(@Nullable Object value) {
    return value == null ? ABSENT : value.toString();
  }

  private static @Nullable String orNull(String text) {
    return text.equals(ABSENT) ? null : text;
  }

  private static @Nullable Long number(String text, String number) {
    try {
      return number.equals(ABSENT) ? null : Long.valueOf(number);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(invalid(text).getMessage(), e);
    }
  }

  private static IllegalArgumentException invalid(String text) {
    return new IllegalArgumentException(
        "Cannot read the state of merges: "
            + text
            + " (expected: such as 2;db.ledger=8123/-/-/-/-). A newer Tidemark may have written it.");
  }
}
