package dev.tidemark.pinot;

import java.io.Serializable;
import java.util.Locale;
import java.util.Objects;

/**
 * A Pinot table by its raw name and type. Immutable.
 *
 * @param rawName without the suffix of the type
 * @param type which of the tables of that name
 */
public record PinotTable(String rawName, Type type) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The two types of a table; a hybrid table is one of each under the same raw name. */
  public enum Type {
    OFFLINE,
    REALTIME
  }

  public PinotTable {
    Objects.requireNonNull(type, "type is null");
    if (rawName.isBlank()) {
      throw new IllegalArgumentException("Invalid table name: \"\" (expected: not blank)");
    }
  }

  /**
   * Reads a name that ends in {@code _OFFLINE} or {@code _REALTIME}.
   *
   * @throws IllegalArgumentException if it ends otherwise
   */
  public static PinotTable parse(String nameWithType) {
    for (Type type : Type.values()) {
      String suffix = "_" + type;
      if (nameWithType.toUpperCase(Locale.ROOT).endsWith(suffix)) {
        return new PinotTable(
            nameWithType.substring(0, nameWithType.length() - suffix.length()), type);
      }
    }
    throw new IllegalArgumentException(
        "Invalid table name: \"" + nameWithType + "\" (expected: NAME_OFFLINE or NAME_REALTIME)");
  }

  /** The name as the controller's segments and configs use it: {@code orders_REALTIME}. */
  public String nameWithType() {
    return rawName + "_" + type;
  }

  @Override
  public String toString() {
    return nameWithType();
  }
}
