package dev.tidemark.pipeline.codec;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint keeps about a {@link CodecSerializer}: the codec's class name. Every value
 * knows its version, so a newer codec of that name is always compatible. Public with a constructor
 * without arguments because Flink makes it by reflection.
 */
public final class CodecSerializerSnapshot<T> implements TypeSerializerSnapshot<T> {
  private static final int VERSION = 1;

  private @Nullable ByteCodec<T> codec;

  public CodecSerializerSnapshot() {}

  CodecSerializerSnapshot(ByteCodec<T> codec) {
    this.codec = codec;
  }

  @Override
  public int getCurrentVersion() {
    return VERSION;
  }

  @Override
  public void writeSnapshot(DataOutputView out) throws IOException {
    out.writeUTF(codec().getClass().getName());
  }

  @Override
  public void readSnapshot(int version, DataInputView in, ClassLoader classes) throws IOException {
    String name = in.readUTF();
    try {
      codec = instantiate(Class.forName(name, true, classes));
    } catch (ClassNotFoundException e) {
      throw new IOException(
          "Cannot restore state: codec " + name + " is not on the class path (expected: it is)", e);
    }
  }

  @Override
  public TypeSerializer<T> restoreSerializer() {
    return new CodecSerializer<>(codec());
  }

  @Override
  public TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
      TypeSerializerSnapshot<T> old) {
    boolean same =
        old instanceof CodecSerializerSnapshot<T> that
            && that.codec().getClass().equals(codec().getClass());
    return same
        ? TypeSerializerSchemaCompatibility.compatibleAsIs()
        : TypeSerializerSchemaCompatibility.incompatible();
  }

  private ByteCodec<T> codec() {
    if (codec == null) {
      throw new IllegalStateException("Cannot use a serializer snapshot before it was read");
    }
    return codec;
  }

  @SuppressWarnings("unchecked") // a codec's class was written by a serializer of its type
  static <T> ByteCodec<T> instantiate(Class<?> codecClass) throws IOException {
    try {
      return (ByteCodec<T>) codecClass.getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IOException(
          "Cannot make codec %s (expected: a ByteCodec with a public constructor without arguments)"
              .formatted(codecClass.getName()),
          e);
    }
  }
}
