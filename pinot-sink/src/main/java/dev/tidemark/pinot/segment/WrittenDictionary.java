package dev.tidemark.pinot.segment;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.apache.pinot.segment.local.io.util.VarLengthValueWriter;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentDictionaryCreator;
import org.apache.pinot.segment.local.segment.index.dictionary.DictionaryIndexType;
import org.apache.pinot.spi.data.FieldSpec;

/**
 * A dictionary that is on the disk already. Pinot asks it for the size of its entries alone: the
 * ids of values are known without it.
 */
final class WrittenDictionary extends SegmentDictionaryCreator {
  private static final int BUFFER_BYTES = 1 << 16;

  private final int bytesPerEntry;

  private WrittenDictionary(
      FieldSpec spec, File directory, boolean isVarLength, int bytesPerEntry) {
    super(spec, directory, isVarLength);
    this.bytesPerEntry = bytesPerEntry;
  }

  /** Writes the distinct numbers of a column, big-endian. */
  static WrittenDictionary ofNumbers(ColumnBuffer column, Ranking ranking, File directory)
      throws IOException {
    try (OutputStream out = open(column.spec(), directory)) {
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
      boolean isInt = column.storedType().size() == Integer.BYTES;
      for (int entry : ranking.entryOf()) {
        if (buffer.remaining() < Long.BYTES) {
          out.write(buffer.array(), 0, buffer.position());
          buffer.clear();
        }
        if (isInt) {
          buffer.putInt(column.ints().get(entry));
        } else {
          buffer.putLong(column.longs().get(entry));
        }
      }
      out.write(buffer.array(), 0, buffer.position());
    }
    return new WrittenDictionary(column.spec(), directory, false, 0);
  }

  /**
   * Writes the distinct byte strings of a column, each as long as the longest, with zeros behind.
   */
  static WrittenDictionary ofFixedLength(
      ColumnBuffer column, Ranking ranking, int longest, File directory) throws IOException {
    ByteValues values = column.bytes();
    try (OutputStream out = open(column.spec(), directory)) {
      byte[] zeros = new byte[longest];
      byte[] buffer = new byte[Math.max(BUFFER_BYTES, longest)];
      int used = 0;
      for (int entry : ranking.entryOf()) {
        if (buffer.length - used < longest) {
          out.write(buffer, 0, used);
          used = 0;
        }
        long reference = values.reference(entry);
        int length = BytePages.length(reference);
        byte[] page = values.pages().page(reference);
        System.arraycopy(page, BytePages.offset(reference), buffer, used, length);
        System.arraycopy(zeros, 0, buffer, used + length, longest - length);
        used += longest;
      }
      out.write(buffer, 0, used);
    }
    return new WrittenDictionary(column.spec(), directory, false, longest);
  }

  /** Writes the distinct byte strings of a column with their offsets. */
  static WrittenDictionary ofVarLength(
      ColumnBuffer column, Ranking ranking, int longest, File directory) throws IOException {
    ByteValues values = column.bytes();
    File file = file(column.spec(), directory);
    try (VarLengthValueWriter writer = new VarLengthValueWriter(file, ranking.cardinality())) {
      for (int entry : ranking.entryOf()) {
        writer.add(values.pages().copy(values.reference(entry)));
      }
    }
    return new WrittenDictionary(column.spec(), directory, true, longest);
  }

  @Override
  public int getNumBytesPerEntry() {
    return bytesPerEntry;
  }

  private static OutputStream open(FieldSpec spec, File directory) throws IOException {
    return Files.newOutputStream(file(spec, directory).toPath());
  }

  private static File file(FieldSpec spec, File directory) {
    return new File(directory, spec.getName() + DictionaryIndexType.getFileExtension());
  }
}
