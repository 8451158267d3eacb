package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightFile;
import dev.tidemark.quickstart.program.LocalFlink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * The flights as an Iceberg table with a watermark, written in the order in which they landed.
 *
 * @param catalog which it is in; closed with it
 * @param table its handle
 * @param loader what jobs load it with
 */
record FlightsInIceberg(EmbeddedIcebergCatalog catalog, Table table, TableLoader loader)
    implements AutoCloseable {
  static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "id", Types.IntegerType.get()),
          NestedField.required(2, FlightColumns.TIME, Types.TimestampType.withZone()),
          NestedField.required(3, "delay_minutes", Types.IntegerType.get()),
          NestedField.required(4, "distance_miles", Types.IntegerType.get()),
          NestedField.required(5, "origin", Types.StringType.get()),
          NestedField.required(6, "destination", Types.StringType.get()));
  static final RowType ROW_TYPE = FlinkSchemaUtil.convert(SCHEMA);

  private static final TableIdentifier NAME = TableIdentifier.of("air", "flights");
  private static final int ROWS_PER_COMMIT = 1_500;
  private static final Duration CHECKPOINTS = Duration.ofMillis(300);
  private static final int LOOKBACK_COMMITS = 3;

  /**
   * A table in a catalog in this directory, with all flights, and a commit every few hours of
   * landings.
   *
   * @throws IllegalStateException if the job fails
   */
  static FlightsInIceberg written(Path directory) {
    EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory);
    PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).hour(FlightColumns.TIME).build();
    FlightsInIceberg flights =
        new FlightsInIceberg(catalog, catalog.create(NAME, SCHEMA, spec), catalog.loader(NAME));
    try {
      flights.write();
      return flights;
    } catch (Exception e) {
      flights.close();
      throw new IllegalStateException("Cannot write flights into Iceberg", e);
    }
  }

  private void write() throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(1);
    env.enableCheckpointing(CHECKPOINTS.toMillis());
    DataGeneratorSource<RowData> landings =
        new DataGeneratorSource<>(
            new Landings(),
            FlightFile.read().size(),
            RateLimiterStrategy.perCheckpoint(ROWS_PER_COMMIT),
            InternalTypeInfo.of(ROW_TYPE));
    TidemarkIcebergSink.forRowData(
            env.fromSource(landings, WatermarkStrategy.noWatermarks(), "landings"))
        .tableLoader(loader)
        .eventTime(EventTimeColumn.timestamp(FlightColumns.TIME))
        .finalization(
            FinalizationConfig.forWriter("flights")
                .lookback(LOOKBACK_COMMITS, Duration.ZERO)
                .readFromBeginning()
                .build())
        .append();
    env.execute("flights into Iceberg");
    table.refresh();
  }

  /**
   * Rows by id, as a query of Pinot for {@link FlightColumns#SELECTED} brings them.
   *
   * @param snapshotId as of which snapshot
   */
  SortedMap<Integer, Object> rows(long snapshotId, Expression filter) throws IOException {
    SortedMap<Integer, Object> rows = new TreeMap<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).useSnapshot(snapshotId).where(filter).build()) {
      for (Record record : records) {
        Instant departure = ((OffsetDateTime) record.getField(FlightColumns.TIME)).toInstant();
        rows.put(
            (Integer) record.getField("id"),
            List.of(
                departure.toEpochMilli(),
                record.getField("delay_minutes"),
                record.getField("distance_miles"),
                record.getField("origin"),
                record.getField("destination")));
      }
    }
    return rows;
  }

  @Override
  public void close() {
    catalog.close();
  }

  /** The n-th flight that landed, as a row. */
  private static final class Landings implements GeneratorFunction<Long, RowData> {
    private static final long serialVersionUID = 1L;

    private transient @Nullable List<Flight> landed;

    @Override
    public void open(SourceReaderContext context) {
      landed =
          FlightFile.read().stream()
              .sorted(Comparator.comparing(Flight::landing).thenComparing(Flight::id))
              .toList();
    }

    @Override
    public RowData map(Long index) {
      List<Flight> flights = landed;
      if (flights == null) {
        throw new IllegalStateException("Cannot read flights before open");
      }
      Flight flight = flights.get(Math.toIntExact(index));
      return GenericRowData.of(
          flight.id(),
          TimestampData.fromInstant(flight.departure().toInstant(ZoneOffset.UTC)),
          flight.delayMinutes(),
          flight.distanceMiles(),
          StringData.fromString(flight.origin()),
          StringData.fromString(flight.destination()));
    }
  }
}
