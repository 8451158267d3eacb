package dev.tidemark.pipeline.event;

import dev.tidemark.pipeline.codec.ByteCodec;
import dev.tidemark.pipeline.codec.Bytes;
import dev.tidemark.pipeline.codec.CodecTypeInfo;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The byte form of a {@link ChangeEvent}. */
public final class ChangeEventCodec implements ByteCodec<ChangeEvent> {
  /** The Flink type of a {@link ChangeEvent}. */
  public static final CodecTypeInfo<ChangeEvent> TYPE = CodecTypeInfo.of(new ChangeEventCodec());

  @Override
  public Class<ChangeEvent> type() {
    return ChangeEvent.class;
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public void write(ChangeEvent event, DataOutput out) throws IOException {
    Bytes.writeText(event.operation().code(), out);
    Bytes.writeText(event.table().database(), out);
    Bytes.writeText(event.table().table(), out);
    ChangeImages images = event.images();
    writeImage(images.key(), out);
    writeImage(images.before(), out);
    writeImage(images.after(), out);
    writeImage(images.oldKey(), out);
    writeImage(images.newKey(), out);
    writePosition(event.kafka(), out);
    out.writeLong(event.order().sequence());
    out.writeLong(event.order().totalOrder());
    writeSource(event.origin().source(), out);
    out.writeBoolean(event.resent());
  }

  @Override
  public ChangeEvent read(int version, DataInput in) throws IOException {
    Operation operation = Operation.ofCode(Bytes.readText(in));
    TableId table = new TableId(Bytes.readText(in), Bytes.readText(in));
    ChangeImages images =
        new ChangeImages(readImage(in), readImage(in), readImage(in), readImage(in), readImage(in));
    KafkaPosition kafka = readPosition(in);
    ChangeOrder order =
        new ChangeOrder(in.readLong(), in.readLong(), kafka.partition(), kafka.offset());
    ChangeOrigin origin = new ChangeOrigin(readSource(in), order, kafka);
    return new ChangeEvent(operation, table, images, origin, in.readBoolean());
  }

  /** Writes a position as other codecs embed it. */
  public static void writePosition(KafkaPosition position, DataOutput out) throws IOException {
    Bytes.writeText(position.topic(), out);
    out.writeInt(position.partition());
    out.writeLong(position.offset());
  }

  /** Reads what {@link #writePosition} wrote. */
  public static KafkaPosition readPosition(DataInput in) throws IOException {
    return new KafkaPosition(Bytes.readText(in), in.readInt(), in.readLong());
  }

  private static void writeSource(SourcePoint source, DataOutput out) throws IOException {
    Bytes.writeText(source.server(), out);
    Gtid gtid = source.gtid();
    out.writeBoolean(gtid != null);
    if (gtid != null) {
      out.writeLong(gtid.domain());
      out.writeLong(gtid.server());
      out.writeLong(gtid.sequence());
    }
    out.writeLong(source.timeMicros());
    out.writeBoolean(source.snapshot());
  }

  private static SourcePoint readSource(DataInput in) throws IOException {
    String server = Bytes.readText(in);
    Gtid gtid = in.readBoolean() ? new Gtid(in.readLong(), in.readLong(), in.readLong()) : null;
    return new SourcePoint(server, gtid, in.readLong(), in.readBoolean());
  }

  private static void writeImage(@Nullable RowImage image, DataOutput out) throws IOException {
    out.writeBoolean(image != null);
    if (image == null) {
      return;
    }
    out.writeInt(image.values().size());
    for (Map.Entry<String, @Nullable Object> column : image.values().entrySet()) {
      Bytes.writeText(column.getKey(), out);
      ValueCodec.write(column.getValue(), out);
    }
    out.writeInt(image.unavailable().size());
    for (String column : image.unavailable()) {
      Bytes.writeText(column, out);
    }
  }

  private static @Nullable RowImage readImage(DataInput in) throws IOException {
    if (!in.readBoolean()) {
      return null;
    }
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      values.put(Bytes.readText(in), ValueCodec.read(in));
    }
    Set<String> unavailable = new LinkedHashSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      unavailable.add(Bytes.readText(in));
    }
    return RowImage.of(values, unavailable);
  }
}
