package dev.tidemark.spark.merge;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.snapshot;
import static dev.tidemark.spark.testing.TestChange.truncate;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.ledger.FoldedRow;
import dev.tidemark.pipeline.ledger.LedgerFold;
import dev.tidemark.pipeline.ledger.LedgerRow;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestChange;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the history and the order of its delivery: after the last merge the base table is the
 * fold of the ledger, which another class computes in memory. A seed is printed; {@code
 * -Dtidemark.test.seed=…} repeats it.
 */
class RandomHistoriesITCase {
  private static final int KEYS = 12;
  private static final int CHANGES = 120;
  private static final int SNAPSHOTS = 6;
  private static final StructType DUMP =
      new StructType()
          .add("id", DataTypes.LongType)
          .add("state", DataTypes.StringType)
          .add("amount", DataTypes.createDecimalType(10, 2));
  private static final List<Long> DUMPED = List.of(0L, 1L, 2L, 3L, 12L, 13L);

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  private final long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private KeysStay keysStay = new KeysStay(0, 0);

  /**
   * While a dump is read, a key that was left is not used again, and nothing is truncated: with
   * images that leave columns out nobody could tell which of the rows of such a key was dumped.
   *
   * @param after exclusive
   * @param upTo inclusive
   */
  private record KeysStay(long after, long upTo, Set<Long> left) {
    KeysStay(long after, long upTo) {
      this(after, upTo, new HashSet<>());
    }

    boolean holdsAt(long sequence) {
      return sequence > after && sequence <= upTo;
    }

    boolean forbids(long sequence, long key) {
      return holdsAt(sequence) && left.contains(key);
    }

    void left(long sequence, long key) {
      if (holdsAt(sequence)) {
        left.add(key);
      }
    }
  }

  @Test
  void wholeImagesInAnyOrderAndAgain() {
    System.out.println("-Dtidemark.test.seed=" + seed);
    List<TestChange> history = history(false);
    List<TestChange> delivered = new ArrayList<>(history);
    for (int i = 0; i < CHANGES / 4; i++) {
      delivered.add(history.get(random.nextInt(history.size())));
    }
    Collections.shuffle(delivered, random);
    check(delivered, "copy-on-write");
  }

  @Test
  void partialImagesInTheOrderOfTheSourceWithSomeSentAgain() {
    System.out.println("-Dtidemark.test.seed=" + seed);
    List<TestChange> delivered = new ArrayList<>();
    List<TestChange> history = history(true);
    for (int i = 0; i < history.size(); i++) {
      delivered.add(history.get(i));
      if (random.nextInt(5) == 0) {
        delivered.addAll(history.subList(Math.max(0, i - random.nextInt(20)), i + 1));
      }
    }
    check(delivered, "merge-on-read");
  }

  /** The halves of a changed key lie in two Kafka partitions, of which one may be far behind. */
  @Test
  void partialImagesOfTwoPartitionsThatLagBehindEachOther() {
    System.out.println("-Dtidemark.test.seed=" + seed);
    List<List<TestChange>> partitions = List.of(new ArrayList<>(), new ArrayList<>());
    for (TestChange change : history(true)) {
      partitions.get(change.key() == null ? 0 : (int) ((Long) change.key().get(0) & 1)).add(change);
    }
    List<TestChange> delivered = new ArrayList<>();
    int[] next = new int[2];
    for (int turn = 0;
        next[0] < partitions.get(0).size() || next[1] < partitions.get(1).size();
        turn = 1 - turn) {
      List<TestChange> partition = partitions.get(turn);
      int again = random.nextInt(4) == 0 ? random.nextInt(10) : 0;
      int to = Math.min(partition.size(), next[turn] + random.nextInt(25));
      delivered.addAll(partition.subList(Math.max(0, next[turn] - again), to));
      next[turn] = to;
    }
    check(delivered, "copy-on-write");
  }

  /** A dump that is read while the source is written holds changes after its position. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void dumpThatIsReadAfterItsPositionIsAbsorbed(boolean partial) {
    System.out.println("-Dtidemark.test.seed=" + seed);
    long position = 1 + random.nextInt(CHANGES / 2);
    long readAt = position + random.nextInt(CHANGES / 3);
    keysStay = new KeysStay(position, readAt);
    List<TestChange> history = history(partial);
    List<TestChange> dumped = history.stream().filter(c -> c.sequence() <= readAt).toList();
    List<Row> rows = new ArrayList<>();
    foldedRows(dumped)
        .forEach((id, row) -> rows.add(RowFactory.create(id, value(row, "state"), amount(row))));
    TestLake lake = TestLake.hadoop(directory);
    TestLedger ledger = TestLedger.create(lake, "ledger", 3);
    TestBase base = TestBase.create(lake, "orders", 3, "merge-on-read");
    new Bootstrap(TestSession.get(), base.name(), ledger.name())
        .load(
            new BinlogPosition(new Gtid(0, 1, position), Instant.parse("2026-01-01T10:00:00Z")),
            TestSession.get().createDataFrame(rows, DUMP));
    int first =
        random.nextInt((int) dumped.stream().filter(c -> c.sequence() <= position).count() + 1);
    check(history, history.subList(first, history.size()), ledger, base);
  }

  /** Some rows are in the base table by hand: the ledger has never seen what they hold. */
  private void check(List<TestChange> delivered, String mode) {
    TestLake lake = TestLake.hadoop(directory);
    TestLedger ledger = TestLedger.create(lake, "ledger", 3);
    TestBase base = TestBase.create(lake, "orders", 3, mode);
    base.addByHand(DUMPED, "dumped", "0.50");
    check(delivered, delivered, ledger, base);
  }

