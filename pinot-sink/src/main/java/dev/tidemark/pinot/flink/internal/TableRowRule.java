package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.UpsertRules;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.segment.SegmentTable;
import java.time.Duration;
import java.util.Objects;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * The {@link UpsertRules} of a table, read from it when a writer starts: retention, metadata TTL,
 * values that lie too far ahead. A time that only Pinot's transforms derive is not seen.
 */
public final class TableRowRule implements RowRule {
  private static final long serialVersionUID = 1L;

  private final PinotTable table;
  private final ControllerSettings controller;
  private final Duration aheadLimit;
  private final @Nullable String timeColumn;
  private final @Nullable TimeReading time;
  private transient @Nullable UpsertRules rules;

  /**
   * The rules of a table.
   *
   * @param aheadLimit how far a comparison value that is a time may be ahead of the clock
   */
  public TableRowRule(SegmentTable table, ControllerSettings controller, Duration aheadLimit) {
    this.table = table.table();
    this.controller = controller;
    this.aheadLimit = aheadLimit;
    this.timeColumn = table.timeColumn();
    DateTimeFieldSpec spec =
        timeColumn == null ? null : table.schema().getSpecForTimeColumn(timeColumn);
    this.time = spec == null ? null : new TimeReading(spec.getFormat());
  }

  @Override
  public void open() {
    UpsertRules read = UpsertRules.read(table, ControllerClient.of(controller), aheadLimit);
    boolean refusesNothing =
        read.retention() == null && read.leastComparison() == null && read.aheadLimit() == null;
    rules = refusesNothing ? UpsertRules.NONE : read;
  }

  @Override
  public @Nullable String refusal(GenericRow row) {
    UpsertRules current = Objects.requireNonNull(rules, "not opened");
    if (current == UpsertRules.NONE) {
      return null;
    }
    Long timeMillis =
        timeColumn == null || time == null ? null : time.millis(row.getValue(timeColumn));
    return current
        .refusal(timeMillis, comparison(current, row), System.currentTimeMillis())
        .orElse(null);
  }

  private static @Nullable Number comparison(UpsertRules rules, GenericRow row) {
    String column = rules.comparisonColumn();
    Object value = column == null ? null : row.getValue(column);
    if (value instanceof Number number) {
      return number;
    }
    Long millis = TimeReading.calendarMillis(value);
    Long step = rules.millisPerStep();
    return millis == null ? null : (Number) (step == null ? millis : (Long) (millis / step));
  }
}
