package dev.tidemark.pinot.segment;

import java.util.Arrays;

/**
 * Byte strings one behind the other in pages, each found again by a reference. A string never
 * crosses a page; one that is longer than a page gets a page of its own. Not thread-safe.
 */
final class BytePages {
  /** The longest string that a reference can name. */
  static final int MAX_LENGTH = (1 << 24) - 1;

  private static final int OFFSET_BITS = 18;
  private static final int PAGE_SIZE = 1 << OFFSET_BITS;
  private static final int LENGTH_BITS = 24;
  private static final int FIRST_SIZE = 512;

  private byte[][] pages = new byte[4][];
  private int pageCount;
  private byte[] page = new byte[0];
  private int pageIndex;
  private int used;
  private long sizeBytes;

  /** Copies the string. */
  long add(byte[] bytes, int offset, int length) {
    if (length > page.length - used || pageCount == 0) {
      if (length > PAGE_SIZE) {
        byte[] own = Arrays.copyOfRange(bytes, offset, offset + length);
        return reference(append(own), 0, length);
      }
      makeRoom(length);
    }
    System.arraycopy(bytes, offset, page, used, length);
    long reference = reference(pageIndex, used, length);
    used += length;
    return reference;
  }

  byte[] page(long reference) {
    return pages[(int) (reference >>> (OFFSET_BITS + LENGTH_BITS))];
  }

  static int offset(long reference) {
    return (int) (reference >>> LENGTH_BITS) & (PAGE_SIZE - 1);
  }

  static int length(long reference) {
    return (int) reference & MAX_LENGTH;
  }

  byte[] copy(long reference) {
    int offset = offset(reference);
    return Arrays.copyOfRange(page(reference), offset, offset + length(reference));
  }

  /** Bytes of heap that the pages take. */
  long sizeBytes() {
    return sizeBytes;
  }

  private static long reference(int page, int offset, int length) {
    return ((long) page << (OFFSET_BITS + LENGTH_BITS)) | ((long) offset << LENGTH_BITS) | length;
  }

  private void makeRoom(int length) {
    if (page.length > 0 && page.length < PAGE_SIZE && used + length <= PAGE_SIZE) {
      int before = page.length;
      page = Arrays.copyOf(page, grown(used + length));
      pages[pageIndex] = page;
      sizeBytes += page.length - before;
      return;
    }
    page = new byte[pageCount == 0 ? grown(length) : PAGE_SIZE];
    pageIndex = append(page);
    used = 0;
  }

  private int grown(int needed) {
    int size = Math.max(FIRST_SIZE, page.length * 2);
    while (size < needed) {
      size *= 2;
    }
    return Math.min(size, PAGE_SIZE);
  }

  private int append(byte[] newPage) {
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, pages.length * 2);
    }
    pages[pageCount] = newPage;
    sizeBytes += newPage.length;
    return pageCount++;
  }
}
