package dev.tidemark.pipeline.codec;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * The Flink type of what a {@link ByteCodec} writes; no key, since it has no fields to group by.
 */
public final class CodecTypeInfo<T> extends TypeInformation<T> {
  private static final long serialVersionUID = 1L;

  private final CodecSerializer<T> serializer;

  private CodecTypeInfo(CodecSerializer<T> serializer) {
    this.serializer = serializer;
  }

  public static <T> CodecTypeInfo<T> of(ByteCodec<T> codec) {
    return new CodecTypeInfo<>(new CodecSerializer<>(codec));
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<T> getTypeClass() {
    return serializer.codec().type();
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer;
  }

  @Override
  public String toString() {
    return "CodecTypeInfo<" + getTypeClass().getSimpleName() + ">";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CodecTypeInfo<?> that && serializer.equals(that.serializer);
  }

  @Override
  public int hashCode() {
    return serializer.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof CodecTypeInfo;
  }
}
