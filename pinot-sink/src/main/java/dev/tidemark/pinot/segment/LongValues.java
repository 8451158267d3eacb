package dev.tidemark.pinot.segment;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A growing list of longs in pages, so that growing copies no more than one page. Not thread-safe.
 */
final class LongValues {
  private static final int PAGE_BITS = 13;
  private static final int PAGE_SIZE = 1 << PAGE_BITS;
  private static final int PAGE_MASK = PAGE_SIZE - 1;
  private static final int FIRST_SIZE = 64;

  private long[][] pages = {new long[FIRST_SIZE]};
  private long[] page = pages[0];
  private int pageStart;
  private int size;

  void add(long value) {
    int offset = size - pageStart;
    if (offset == page.length) {
      offset = makeRoom(offset);
    }
    page[offset] = value;
    size++;
  }

  long get(int index) {
    return pages[index >>> PAGE_BITS][index & PAGE_MASK];
  }

  int size() {
    return size;
  }

  /** Bytes of heap that the pages take. */
  long sizeBytes() {
    int full = pageStart >>> PAGE_BITS;
    return ((long) full * PAGE_SIZE + page.length) * Long.BYTES;
  }

  long[] toArray() {
    long[] all = new long[size];
    for (int from = 0; from < size; from += PAGE_SIZE) {
      System.arraycopy(pages[from >>> PAGE_BITS], 0, all, from, Math.min(PAGE_SIZE, size - from));
    }
    return all;
  }

  /** Bytes that {@link #writeTo} writes. */
  long encodedBytes() {
    return Integer.BYTES + (long) size * Long.BYTES;
  }

  void writeTo(DataOutput out) throws IOException {
    out.writeInt(size);
    byte[] chunk = new byte[Math.min(size, PAGE_SIZE) * Long.BYTES];
    for (int from = 0; from < size; from += PAGE_SIZE) {
      int count = Math.min(PAGE_SIZE, size - from);
      ByteBuffer.wrap(chunk).asLongBuffer().put(pages[from >>> PAGE_BITS], 0, count);
      out.write(chunk, 0, count * Long.BYTES);
    }
  }

  static LongValues readFrom(DataInput in) throws IOException {
    LongValues values = new LongValues();
    int size = in.readInt();
    byte[] chunk = new byte[Math.min(size, PAGE_SIZE) * Long.BYTES];
    for (int from = 0; from < size; from += PAGE_SIZE) {
      int count = Math.min(PAGE_SIZE, size - from);
      in.readFully(chunk, 0, count * Long.BYTES);
      ByteBuffer bytes = ByteBuffer.wrap(chunk);
      for (int i = 0; i < count; i++) {
        values.add(bytes.getLong());
      }
    }
    return values;
  }

  private int makeRoom(int offset) {
    if (page.length < PAGE_SIZE) {
      page = Arrays.copyOf(page, page.length * 2);
      pages[pageStart >>> PAGE_BITS] = page;
      return offset;
    }
    int next = size >>> PAGE_BITS;
    if (next == pages.length) {
      pages = Arrays.copyOf(pages, pages.length * 2);
    }
    page = new long[PAGE_SIZE];
    pages[next] = page;
    pageStart = size;
    return 0;
  }
}
