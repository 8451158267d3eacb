package dev.tidemark.spark.table;

import dev.tidemark.pipeline.ledger.LedgerSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types.NestedField;

/**
 * The columns of a base table: the key and the values as in the source, and what the merge keeps.
 *
 * <pre>
 * key columns, values    as in the source; every value optional
 * pk_hash          long         only if the table has it: the bucket column of a composite key
 * cdc_ord          string       the order of the change that made the row
 * cdc_source_time  timestamptz  the database's time of that change
 * cdc_deleted      boolean      a tombstone: the row was deleted, its values are null; or, if it got
 *                               another key by a change that left columns out, what they were
 * </pre>
 *
 * <p>Deleted rows stay as tombstones, since only they can stop an older change of the same key that
 * arrives later. Readers use a view that leaves them out; maintenance removes them once no older
 * change can arrive any more.
 *
 * @param key in the order of the ledger
 * @param values the other columns of the source
 * @param hasKeyHash whether there is a {@code pk_hash}
 */
public record BaseColumns(List<NestedField> key, List<NestedField> values, boolean hasKeyHash) {
  public static final String CDC_ORD = "cdc_ord";
  public static final String SOURCE_TIME = "cdc_source_time";
  public static final String DELETED = "cdc_deleted";
  public static final String PK_HASH = "pk_hash";

  private static final Set<String> KEPT = Set.of(CDC_ORD, SOURCE_TIME, DELETED, PK_HASH);

  private static final Set<String> LEDGER =
      Set.of(
          LedgerSchema.EVENT_TIME,
          LedgerSchema.SOURCE_TIME,
          LedgerSchema.OP,
          LedgerSchema.PK_HASH,
          LedgerSchema.BEFORE_IMAGE,
          LedgerSchema.AFTER_IMAGE,
          LedgerSchema.CDC_ORD,
          LedgerSchema.SNAPSHOT,
          LedgerSchema.RESENT,
          LedgerSchema.KAFKA_TOPIC,
          LedgerSchema.KAFKA_PARTITION,
          LedgerSchema.KAFKA_OFFSET,
          LedgerSchema.KEY_CHANGED);

  public BaseColumns {
    key = List.copyOf(key);
    values = List.copyOf(values);
  }

  /**
   * The columns of a base table that fits a ledger.
   *
   * @throws IllegalArgumentException when it does not fit; the message says what to change
   */
  public static BaseColumns of(String baseName, Schema base, Schema ledger) {
    List<NestedField> key = new ArrayList<>();
    for (String name : keyNames(ledger)) {
      key.add(keyField(baseName, base, ledger.findField(name)));
    }
    if (key.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot merge into "
              + baseName
              + ": its ledger has no key column (expected: a primary"
              + " key; changes of a table without one cannot be merged)");
    }
    for (String kept : List.of(CDC_ORD, SOURCE_TIME, DELETED)) {
      NestedField ours = base.findField(kept);
      if (ours == null || ours.isRequired()) {
        throw missing(baseName, kept);
      }
    }
    for (String name : LEDGER) {
      if (ledger.findField(name) == null) {
        throw new IllegalArgumentException(
            "Cannot merge into %s: its ledger has no column %s (expected: the columns of LedgerSchema). A ledger that an older version made gets it by ALTER TABLE … ADD COLUMN"
                .formatted(baseName, name));
      }
    }
    List<NestedField> values = new ArrayList<>();
    for (NestedField field : base.columns()) {
      if (!KEPT.contains(field.name()) && !contains(key, field.name())) {
        values.add(checkedValue(baseName, field));
      }
    }
    return new BaseColumns(key, values, base.findField(PK_HASH) != null);
  }

  /** Whether a column is one that the merge keeps, beside those of the source. */
  public static boolean isKept(String name) {
    return KEPT.contains(name);
  }

  /** The names of a ledger's key columns, in the order of the key. */
  public static List<String> keyNames(Schema ledger) {
    return ledger.columns().stream()
        .map(NestedField::name)
        .filter(name -> !LEDGER.contains(name))
        .toList();
  }

  /** The columns that identify a row in SQL: the hash first, where the base has one. */
  public List<String> identity() {
    List<String> names = new ArrayList<>();
    if (hasKeyHash) {
      names.add(PK_HASH);
    }
    key.forEach(field -> names.add(field.name()));
    return names;
  }

  /** The columns that the source has too: the key, then the values. */
  public List<NestedField> ofTheSource() {
    List<NestedField> all = new ArrayList<>(key);
    all.addAll(values);
    return all;
  }

  /** The names of the values. */
  public List<String> valueNames() {
    return values.stream().map(NestedField::name).toList();
  }

  private static NestedField keyField(String baseName, Schema base, NestedField ledgerField) {
    NestedField field = base.findField(ledgerField.name());
    if (field == null || !field.type().equals(ledgerField.type())) {
      throw new IllegalArgumentException(
          "Cannot merge into %s: key column %s is %s (expected: %s, as in the ledger)"
              .formatted(
                  baseName,
                  ledgerField.name(),
                  field == null ? "missing" : field.type(),
                  ledgerField.type()));
    }
    return field;
  }

  private static NestedField checkedValue(String baseName, NestedField field) {
    if (field.isRequired()) {
      throw new IllegalArgumentException(
          "Cannot merge into %s: column %s is required (expected: optional, since the tombstone of a deleted row has no values)"
              .formatted(baseName, field.name()));
    }
    return field;
  }

  private static boolean contains(List<NestedField> fields, String name) {
    return fields.stream().anyMatch(field -> field.name().equals(name));
  }

  private static IllegalArgumentException missing(String baseName, String column) {
    return new IllegalArgumentException(
        "Cannot merge into %s: it has no optional column %s (expected: cdc_ord string, cdc_source_time timestamptz, cdc_deleted boolean beside the source's columns)"
            .formatted(baseName, column));
  }
}
