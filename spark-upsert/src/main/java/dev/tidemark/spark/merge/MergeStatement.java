package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of a merge. The source never reads {@code cdc_event_time}: with it the ledger's scan
 * would be grouped by hour too, and the join would need a shuffle.
 *
 * @param base the table to merge into
 * @param columns its columns
 * @param increment the view of the ledger's increment
 * @param floor changes at or below it are left out; null for none
 * @param truncated whether {@code floor} is that of a TRUNCATE in this increment: older rows go
 */
record MergeStatement(
    TableName base,
    BaseColumns columns,
    String increment,
    @Nullable String floor,
    boolean truncated) {

  /**
   * A change that is sent again has its old place in the source, and a later one in Kafka: it is no
   * news. Rows that snapshots read all have one place; there the later one counts.
   */
  private static final String IS_NEWER =
      "s.cdc_ord > t.cdc_ord AND (%1$s > %2$s OR %1$s = '%3$s')"
          .formatted(
              placeOf("s.cdc_ord"), placeOf("t.cdc_ord"), "0".repeat(ChangeOrder.PLACE_DIGITS));

  /** The place in the source of a change, from the column with its order. */
  static String placeOf(String cdcOrd) {
    return "substr(" + cdcOrd + ", 1, " + ChangeOrder.PLACE_DIGITS + ")";
  }

  /** The same over another view of the increment. */
  MergeStatement reading(String view) {
    return new MergeStatement(base, columns, view, floor, truncated);
  }

  /** Takes the latest change of each key; an update that leaves columns out fails the statement. */
  String latest(boolean baseIsEmpty) {
    return baseIsEmpty
        ? insert(latestSource(), this::latestValue)
        : merge(latestSource(), this::latestValue, this::latestValue);
  }

  /** Folds all changes of each key: for increments with updates that leave columns out. */
  String folded(boolean baseIsEmpty) {
    return baseIsEmpty
        ? insert(foldedSource(), this::foldedInserted)
        : merge(foldedSource(), this::foldedMatched, this::foldedInserted);
  }

  /**
   * The greatest order of a TRUNCATE in the increment, or null. Reads the rows without a key.
   *
   * @param ignored a TRUNCATE that counts no more, nor does any before it, also where it was sent
   *     again; null if there is none
   */
  String lastTruncate(@Nullable String ignored) {
    String later =
        ignored == null
            ? ""
            : " AND %s > %s".formatted(placeOf("cdc_ord"), placeOf("'" + ignored + "'"));
    return "SELECT max(cdc_ord) FROM %s WHERE op = 'T' AND %s IS NULL%s%s"
        .formatted(increment, quoted(columns.identity().get(0)), aboveFloor(), later);
  }

  private String merge(String source, IntFunction<String> matched, IntFunction<String> inserted) {
    return """
        MERGE INTO %s t USING (%s) s ON %s
        WHEN MATCHED AND (t.cdc_ord IS NULL OR %s) THEN UPDATE SET %s
        WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)%s"""
        .formatted(
            base.sql(),
            source,
            columns.identity().stream()
                .map(name -> "t." + quoted(name) + " = s." + quoted(name))
                .collect(Collectors.joining(" AND ")),
            IS_NEWER,
            assignments(matched),
            String.join(", ", insertedNames()),
            String.join(", ", insertedValues(inserted)),
            truncated ? "\nWHEN NOT MATCHED BY SOURCE AND " + isTruncated() + " THEN DELETE" : "");
  }

  /** What the merge comes to where no row can match: without a join. */
  private String insert(String source, IntFunction<String> inserted) {
    return "INSERT INTO %s (%s) SELECT %s FROM (%s) s"
        .formatted(
            base.sql(),
            String.join(", ", insertedNames()),
            String.join(", ", insertedValues(inserted)),
            source);
  }

  private String isTruncated() {
    return "(t.cdc_ord IS NULL OR t.cdc_ord < '" + floor + "')";
  }

  private String assignments(IntFunction<String> matched) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < columns.values().size(); i++) {
      all.add("t." + quoted(valueName(i)) + " = " + matched.apply(i));
    }
    for (String kept : kept()) {
      all.add("t." + kept + " = s." + kept);
    }
    return String.join(", ", all);
  }

  private List<String> insertedNames() {
    List<String> names =
        new ArrayList<>(columns.identity().stream().map(MergeStatement::quoted).toList());
    columns.valueNames().forEach(name -> names.add(quoted(name)));
    names.addAll(kept());
    return names;
  }

  private List<String> insertedValues(IntFunction<String> inserted) {
    List<String> values = new ArrayList<>();
    columns.identity().forEach(name -> values.add("s." + quoted(name)));
    IntStream.range(0, columns.values().size()).mapToObj(inserted).forEach(values::add);
    kept().forEach(name -> values.add("s." + name));
    return values;
  }

  private static List<String> kept() {
    return List.of(BaseColumns.CDC_ORD, BaseColumns.SOURCE_TIME, BaseColumns.DELETED);
  }

  private String latestSource() {
    String values =
        columns.values().stream()
            .map(
                field ->
                    ", "
                        + TextCast.sql(base, "tidemark_v." + quoted(field.name()), field)
                        + " AS "
                        + quoted(field.name()))
            .collect(Collectors.joining());
    String parsed =
        columns.values().isEmpty()
            ? ""
            : ", from_json(%s(op, after_image), '%s', map('mode', 'FAILFAST')) AS tidemark_v"
                .formatted(ImageFunctions.WHOLE, imageSchema());
    return """
        SELECT %1$s, cdc_ord, cdc_source_time, op = 'D' AS cdc_deleted%2$s
        FROM (SELECT *%3$s FROM (
        SELECT %1$s, op, after_image, cdc_ord, cdc_source_time,
        row_number() OVER (PARTITION BY %1$s ORDER BY cdc_ord DESC) AS tidemark_place
        FROM %4$s) WHERE tidemark_place = 1)"""
        .formatted(identity(), values, parsed, changes());
  }

  private String foldedSource() {
    return """
        SELECT %1$s, tidemark_latest.cdc_ord AS cdc_ord, tidemark_latest.cdc_source_time AS cdc_source_time,
        tidemark_f.deleted AS cdc_deleted, tidemark_f
        FROM (SELECT %1$s, max(struct(cdc_ord, cdc_source_time)) AS tidemark_latest,
        %2$s(collect_list(struct(cdc_ord, op, before_image, after_image, cdc_key_changed))) AS tidemark_f
        FROM %3$s GROUP BY %1$s)"""
        .formatted(identity(), ImageFunctions.FOLD, changes());
  }

  /** The changes of rows, without those that change nothing. */
  private String changes() {
    return "(SELECT * FROM %s WHERE %s IS NOT NULL AND op <> '%s'%s)"
        .formatted(increment, quoted(columns.identity().get(0)), "T", aboveFloor());
  }

  private String aboveFloor() {
    return floor == null ? "" : " AND " + LedgerSchema.CDC_ORD + " > '" + floor + "'";
  }

  private String latestValue(int i) {
    return "s." + quoted(valueName(i));
  }

  private String foldedMatched(int i) {
    String gone = truncated ? "(t.cdc_deleted OR " + isTruncated() + ")" : "t.cdc_deleted";
    return "CASE WHEN s.tidemark_f.known[%d] THEN %s WHEN %s THEN %s ELSE t.%s END"
        .formatted(i, folded("texts", i), gone, folded("fallback", i), quoted(valueName(i)));
  }

  private String foldedInserted(int i) {
    return "CASE WHEN s.tidemark_f.known[%d] THEN %s ELSE %s END"
        .formatted(i, folded("texts", i), folded("fallback", i));
  }

  private String folded(String array, int i) {
    return TextCast.sql(base, "s.tidemark_f." + array + "[" + i + "]", columns.values().get(i));
  }

  private String imageSchema() {
    String ddl =
        columns.valueNames().stream()
            .map(name -> quoted(name) + " STRING")
            .collect(Collectors.joining(", "));
    return ddl.replace("\\", "\\\\").replace("'", "\\'");
  }

  private String identity() {
    return columns.identity().stream()
        .map(MergeStatement::quoted)
        .collect(Collectors.joining(", "));
  }

  private String valueName(int i) {
    NestedField field = columns.values().get(i);
    return field.name();
  }

  static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
