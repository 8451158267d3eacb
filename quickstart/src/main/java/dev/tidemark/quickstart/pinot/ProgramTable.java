package dev.tidemark.quickstart.pinot;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.PinotFinality;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A table that a program creates for itself and drops at its end, also after Ctrl-C: the Pinot may
 * be somebody else's.
 */
public final class ProgramTable implements AutoCloseable {
  private final PinotCluster pinot;
  private final TableConfig config;
  private final Schema schema;
  private final PinotTable name;
  private final Thread shutdownHook = new Thread(this::drop, "table-shutdown");

  private ProgramTable(PinotCluster pinot, TableConfig config, Schema schema) {
    this.pinot = pinot;
    this.config = config;
    this.schema = schema;
    this.name = PinotTable.parse(config.getTableName());
  }

  /** A name that no other run of a program takes. */
  public static String freeName(String purpose) {
    return purpose + "_" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
  }

  /** Creates a table and waits until it can be queried. */
  public static ProgramTable create(PinotCluster pinot, TableConfig config, Schema schema) {
    ProgramTable table = new ProgramTable(pinot, config, schema);
    Runtime.getRuntime().addShutdownHook(table.shutdownHook);
    pinot.tables().create(schema.toSingleLineJsonString(), config.toJsonString());
    return table;
  }

  public PinotTable name() {
    return name;
  }

  /** Begins the options of a sink into it. */
  public <T> PinotSinkBuilder<T> sink(PinotGenericRowConverter<T> converter) {
    return PinotSink.builder(converter, config, schema).controller(controller());
  }

  /** What it says of its completeness now. */
  public TableFinality finality() {
    return PinotFinality.of(name, controller()).read();
  }

  private ControllerSettings controller() {
    return ControllerSettings.builder(pinot.controllerUrl())
        .brokerUrls(List.of(pinot.brokerUrl()))
        .build();
  }

  /**
   * Its rows as a broker gives them: the first column is the key. A key that is there twice has
   * both rows, and so equals nothing that it is compared with.
   *
   * @param columns to select
   * @param options before the query, such as {@code SET skipUpsert=true;}; may be empty
   */
  public SortedMap<Integer, Object> rows(String columns, String options) {
    SortedMap<Integer, Object> rows = new TreeMap<>();
    String sql = "%s SELECT %s FROM %s LIMIT 1000000".formatted(options, columns, name.rawName());
    for (List<@Nullable Object> row : pinot.queries().rows(sql)) {
      Object rest = row.subList(1, row.size());
      rows.merge((Integer) row.get(0), rest, (one, two) -> "two rows: " + one + " and " + two);
    }
    return rows;
  }

  /** The only number that a query brings; {@code %s} stands for the table. */
  public long number(String sql) {
    return pinot.queries().number(sql.formatted(name.rawName()));
  }

  /** The only row that a query brings; {@code %s} stands for the table. */
  public List<@Nullable Object> row(String sql) {
    return pinot.queries().rows(sql.formatted(name.rawName())).get(0);
  }

  @Override
  public void close() {
    drop();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook drops it once more, which does no harm.
    }
  }

  private void drop() {
    if (Pinots.endsWithProgram(pinot)) {
      return;
    }
    try {
      pinot.tables().drop(name.nameWithType());
    } catch (RuntimeException e) {
      System.err.println("Cannot drop table " + name + ": " + e.getMessage());
    }
  }
}