  private void check(
      List<TestChange> history, List<TestChange> delivered, TestLedger ledger, TestBase base) {
    int from = 0;
    for (int i = 1; i <= SNAPSHOTS; i++) {
      int to = delivered.size() * i / SNAPSHOTS;
      ledger.append(null, delivered.subList(from, to));
      from = to;
      if (random.nextBoolean() || i == SNAPSHOTS) {
        merge(ledger, base, i == SNAPSHOTS);
      }
    }
    assertThat(base.rows()).as("seed %s", seed).isEqualTo(folded(history));
  }

  /** While half of a changed key is missing the merge may refuse, with all to come later. */
  private static void merge(TestLedger ledger, TestBase base, boolean isLast) {
    try {
      LedgerMerge.of(TestSession.get(), MergeRequest.of(base.name(), ledger.name())).run();
    } catch (MergeFailedException e) {
      if (isLast) {
        throw e;
      }
      assertThat(e).hasMessageContaining("both halves of a changed primary key");
    }
  }

  private static TreeMap<Long, String> folded(List<TestChange> delivered) {
    TreeMap<Long, String> folded = new TreeMap<>();
    foldedRows(delivered)
        .forEach((id, row) -> folded.put(id, value(row, "state") + "/" + value(row, "amount")));
    return folded;
  }

  private static TreeMap<Long, FoldedRow> foldedRows(List<TestChange> delivered) {
    List<LedgerRow> rows = new ArrayList<>();
    List<TestChange> all = new ArrayList<>();
    DUMPED.forEach(id -> all.add(snapshot(id, "state", "dumped", "amount", "0.50")));
    all.addAll(delivered);
    for (TestChange change : all) {
      rows.add(
          new LedgerRow(
              Operation.ofCode(change.op()),
              change.key(),
              TestChange.json(change.before()),
              TestChange.json(change.after()),
              change.cdcOrd(0, rows.size()),
              change.keyChanged()));
    }
    TreeMap<Long, FoldedRow> folded = new TreeMap<>();
    LedgerFold.fold(rows).forEach((key, row) -> folded.put((Long) key.get(0), row));
    return folded;
  }

  private static @Nullable Object value(FoldedRow row, String column) {
    return row.image().value(column);
  }

  private static @Nullable BigDecimal amount(FoldedRow row) {
    Object amount = value(row, "amount");
    return amount == null ? null : new BigDecimal(amount.toString());
  }

  /** A history that a source could have: no update of a row that is not there. */
  private List<TestChange> history(boolean partial) {
    List<TestChange> history = new ArrayList<>();
    TreeMap<Long, String> live = new TreeMap<>();
    DUMPED.forEach(id -> live.put(id, ""));
    for (long sequence = 1; sequence <= CHANGES; sequence++) {
      long id = random.nextInt(2 * KEYS);
      if (random.nextInt(40) == 0 && !keysStay.holdsAt(sequence)) {
        live.clear();
        history.add(truncate(sequence));
      } else if (live.containsKey(id) && random.nextInt(3) == 0) {
        history.addAll(changeOfKey(partial, sequence, id, live));
      } else if (keysStay.forbids(sequence, id)) {
        continue;
      } else if (live.put(id, "") == null) {
        history.add(insert(sequence, id, "state", "i" + sequence, "amount", amount()));
      } else if (random.nextInt(3) == 0) {
        live.remove(id);
        keysStay.left(sequence, id);
        history.add(delete(sequence, id, "state", "?", "amount", "0.00"));
      } else {
        history.add(update(partial, sequence, id));
      }
    }
    return history;
  }

  private List<TestChange> changeOfKey(
      boolean partial, long sequence, long id, TreeMap<Long, String> live) {
    long newId = KEYS + random.nextInt(KEYS);
    if (keysStay.forbids(sequence, newId) || live.put(newId, "") != null) {
      return List.of();
    }
    live.remove(id);
    keysStay.left(sequence, id);
    TestChange delete =
        partial && random.nextBoolean()
            ? delete(sequence, id)
            : delete(sequence, id, "state", "d" + sequence, "amount", amount());
    TestChange insert =
        switch (partial ? random.nextInt(3) : 0) {
          case 1 -> insert(sequence, newId, "state", "m" + sequence);
          case 2 -> insert(sequence, newId);
          default -> insert(sequence, newId, "state", "m" + sequence, "amount", amount());
        };
    return List.of(delete.half(1), insert.half(2));
  }

  private TestChange update(boolean partial, long sequence, long id) {
    return switch (partial ? random.nextInt(3) : 0) {
      case 1 -> TestChange.update(sequence, id, "state", "u" + sequence);
      case 2 -> TestChange.update(sequence, id, "amount", amount());
      default -> TestChange.update(sequence, id, "state", "u" + sequence, "amount", amount());
    };
  }

  private Object amount() {
    return random.nextInt(8) == 0 ? TestChange.NULL : random.nextInt(100) + ".50";
  }
}
