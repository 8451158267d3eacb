package dev.tidemark.spark.testing;

import static dev.tidemark.spark.testing.TestOpinions.millis;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.iceberg.IcebergFinality;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A lake with a ledger and a base table of orders, new for each test. */
@SuppressWarnings("NullAway.Init") // set by JUnit and before each test
public abstract class OrdersFixture {
  @TempDir protected Path directory;

  protected TestLake lake;
  protected TestLedger ledger;
  protected TestBase base;

  @BeforeEach
  final void createTables() {
    create();
  }

  /** Two buckets on a HadoopCatalog, merge-on-read, unless a test has other needs. */
  protected void create() {
    create(TestLake.hadoop(directory), 2, "merge-on-read");
  }

  /** Creates {@code ledger} and {@code orders} in a lake, and uses them from now on. */
  protected final void create(TestLake in, int buckets, String mode) {
    lake = in;
    ledger = TestLedger.create(in, "ledger", buckets);
    base = TestBase.create(in, "orders", buckets, mode);
  }

  /** What the base table says of a time of the first of January, {@code HH:mm}. */
  protected final FinalityAnswer answerAt(String time) {
    return answerAt(lake.load(base.name()), time);
  }

  /** What a table says of a time of the first of January, {@code HH:mm}. */
  protected static FinalityAnswer answerAt(Table table, String time) {
    return IcebergFinality.of(table).read().answerAt(Instant.ofEpochMilli(millis(time)));
  }
}
