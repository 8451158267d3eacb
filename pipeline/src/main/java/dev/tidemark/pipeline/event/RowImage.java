package dev.tidemark.pipeline.event;

import dev.tidemark.pipeline.json.JsonText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row, or a part of it, as ordered columns. A column is in one of three states: a value, null, or
 * <em>unavailable</em>: the source did not say what it holds (a minimal row image, a TOAST
 * placeholder). Unavailable is not null: whoever merges keeps what the target has.
 *
 * <p>Values are {@code Boolean, Long, BigInteger, BigDecimal, Float, Double, String, ByteBuffer,
 * LocalDate, Duration} (a time of day or a longer span), {@code LocalDateTime, Instant} and {@link
 * dev.tidemark.pipeline.json.RawJson}. Immutable as long as nobody moves a buffer's position.
 */
public final class RowImage {
  private final Map<String, @Nullable Object> values;
  private final Set<String> unavailable;

  private RowImage(Map<String, @Nullable Object> values, Set<String> unavailable) {
    this.values = values;
    this.unavailable = unavailable;
  }

  /** An image of these columns, in this order, with nothing unavailable. */
  public static RowImage of(Map<String, ? extends @Nullable Object> values) {
    return of(values, Set.of());
  }

  /**
   * An image of these columns, in this order.
   *
   * @throws IllegalArgumentException when a column is both there and unavailable
   */
  public static RowImage of(
      Map<String, ? extends @Nullable Object> values, Set<String> unavailable) {
    for (String name : unavailable) {
      if (values.containsKey(name)) {
        throw new IllegalArgumentException(
            "Column " + name + ": both a value and unavailable (expected: one of them)");
      }
    }
    return new RowImage(
        Collections.unmodifiableMap(new LinkedHashMap<String, @Nullable Object>(values)),
        Collections.unmodifiableSet(new LinkedHashSet<>(unavailable)));
  }

  /** The columns with a known value, null included, in the order of the source. */
  public Map<String, @Nullable Object> values() {
    return values;
  }

  /** The columns whose value the source did not give. */
  public Set<String> unavailable() {
    return unavailable;
  }

  /** Whether the column's value is known; a known null counts. */
  public boolean has(String column) {
    return values.containsKey(column);
  }

  /** The value; null when it is null, unavailable or no column at all (see {@link #has}). */
  public @Nullable Object value(String column) {
    return values.get(column);
  }

  /**
   * The image as one JSON object in the order of its columns, exact: decimals as strings with their
   * scale, bytes as base64, dates and times as ISO text; unavailable columns are left out.
   */
  public String toJson() {
    return JsonText.of(values);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RowImage that
        && values.equals(that.values)
        && unavailable.equals(that.unavailable);
  }

  @Override
  public int hashCode() {
    return 31 * values.hashCode() + unavailable.hashCode();
  }

  @Override
  public String toString() {
    return unavailable.isEmpty() ? toJson() : toJson() + " unavailable " + unavailable;
  }
}
