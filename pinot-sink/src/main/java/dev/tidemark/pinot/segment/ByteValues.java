package dev.tidemark.pinot.segment;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A growing list of byte strings. A coded list keeps equal strings once, as entries, and a number
 * of an entry per value. When most values turn out to be distinct it stops looking for equal ones:
 * from then on entries may be equal. A plain list has one entry per value. Not thread-safe.
 */
final class ByteValues {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int FIRST_SLOTS = 64;
  private static final int ENTRIES_BEFORE_GIVING_UP = 1 << 15;

  private final BytePages pages = new BytePages();
  private final LongValues entries = new LongValues();
  private final @Nullable IntValues numbers;
  private long @Nullable [] slots;
  private long totalBytes;

  private ByteValues(@Nullable IntValues numbers) {
    this.numbers = numbers;
    this.slots = numbers == null ? null : new long[FIRST_SLOTS];
  }

  static ByteValues coded() {
    return new ByteValues(new IntValues());
  }

  static ByteValues plain() {
    return new ByteValues(null);
  }

  boolean isCoded() {
    return numbers != null;
  }

  void add(byte[] value) {
    if (numbers == null) {
      newEntry(value);
    } else {
      numbers.add(slots == null ? newEntry(value) : entry(slots, value));
    }
  }

  int size() {
    return numbers == null ? entries.size() : numbers.size();
  }

  int entryCount() {
    return entries.size();
  }

  /** The entry of a value. */
  int entryOf(int index) {
    return numbers == null ? index : numbers.get(index);
  }

  /** Whether no two entries are equal. */
  boolean isDistinct() {
    return slots != null;
  }

  long reference(int entry) {
    return entries.get(entry);
  }

  BytePages pages() {
    return pages;
  }

  /** A copy of a value. */
  byte[] get(int index) {
    return pages.copy(entries.get(entryOf(index)));
  }

  /** Bytes of heap that the list takes. */
  long sizeBytes() {
    return pages.sizeBytes()
        + entries.sizeBytes()
        + (numbers == null ? 0 : numbers.sizeBytes())
        + (slots == null ? 0 : (long) slots.length * Long.BYTES);
  }

  /** Bytes that {@link #writeTo} writes. */
  long encodedBytes() {
    return 1
        + Integer.BYTES
        + (long) entries.size() * Integer.BYTES
        + totalBytes
        + (numbers == null ? 0 : numbers.encodedBytes());
  }

  void writeTo(DataOutput out) throws IOException {
    out.writeBoolean(numbers != null);
    out.writeInt(entries.size());
    for (int entry = 0; entry < entries.size(); entry++) {
      long reference = entries.get(entry);
      int length = BytePages.length(reference);
      out.writeInt(length);
      out.write(pages.page(reference), BytePages.offset(reference), length);
    }
    if (numbers != null) {
      numbers.writeTo(out);
    }
  }

  /** Reads values, coded or plain however they were written. */
  static ByteValues readFrom(DataInput in, boolean coded) throws IOException {
    ByteValues values = coded ? coded() : plain();
    boolean codedThere = in.readBoolean();
    byte[][] entries = new byte[in.readInt()][];
    for (int entry = 0; entry < entries.length; entry++) {
      entries[entry] = new byte[in.readInt()];
      in.readFully(entries[entry]);
      if (!codedThere) {
        values.add(entries[entry]);
      }
    }
    if (codedThere) {
      IntValues numbers = IntValues.readFrom(in);
      for (int i = 0; i < numbers.size(); i++) {
        values.add(entries[numbers.get(i)]);
      }
    }
    return values;
  }

  private int newEntry(byte[] value) {
    entries.add(pages.add(value, 0, value.length));
    totalBytes += value.length;
    return entries.size() - 1;
  }

  private int entry(long[] table, byte[] value) {
    int hash = hash(value);
    int mask = table.length - 1;
    int slot = hash & mask;
    for (long found = table[slot]; found != 0; found = table[slot]) {
      int entry = (int) found - 1;
      if ((int) (found >>> 32) == hash && isEqual(entry, value)) {
        return entry;
      }
      slot = (slot + 1) & mask;
    }
    int entry = newEntry(value);
    table[slot] = ((long) hash << 32) | (entry + 1);
    if (entries.size() * 2 > table.length) {
      grow(table);
    }
    return entry;
  }

  private boolean isEqual(int entry, byte[] value) {
    long reference = entries.get(entry);
    if (BytePages.length(reference) != value.length) {
      return false;
    }
    int offset = BytePages.offset(reference);
    return Arrays.equals(
        pages.page(reference), offset, offset + value.length, value, 0, value.length);
  }

  private void grow(long[] table) {
    boolean mostAreDistinct = entries.size() * 2L > size();
    if (entries.size() >= ENTRIES_BEFORE_GIVING_UP && mostAreDistinct) {
      slots = null;
      return;
    }
    long[] larger = new long[table.length * 2];
    int mask = larger.length - 1;
    for (long content : table) {
      if (content != 0) {
        int slot = (int) (content >>> 32) & mask;
        while (larger[slot] != 0) {
          slot = (slot + 1) & mask;
        }
        larger[slot] = content;
      }
    }
    slots = larger;
  }

  private static int hash(byte[] value) {
    return (int) (hash64(value, 0, value.length) >>> 32);
  }

  /** A 64-bit hash of part of an array, good in all of its bits. */
  static long hash64(byte[] bytes, int offset, int length) {
    long hash = length * 0x9E3779B97F4A7C15L;
    int at = offset;
    int end = offset + length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      hash = mix(hash ^ (long) LONG.get(bytes, at));
    }
    long rest = 0;
    for (; at < end; at++) {
      rest = rest << 8 | (bytes[at] & 0xFF);
    }
    return mix(hash ^ rest);
  }

  /** Spreads the bits of a number, reversibly. */
  static long mix(long value) {
    long mixed = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 32);
  }
}
