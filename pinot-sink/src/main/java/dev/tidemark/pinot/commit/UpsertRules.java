package dev.tidemark.pinot.commit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.QueryResult;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a table must not get, read once when a run starts and asked per row by the writers.
 * Immutable; a job graph may carry it.
 *
 * @param comparisonColumn the column that decides between rows of one key; null without upsert, or
 *     where there are several
 * @param retention how long rows are kept, so that an older one would be deleted at once; null for
 *     ever
 * @param leastComparison rows with a lesser comparison value are outside the metadata TTL: Pinot
 *     would skip them in upsert and show them beside the newer row of their key; null without a TTL
 *     or where the table is empty
 * @param aheadLimit where comparison values are times: how far a row may be ahead of the clock,
 *     since it would win over every row of its key that comes later; null where they are no times
 * @param millisPerStep milliseconds per step of the comparison value, where it is a time; else null
 */
public record UpsertRules(
    @Nullable String comparisonColumn,
    @Nullable Duration retention,
    @Nullable Double leastComparison,
    @Nullable Duration aheadLimit,
    @Nullable Long millisPerStep)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** How far a comparison value may be ahead of the clock. */
  public static final Duration DEFAULT_AHEAD_LIMIT = Duration.ofHours(1);

  /** Rules that let everything pass. */
  public static final UpsertRules NONE = new UpsertRules(null, null, null, null, null);

  /**
   * Reads a table's rules.
   *
   * @param aheadLimit how far a comparison value that is a time may be ahead of the clock
   */
  public static UpsertRules read(
      PinotTable table, ControllerClient controller, Duration aheadLimit) {
    return of(TableShape.read(table, controller), controller, aheadLimit);
  }

  /** The rules of a table. */
  public static UpsertRules of(TableShape shape, ControllerClient controller, Duration aheadLimit) {
    Duration retention = shape.retention().orElse(null);
    List<String> columns = shape.comparisonColumns();
    boolean upsert = shape.upsert() == TableShape.Upsert.FULL && columns.size() == 1;
    if (!upsert) {
      return new UpsertRules(null, retention, null, null, null);
    }
    String column = columns.get(0);
    Long step = shape.millisPerStep(column);
    Double least =
        shape.metadataTtl() > 0
            ? watermark(shape, controller, column).map(w -> w - shape.metadataTtl()).orElse(null)
            : null;
    return new UpsertRules(column, retention, least, step == null ? null : aheadLimit, step);
  }

  /**
   * Why a row must not be written; empty if it may.
   *
   * @param timeMillis the row's time, epoch milliseconds; null without a time column
   * @param comparison the row's comparison value as the column holds it; null without upsert
   * @param nowMillis epoch milliseconds
   */
  public Optional<String> refusal(
      @Nullable Long timeMillis, @Nullable Number comparison, long nowMillis) {
    if (retention != null && timeMillis != null && timeMillis < nowMillis - retention.toMillis()) {
      return Optional.of(
          "its time "
              + Instant.ofEpochMilli(timeMillis)
              + " is older than the table's retention (expected: at most "
              + retention
              + " old)");
    }
    if (comparison == null) {
      return Optional.empty();
    }
    if (leastComparison != null && comparison.doubleValue() < leastComparison) {
      return Optional.of(
          "its comparison value "
              + comparison
              + " is outside the table's metadata TTL (expected: >= "
              + leastComparison.longValue()
              + "; Pinot would show it beside the newer row of its key)");
    }
    return ahead(comparison, nowMillis);
  }

  private Optional<String> ahead(Number comparison, long nowMillis) {
    Duration limit = aheadLimit;
    Long step = millisPerStep;
    if (limit == null || step == null) {
      return Optional.empty();
    }
    double greatest = (double) (nowMillis + limit.toMillis()) / step;
    return comparison.doubleValue() <= greatest
        ? Optional.empty()
        : Optional.of(
            "its comparison value "
                + comparison
                + " lies in the future (expected: <= "
                + (long) greatest
                + "; a greater one hides every row of its key that comes later, and expires live"
                + " keys where the table has a TTL)");
  }

  private static Optional<Double> watermark(
      TableShape shape, ControllerClient controller, String column) {
    QueryResult result =
        controller.query(
            shape.table(),
            "SET skipUpsert = true; SELECT COUNT(*), MAX("
                + Sql.name(column)
                + ") FROM "
                + Sql.name(shape.table().nameWithType()));
    if (result.rows().isEmpty()) {
      return Optional.empty();
    }
    List<JsonNode> row = result.rows().get(0);
    return row.get(0).asLong() == 0 ? Optional.empty() : Optional.of(row.get(1).asDouble());
  }
}
