package dev.tidemark.pinot.segment;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Map;
import java.util.Objects;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.BigDecimalUtils;
import org.apache.pinot.spi.utils.ByteArray;
import org.apache.pinot.spi.utils.MapUtils;
import org.jspecify.annotations.Nullable;

/**
 * The values of one column of a future segment, as primitives: ints, longs, or byte strings. A
 * float is kept as its bits in an int, a double in a long; text in UTF-8; decimals and maps as
 * Pinot writes them. Not thread-safe.
 */
final class ColumnBuffer {
  private final FieldSpec spec;
  private final DataType storedType;
  private final boolean isNumeric;
  private final Values values;
  private final @Nullable IntValues counts;
  private final BitSet nulls;
  private int rows;

  /** Exactly one of the three is there. */
  private record Values(
      @Nullable IntValues ints, @Nullable LongValues longs, @Nullable ByteValues bytes) {
    static Values of(DataType storedType, boolean coded) {
      return switch (storedType) {
        case INT, FLOAT -> new Values(new IntValues(), null, null);
        case LONG, DOUBLE -> new Values(null, new LongValues(), null);
        default -> new Values(null, null, coded ? ByteValues.coded() : ByteValues.plain());
      };
    }

    static Values readFrom(DataInput in, DataType storedType, boolean coded) throws IOException {
      return switch (storedType) {
        case INT, FLOAT -> new Values(IntValues.readFrom(in), null, null);
        case LONG, DOUBLE -> new Values(null, LongValues.readFrom(in), null);
        default -> new Values(null, null, ByteValues.readFrom(in, coded));
      };
    }
  }

  private ColumnBuffer(
      FieldSpec spec, Values values, @Nullable IntValues counts, BitSet nulls, int rows) {
    this.spec = spec;
    this.storedType = spec.getDataType().getStoredType();
    this.isNumeric = storedType.isFixedWidth();
    this.values = values;
    this.counts = counts;
    this.nulls = nulls;
    this.rows = rows;
  }

  /**
   * @param coded whether equal byte strings are to be kept once
   */
  static ColumnBuffer of(FieldSpec spec, boolean coded) {
    return new ColumnBuffer(
        spec,
        Values.of(spec.getDataType().getStoredType(), coded),
        spec.isSingleValueField() ? null : new IntValues(),
        new BitSet(),
        0);
  }

  FieldSpec spec() {
    return spec;
  }

  /** Whether values are kept as ints or longs; else as byte strings. */
  boolean isNumeric() {
    return isNumeric;
  }

  DataType storedType() {
    return storedType;
  }

  int rows() {
    return rows;
  }

  boolean isNull(int row) {
    return nulls.get(row);
  }

  /** The rows without a value. */
  BitSet nulls() {
    return nulls;
  }

  /** Whether equal byte strings are kept once. */
  boolean isCoded() {
    return values.bytes != null && values.bytes.isCoded();
  }

  /** How many values each row has; null if each has one. */
  @Nullable IntValues counts() {
    return counts;
  }

  IntValues ints() {
    return Objects.requireNonNull(values.ints);
  }

  LongValues longs() {
    return Objects.requireNonNull(values.longs);
  }

  ByteValues bytes() {
    return Objects.requireNonNull(values.bytes);
  }

  /** Values of all rows together. */
  int valueCount() {
    if (values.ints != null) {
      return values.ints.size();
    }
    return values.longs != null ? values.longs.size() : bytes().size();
  }

  /** Adds what {@link #stored} made of the value of one more row. */
  void add(Object stored, boolean isNull) {
    if (isNull) {
      nulls.set(rows);
    }
    if (counts == null) {
      addValue(stored);
    } else {
      Object[] several = (Object[]) stored;
      counts.add(several.length);
      for (Object value : several) {
        addValue(value);
      }
    }
    rows++;
  }

  /** The form that {@link #add} takes: text, decimals and maps as bytes. */
  Object stored(Object internal) {
    if (isNumeric) {
      return internal;
    }
    if (internal instanceof Object[] several) {
      Object[] encoded = new Object[several.length];
      for (int i = 0; i < encoded.length; i++) {
        encoded[i] = encoded(several[i]);
      }
      return encoded;
    }
    return encoded(internal);
  }

