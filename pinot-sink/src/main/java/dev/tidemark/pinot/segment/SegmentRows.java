package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import dev.tidemark.pinot.segment.SegmentTable.Prepared;
import dev.tidemark.pinot.segment.StagedSegment.Times;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.pinot.segment.spi.index.FieldIndexConfigs;
import org.apache.pinot.segment.spi.index.FieldIndexConfigsUtil;
import org.apache.pinot.segment.spi.index.StandardIndexes;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one future segment, column by column in primitive arrays. A row goes through the
 * table's ingestion transforms and filter once, its values are brought to the types of the columns,
 * and missing ones become the columns' default values, marked as null. Used by one thread at a
 * time.
 */
public final class SegmentRows {
  private static final int VERSION = 1;
  private static final int LARGEST_ROWS = 1 << 28;

  private final SegmentTable table;
  private final RowPreparation preparation;
  private final @Nullable TimeColumn timeColumn;
  private final ColumnIntake[] intakes;
  private final ColumnBuffer[] columns;
  private final @Nullable Object[] defaults;
  private final int timeIndex;
  private final RowLayout layout;
  private final Converted single;
  private int rows;
  private long minMillis = Long.MAX_VALUE;
  private long maxMillis = Long.MIN_VALUE;

  SegmentRows(SegmentTable table) {
    this.table = table;
    Prepared prepared = table.prepare();
    this.preparation = new RowPreparation(prepared);
    String time = prepared.timeColumn();
    this.timeColumn =
        time == null ? null : TimeColumn.of(prepared.config(), prepared.schema(), time);
    List<FieldSpec> specs = physical(prepared);
    Map<String, FieldIndexConfigs> indexes =
        FieldIndexConfigsUtil.createIndexConfigsByColName(prepared.config(), prepared.schema());
    IngestionConfig ingestion = prepared.config().getIngestionConfig();
    boolean nullOnError = ingestion != null && ingestion.isContinueOnError();
    this.intakes = new ColumnIntake[specs.size()];
    this.columns = new ColumnBuffer[specs.size()];
    this.defaults = new Object[specs.size()];
    int foundTime = -1;
    for (int i = 0; i < columns.length; i++) {
      FieldSpec spec = specs.get(i);
      intakes[i] = new ColumnIntake(spec, nullOnError);
      columns[i] = ColumnBuffer.of(spec, isCoded(indexes.get(spec.getName())));
      defaults[i] = intakes[i].defaultValue();
      if (spec.getName().equals(time)) {
        foundTime = i;
        defaults[i] = Objects.requireNonNull(timeColumn).validDefault((DateTimeFieldSpec) spec);
      }
    }
    this.timeIndex = foundTime;
    this.layout = new RowLayout(intakes);
    this.single = new Converted(columns.length);
  }

  /**
   * Adds a row, which is neither kept nor changed.
   *
   * @return how many rows were stored: 0 if the table's filter dropped it, more than 1 if the table
   *     unnests a list of it
   * @throws RejectedRowException if it cannot be stored; nothing of it was
   */
  public int add(GenericRow row) throws RejectedRowException {
    List<GenericRow> prepared = preparation.prepare(row);
    if (prepared.size() == 1) {
      append(convert(prepared.get(0), single));
      return 1;
    }
    List<Converted> all = new ArrayList<>(prepared.size());
    for (GenericRow each : prepared) {
      all.add(convert(each, new Converted(columns.length)));
    }
    all.forEach(this::append);
    return all.size();
  }

  /** Rows stored so far. */
  public int rows() {
    return rows;
  }

  /** Bytes of heap that the rows take, to within a page per column. */
  public long sizeBytes() {
    long size = 0;
    for (ColumnBuffer column : columns) {
      size += column.sizeBytes();
    }
    return size;
  }

  /** First and last value of the time column; null without such a column or without rows. */
  public @Nullable Times times() {
    return timeColumn == null || rows == 0 ? null : new Times(minMillis, maxMillis);
  }

  /**
   * Writes the rows for a checkpoint, led by a version. {@link #readFrom} finds columns by name.
   */
  public void writeTo(DataOutput out) throws IOException {
    out.writeByte(VERSION);
    out.writeInt(rows);
    out.writeLong(minMillis);
    out.writeLong(maxMillis);
    out.writeInt(columns.length);
    for (ColumnBuffer column : columns) {
      out.writeUTF(column.spec().getName());
      out.writeUTF(signature(column.spec()));
      out.writeLong(column.encodedBytes());
      column.writeTo(out);
    }
  }

  /**
   * Reads rows that were written for the same table. A column that the table has gained since is
   * filled with its default value, marked as null; one that it has lost is left out.
   *
   * @throws IOException if the bytes cannot be read, or a column has changed its type
   */
  public static SegmentRows readFrom(SegmentTable table, DataInput in) throws IOException {
    SegmentRows rows = table.newRows();
    rows.read(in);
    return rows;
  }

  SegmentTable table() {
    return table;
  }

  @Nullable TimeColumn timeColumn() {
    return timeColumn;
  }

  List<ColumnBuffer> columns() {
    return List.of(columns);
  }

  /**
   * One row on its way into the columns: values as they are stored, which of them stand for null.
   */
  private static final class Converted {
    private final @Nullable Object[] values;
    private final boolean[] nulls;
    private long timeMillis;

