package dev.tidemark.pipeline.event;

import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.json.JsonFraction;
import dev.tidemark.pipeline.json.RawJson;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The byte form of one value of a row image: a tag, then the value. */
final class ValueCodec {
  private ValueCodec() {}

  static void write(@Nullable Object value, DataOutput out) throws IOException {
    if (value == null) {
      out.writeByte('0');
    } else if (value instanceof Long number) {
      out.writeByte('l');
      out.writeLong(number);
    } else if (value instanceof String text) {
      out.writeByte('s');
      Bytes.writeText(text, out);
    } else if (value instanceof Boolean bool) {
      out.writeByte(bool ? 't' : 'f');
    } else if (value instanceof BigDecimal decimal) {
      out.writeByte('d');
      out.writeInt(decimal.scale());
      Bytes.write(decimal.unscaledValue().toByteArray(), out);
    } else if (value instanceof ByteBuffer bytes) {
      out.writeByte('b');
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      Bytes.write(copy, out);
    } else {
      writeNumberOrTime(value, out);
    }
  }

  private static void writeNumberOrTime(Object value, DataOutput out) throws IOException {
    if (value instanceof Double number) {
      out.writeByte('D');
      out.writeDouble(number);
    } else if (value instanceof Float number) {
      out.writeByte('F');
      out.writeFloat(number);
    } else if (value instanceof BigInteger number) {
      out.writeByte('B');
      Bytes.write(number.toByteArray(), out);
    } else if (value instanceof JsonFraction number) {
      out.writeByte('n');
      Bytes.writeText(number.text(), out);
    } else if (value instanceof RawJson json) {
      out.writeByte('j');
      Bytes.writeText(json.text(), out);
    } else if (value instanceof LocalDate date) {
      out.writeByte('y');
      out.writeLong(date.toEpochDay());
    } else {
      writeTime(value, out);
    }
  }

  private static void writeTime(Object value, DataOutput out) throws IOException {
    if (value instanceof LocalDateTime dateTime) {
      writeInstant('z', dateTime.toInstant(ZoneOffset.UTC), out);
    } else if (value instanceof Instant instant) {
      writeInstant('i', instant, out);
    } else if (value instanceof Duration time) {
      writeSeconds('u', time.getSeconds(), time.getNano(), out);
    } else {
      throw new IOException(
          "Cannot write a " + value.getClass().getName() + " (expected: a row image's value)");
    }
  }

  private static void writeInstant(char tag, Instant instant, DataOutput out) throws IOException {
    writeSeconds(tag, instant.getEpochSecond(), instant.getNano(), out);
  }

  private static void writeSeconds(char tag, long seconds, int nanos, DataOutput out)
      throws IOException {
    out.writeByte(tag);
    out.writeLong(seconds);
    out.writeInt(nanos);
  }

  static @Nullable Object read(DataInput in) throws IOException {
    char tag = (char) in.readByte();
    return switch (tag) {
      case '0' -> null;
      case 'l' -> in.readLong();
      case 's' -> Bytes.readText(in);
      case 't' -> true;
      case 'f' -> false;
      case 'd' -> decimal(in);
      case 'b' -> ByteBuffer.wrap(bytes(in)).asReadOnlyBuffer();
      case 'D' -> in.readDouble();
      case 'F' -> in.readFloat();
      case 'B' -> new BigInteger(bytes(in));
      case 'n' -> new JsonFraction(Bytes.readText(in));
      case 'j' -> new RawJson(Bytes.readText(in));
      case 'y' -> LocalDate.ofEpochDay(in.readLong());
      case 'z' -> LocalDateTime.ofEpochSecond(in.readLong(), in.readInt(), ZoneOffset.UTC);
      case 'i' -> Instant.ofEpochSecond(in.readLong(), in.readInt());
      case 'u' -> Duration.ofSeconds(in.readLong(), in.readInt());
      default -> throw new IOException("Cannot read a value of tag " + tag);
    };
  }

  private static BigDecimal decimal(DataInput in) throws IOException {
    int scale = in.readInt();
    return new BigDecimal(new BigInteger(bytes(in)), scale);
  }

  private static byte[] bytes(DataInput in) throws IOException {
    byte[] bytes = Bytes.read(in);
    if (bytes == null) {
      throw new IOException("Cannot read a value: null (expected: bytes)");
    }
    return bytes;
  }
}