  /** Length of the longest byte string in what {@link #stored} made. */
  static int longest(Object stored) {
    if (stored instanceof byte[] bytes) {
      return bytes.length;
    }
    int longest = 0;
    if (stored instanceof Object[] several) {
      for (Object value : several) {
        longest = Math.max(longest, longest(value));
      }
    }
    return longest;
  }

  /** A value as Pinot's indexes take it, by its place among the values of all rows. */
  Object value(int index) {
    return switch (storedType) {
      case INT -> ints().get(index);
      case FLOAT -> Float.intBitsToFloat(ints().get(index));
      case LONG -> longs().get(index);
      case DOUBLE -> Double.longBitsToDouble(longs().get(index));
      case STRING -> new String(bytes().get(index), StandardCharsets.UTF_8);
      case BIG_DECIMAL -> BigDecimalUtils.deserialize(bytes().get(index));
      case MAP -> MapUtils.deserializeMap(bytes().get(index));
      default -> bytes().get(index);
    };
  }

  /** The entry of a value: of a number its place, of a byte string that of its equals. */
  int entryOf(int index) {
    return values.bytes == null ? index : values.bytes.entryOf(index);
  }

  /** A byte string as Pinot's statistics take it, by its entry. */
  Object valueOfEntry(int entry) {
    byte[] copy = bytes().pages().copy(bytes().reference(entry));
    return storedType == DataType.STRING
        ? new String(copy, StandardCharsets.UTF_8)
        : new ByteArray(copy);
  }

  /** Bytes of heap that the column takes. */
  long sizeBytes() {
    long size = nulls.size() / Byte.SIZE;
    if (counts != null) {
      size += counts.sizeBytes();
    }
    if (values.ints != null) {
      return size + values.ints.sizeBytes();
    }
    return size + (values.longs != null ? values.longs.sizeBytes() : bytes().sizeBytes());
  }

  /** Bytes that {@link #writeTo} writes. */
  long encodedBytes() {
    long size = 2L * Integer.BYTES + (long) nulls.toLongArray().length * Long.BYTES;
    if (counts != null) {
      size += counts.encodedBytes();
    }
    if (values.ints != null) {
      return size + values.ints.encodedBytes();
    }
    return size + (values.longs != null ? values.longs.encodedBytes() : bytes().encodedBytes());
  }

  void writeTo(DataOutput out) throws IOException {
    out.writeInt(rows);
    long[] words = nulls.toLongArray();
    out.writeInt(words.length);
    for (long word : words) {
      out.writeLong(word);
    }
    if (counts != null) {
      counts.writeTo(out);
    }
    if (values.ints != null) {
      values.ints.writeTo(out);
    } else if (values.longs != null) {
      values.longs.writeTo(out);
    } else {
      bytes().writeTo(out);
    }
  }

  static ColumnBuffer readFrom(DataInput in, FieldSpec spec, boolean coded) throws IOException {
    int rows = in.readInt();
    long[] words = new long[in.readInt()];
    for (int i = 0; i < words.length; i++) {
      words[i] = in.readLong();
    }
    IntValues counts = spec.isSingleValueField() ? null : IntValues.readFrom(in);
    Values values = Values.readFrom(in, spec.getDataType().getStoredType(), coded);
    return new ColumnBuffer(spec, values, counts, BitSet.valueOf(words), rows);
  }

  private void addValue(Object value) {
    switch (storedType) {
      case INT -> ints().add((Integer) value);
      case FLOAT -> ints().add(Float.floatToIntBits((Float) value));
      case LONG -> longs().add((Long) value);
      case DOUBLE -> longs().add(Double.doubleToLongBits((Double) value));
      default -> bytes().add((byte[]) value);
    }
  }

  @SuppressWarnings("unchecked") // Pinot's maps have text for keys
  private static Object encoded(Object value) {
    if (value instanceof String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    if (value instanceof BigDecimal decimal) {
      return BigDecimalUtils.serialize(decimal);
    }
    return value instanceof Map<?, ?> map
        ? MapUtils.serializeMap((Map<String, Object>) map)
        : value;
  }
}
