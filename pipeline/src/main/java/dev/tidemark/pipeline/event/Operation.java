package dev.tidemark.pipeline.event;

/** What happened to a row, or with {@link #TRUNCATE} to a whole table. */
public enum Operation {
  INSERT("I"),
  UPDATE("U"),
  DELETE("D"),
  /** A row read by a snapshot: the state at some moment, not a change. */
  SNAPSHOT("R"),
  /** All rows of the table are gone: no key and no images. */
  TRUNCATE("T");

  private final String code;

  Operation(String code) {
    this.code = code;
  }

  /** The one letter that the ledger's {@code op} column holds. */
  public String code() {
    return code;
  }

  /**
   * The operation of a ledger code.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static Operation ofCode(String code) {
    for (Operation operation : values()) {
      if (operation.code.equals(code)) {
        return operation;
      }
    }
    throw new IllegalArgumentException(
        "Invalid ledger operation: \"" + code + "\" (expected: one of I, U, D, R, T)");
  }
}