    Converted(int columns) {
      this.values = new Object[columns];
      this.nulls = new boolean[columns];
    }
  }

  private Converted convert(GenericRow row, Converted into) throws RejectedRowException {
    layout.take(row, into.values);
    boolean hasNulls = row.hasNullValues();
    for (int i = 0; i < columns.length; i++) {
      ColumnIntake intake = intakes[i];
      Object given = into.values[i];
      Object value = given == null ? null : intake.convert(given);
      into.nulls[i] = value == null || (hasNulls && row.isNullValue(intake.name()));
      if (value == null) {
        value = defaults[i];
      }
      if (i == timeIndex) {
        value = presentTime(value);
        into.timeMillis = Objects.requireNonNull(timeColumn).millis(value);
      }
      into.values[i] = stored(i, Objects.requireNonNull(value));
    }
    return into;
  }

  private Object presentTime(@Nullable Object value) throws RejectedRowException {
    if (value == null) {
      throw new RejectedRowException(
          Reason.BAD_TIME,
          "Missing time, and the column's defaultNullValue is no valid time either",
          intakes[timeIndex].name(),
          null,
          null);
    }
    return value;
  }

  private Object stored(int column, Object value) throws RejectedRowException {
    if (columns[column].isNumeric()) {
      return value;
    }
    Object clean = intakes[column].sanitise(value);
    Object stored;
    try {
      stored = columns[column].stored(clean);
    } catch (RuntimeException e) {
      throw new RejectedRowException(
          Reason.NOT_CONVERTIBLE, "Cannot store a value", intakes[column].name(), value, e);
    }
    if (ColumnBuffer.longest(stored) > BytePages.MAX_LENGTH) {
      throw new RejectedRowException(
          Reason.TOO_LARGE,
          "Value longer than " + BytePages.MAX_LENGTH + " bytes",
          intakes[column].name(),
          stored,
          null);
    }
    return stored;
  }

  private void append(Converted row) {
    if (rows == LARGEST_ROWS) {
      throw new IllegalStateException(
          "Cannot hold more than " + LARGEST_ROWS + " rows of table " + table.table());
    }
    for (int i = 0; i < columns.length; i++) {
      columns[i].add(Objects.requireNonNull(row.values[i]), row.nulls[i]);
    }
    rows++;
    if (timeColumn != null) {
      minMillis = Math.min(minMillis, row.timeMillis);
      maxMillis = Math.max(maxMillis, row.timeMillis);
    }
  }

  private void read(DataInput in) throws IOException {
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw new IOException(
          "Cannot read rows of table %s: version %d (expected: %d)"
              .formatted(table.table(), version, VERSION));
    }
    rows = in.readInt();
    minMillis = in.readLong();
    maxMillis = in.readLong();
    Map<String, ColumnBuffer> read = readColumns(in);
    for (int i = 0; i < columns.length; i++) {
      ColumnBuffer column = read.get(columns[i].spec().getName());
      if (column != null) {
        columns[i] = column;
      } else {
        fillWithNull(i);
      }
    }
  }

  private Map<String, ColumnBuffer> readColumns(DataInput in) throws IOException {
    Map<String, ColumnBuffer> known = new HashMap<>();
    for (ColumnBuffer column : columns) {
      known.put(column.spec().getName(), column);
    }
    Map<String, ColumnBuffer> read = new HashMap<>();
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      String name = in.readUTF();
      String signature = in.readUTF();
      long bytes = in.readLong();
      ColumnBuffer mine = known.get(name);
      if (mine == null) {
        skip(in, bytes);
      } else {
        checkSignature(mine.spec(), signature);
        read.put(name, ColumnBuffer.readFrom(in, mine.spec(), mine.isCoded()));
      }
    }
    return read;
  }

  private void checkSignature(FieldSpec spec, String signature) throws IOException {
    if (!signature.equals(signature(spec))) {
      throw new IOException(
          "Cannot read rows of table %s: column \"%s\" was of type %s and is now %s (expected: the same). Let the job finish with the old schema first, or start it without state."
              .formatted(table.table(), spec.getName(), signature, signature(spec)));
    }
  }

  private void fillWithNull(int column) throws IOException {
    Object value = defaults[column];
    if (value == null) {
      throw new IOException(
          "Cannot read rows of table %s: they lack the time column \"%s\""
              .formatted(table.table(), intakes[column].name()));
    }
    Object stored = columns[column].stored(value);
    for (int row = 0; row < rows; row++) {
      columns[column].add(stored, true);
    }
  }

  private static void skip(DataInput in, long bytes) throws IOException {
    byte[] chunk = new byte[(int) Math.min(bytes, 1 << 16)];
    for (long left = bytes; left > 0; left -= chunk.length) {
      in.readFully(chunk, 0, (int) Math.min(left, chunk.length));
    }
  }

  private static String signature(FieldSpec spec) {
    return spec.getDataType() + (spec.isSingleValueField() ? "" : "[]");
  }

  private static boolean isCoded(@Nullable FieldIndexConfigs indexes) {
    return indexes == null || indexes.getConfig(StandardIndexes.dictionary()).isEnabled();
  }

  private static List<FieldSpec> physical(Prepared table) {
    List<FieldSpec> specs = new ArrayList<>();
    for (String column : table.schema().getPhysicalColumnNames()) {
      specs.add(table.schema().getFieldSpecFor(column));
    }
    return specs;
  }
}
