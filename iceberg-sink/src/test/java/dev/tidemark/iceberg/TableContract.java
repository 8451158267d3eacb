package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What every contract of tables starts from: an empty table of events in a catalog. */
abstract class TableContract {
  private final Function<Path, TestCatalog> catalogs;

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TestCatalog catalog;

  TableContract(Function<Path, TestCatalog> catalogs) {
    this.catalogs = catalogs;
  }

  @BeforeEach
  void createTable() {
    catalog = catalogs.apply(directory);
    catalog.create("events");
  }

  /** A handle of its own on the table. */
  Table load() {
    return catalog.load("events");
  }

  /** A registered writer with a handle of its own. */
  EventWriter writer(String name) {
    return EventWriter.start(load(), name);
  }

  /** What a reader that comes now is told. */
  TableFinality read() {
    return IcebergFinality.of(load()).read();
  }

  /** What a reader that comes now is told of the hour that starts then. */
  FinalityAnswer ask(String hour) {
    return ask(read(), hour, null);
  }

  static FinalityAnswer ask(TableFinality finality, String hour, @Nullable Integer readRevision) {
    long start = TestFiles.at(hour);
    return finality.answer(start, start + 3_600_000, readRevision);
  }

  /** Asserts the truth and what the property repeats of it. */
  void assertWatermark(String time) {
    Table table = load();
    assertThat(watermark(table.currentSnapshot())).as("truth").isEqualTo(time);
    assertThat(mirrored(table)).as("mirror").isEqualTo(time);
  }

  /** The watermark of the truth, as a time of the day. */
  String truth() {
    return time(opinion().watermarkMillis());
  }

  /** The truth, which must be there. */
  Opinion opinion() {
    return Objects.requireNonNull(read().opinion(), "no opinion");
  }

  /** Why the truth stands where it does. */
  @Nullable Hold hold() {
    return opinion().hold();
  }

  /** The watermark in a summary, as a time of the day. */
  static String watermark(Snapshot snapshot) {
    return time(
        FinalizationProperties.number(snapshot.summary(), FinalizationProperties.WATERMARK_MS));
  }

  /** The watermark in the properties, as a time of the day. */
  static String mirrored(Table table) {
    return time(Mirror.of(table.properties()).watermarkMillis());
  }

  /** How many metadata versions were made so far. */
  static int versions(Table table) {
    table.refresh();
    return ((HasTableOperations) table).operations().current().previousFiles().size();
  }

  /** The snapshots on the ancestry of main, oldest first. */
  static List<Snapshot> ancestors(Table table) {
    List<Snapshot> newestFirst =
        new ArrayList<>(IcebergHistory.of(table, "main").snapshots().toList());
    Collections.reverse(newestFirst);
    return newestFirst;
  }

  /** Expires every snapshot but the heads of branches. */
  static void expireAllButHead(Table table) {
    table.refresh();
    table
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .cleanExpiredFiles(false)
        .commit();
    table.refresh();
  }

  /** Sets table properties by hand, as a process that knows nothing of finalization. */
  static void setByHand(Table table, Map<String, String> properties) {
    var update = table.updateProperties();
    properties.forEach(update::set);
    update.commit();
  }

  /** A time of the day; {@code none} for none, and an instant for another day. */
  static String time(@Nullable Long millis) {
    return millis == null
        ? "none"
        : Instant.ofEpochMilli(millis)
            .toString()
            .replaceFirst("^" + TestFiles.DAY + "T(.*):00Z$", "$1");
  }
}
