package dev.tidemark.pipeline.codec;

import java.io.IOException;
import java.io.ObjectInputStream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** A Flink serializer over a {@link ByteCodec}: one version byte, then what the codec writes. */
final class CodecSerializer<T> extends TypeSerializer<T> {
  private static final long serialVersionUID = 1L;

  private final Class<?> codecClass;
  private transient ByteCodec<T> codec;

  CodecSerializer(ByteCodec<T> codec) {
    this.codecClass = codec.getClass();
    this.codec = codec;
  }

  ByteCodec<T> codec() {
    return codec;
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public TypeSerializer<T> duplicate() {
    return this;
  }

  /** Flink asks for an empty value to reuse; immutable values are never reused. */
  @Override
  @SuppressWarnings("NullAway")
  public T createInstance() {
    return null;
  }

  @Override
  public T copy(T from) {
    return from;
  }

  @Override
  public T copy(T from, T reuse) {
    return from;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(T value, DataOutputView target) throws IOException {
    target.writeByte(codec.version());
    codec.write(value, target);
  }

  @Override
  public T deserialize(DataInputView source) throws IOException {
    int version = source.readUnsignedByte();
    if (version < 1 || version > codec.version()) {
      throw new IOException(
          "Cannot read a %s of version %d (expected: 1 to %d). A newer Tidemark wrote it."
              .formatted(codec.type().getSimpleName(), version, codec.version()));
    }
    return codec.read(version, source);
  }

  @Override
  public T deserialize(T reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CodecSerializer<?> that && codecClass.equals(that.codecClass);
  }

  @Override
  public int hashCode() {
    return codecClass.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<T> snapshotConfiguration() {
    return new CodecSerializerSnapshot<>(codec);
  }

  /** The job graph carries the class alone. */
  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    codec = CodecSerializerSnapshot.instantiate(codecClass);
  }
}
