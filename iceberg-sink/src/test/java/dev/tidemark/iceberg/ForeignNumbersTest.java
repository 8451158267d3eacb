package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Foreign appends to tables whose event time is a number of a declared unit. */
class ForeignNumbersTest {
  private static final int FIELD = 2;
  private static final Instant HOUR = Instant.parse("2026-01-01T09:00:00Z");

  @TempDir Path directory;

  @Test
  void numbersOfTheDeclaredUnitReopenTheirHour() throws IOException {
    Table table = finalTable(Map.of(Mirror.EVENT_TIME_UNIT, "seconds"));

    table.newAppend().appendFile(file(HOUR.getEpochSecond() + 60, 3, 0)).commit();

    FinalityAnswer answer = IcebergFinality.of(table).read().answerAt(HOUR);
    assertThat(answer).isInstanceOf(FinalityAnswer.LateReopened.class);
    assertThat(((FinalityAnswer.LateReopened) answer).rows()).isEqualTo(3);
  }

  @Test
  void withoutAUnitNobodyCanTell() throws IOException {
    Table table = finalTable(Map.of());

    table.newAppend().appendFile(file(HOUR.getEpochSecond(), 3, 0)).commit();

    assertThat(unknown(table)).isTrue();
  }

  @Test
  void aUnitThatIsNoneIsAsGoodAsNone() throws IOException {
    Table table = finalTable(Map.of(Mirror.EVENT_TIME_UNIT, "fortnights"));

    table.newAppend().appendFile(file(HOUR.getEpochSecond(), 3, 0)).commit();

    assertThat(unknown(table)).isTrue();
  }

  @Test
  void rowsWithoutAnEventTimeAreInNoHour() throws IOException {
    Table table = finalTable(Map.of(Mirror.EVENT_TIME_UNIT, "seconds"));

    table.newAppend().appendFile(file(null, 3, 3)).commit();

    assertThat(unknown(table)).isFalse();
    assertThat(IcebergFinality.of(table).read().answerAt(HOUR))
        .isInstanceOf(FinalityAnswer.Ready.class);
  }

  private static boolean unknown(Table table) {
    return ForeignAppends.since(table, TableTruth.read(table, "main")).unknown();
  }

  /** A table that is final up to noon, with its event time in field 2. */
  private Table finalTable(Map<String, String> binding) throws IOException {
    Schema schema =
        new Schema(
            Types.NestedField.optional(1, "id", Types.LongType.get()),
            Types.NestedField.optional(FIELD, "at", Types.LongType.get()));
    Table table =
        EmbeddedCatalog.in(directory)
            .create("numbers", schema, PartitionSpec.unpartitioned(), binding);
    table
        .updateProperties()
        .set(Mirror.EVENT_TIME_FIELD_ID, Integer.toString(FIELD))
        .set(Mirror.EVENT_TIME_TYPE, "long")
        .commit();
    Opinion initial = Opinion.initial(FinalizationConfig.forWriter("w").build().policyText());
    Opinion noon =
        new Opinion(
            new FinalizationWatermark(
                0L, Instant.parse("2026-01-01T12:00:00Z").toEpochMilli(), Evidence.ESTIMATE),
            initial.policy(),
            null,
            0,
            false,
            initial.writers(),
            initial.reopened());
    AppendFiles append = table.newAppend();
    FinalizationProperties.write(noon).forEach(append::set);
    append.commit();
    return table;
  }

  private static DataFile file(@Nullable Long seconds, long rows, long nulls) {
    Map<Integer, ByteBuffer> bound =
        seconds == null
            ? Map.of()
            : Map.of(FIELD, Conversions.toByteBuffer(Types.LongType.get(), seconds));
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath("/nowhere/" + seconds + ".parquet")
        .withFileSizeInBytes(10)
        .withMetrics(
            new Metrics(rows, Map.of(), Map.of(), Map.of(FIELD, nulls), Map.of(), bound, bound))
        .build();
  }
}
