package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.event.ChangeOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.api.java.UDF3;
import org.apache.spark.sql.api.java.UDF4;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/** The functions on images that the statements of a merge call. */
final class ImageFunctions {
  /** {@code (op, after_image)} → the image; an update must say something of every column. */
  static final String WHOLE = "tidemark_whole_image";

  /**
   * {@code collect_list(struct(cdc_ord, op, before_image, after_image, cdc_key_changed))} → the
   * folded row.
   */
  static final String FOLD = "tidemark_fold_images";

  /** {@code (table, column, text)} → the text, if the column's type holds all that it says. */
  static final String EXACT = "tidemark_exact_text";

  /** {@code (table, column, text)} → fails: it is no value of the column's type; null for null. */
  static final String REFUSED = "tidemark_refused_text";

  /**
   * {@code (op, before_image, after_image)} → whether the image leaves columns out: that of a
   * DELETE is the one before it.
   */
  static final String PARTIAL_IMAGE = "tidemark_partial_image";

  /** {@code cdc_ord} → the place of the change before it in its transaction. */
  static final String PREVIOUS_PLACE = "tidemark_previous_place";

  /**
   * {@code (after_image, cdc_ord, collect_set(struct(key, change as for FOLD)),
   * collect_set(struct(key, cdc_ord, cdc_deleted, array of texts)))} → see {@link OldRows}.
   */
  static final String COMPLETE = "tidemark_complete_image";

  private ImageFunctions() {}

  /** Makes them known to the session, for one base table. */
  static void register(SparkSession spark, ImageShape shape, List<NestedField> values) {
    spark.udf().register(WHOLE, whole(shape), DataTypes.StringType);
    spark.udf().register(FOLD, fold(shape), foldedType());
    HashMap<String, NestedField> columns = new HashMap<>();
    values.forEach(column -> columns.put(column.name(), column));
    spark.udf().register(EXACT, exact(columns), DataTypes.StringType);
    spark.udf().register(REFUSED, refused(columns), DataTypes.StringType);
    spark.udf().register(PARTIAL_IMAGE, partialImage(shape), DataTypes.BooleanType);
    spark.udf().register(PREVIOUS_PLACE, previousPlace(), DataTypes.StringType);
    spark.udf().register(COMPLETE, complete(shape), completedType());
  }

  private static UDF3<String, String, String, String> exact(HashMap<String, NestedField> columns) {
    return (table, column, text) ->
        text == null ? null : ExactText.checked(table, column(columns, column), text);
  }

  private static UDF3<String, String, String, String> refused(
      HashMap<String, NestedField> columns) {
    return (table, column, text) -> {
      if (text == null) {
        return null;
      }
      throw ExactText.refused(table, column(columns, column), text);
    };
  }

  private static NestedField column(HashMap<String, NestedField> columns, String name) {
    return Objects.requireNonNull(columns.get(name));
  }

  private static UDF2<String, String, String> whole(ImageShape shape) {
    return (op, image) -> checked(shape, op, image);
  }

  private static @Nullable String checked(ImageShape shape, String op, @Nullable String image) {
    if (op.equals("D")) {
      return null;
    }
    if (image == null) {
      throw new IllegalArgumentException(
          "Cannot merge: a change of operation " + op + " without an after image");
    }
    if (!shape.isWhole(image) && op.equals("U")) {
      throw new PartialImageException(image);
    }
    return image;
  }

  private static UDF3<String, String, String, Boolean> partialImage(ImageShape shape) {
    return (op, before, after) -> {
      String image = op.equals("D") ? before : after;
      return image == null || !shape.isWhole(image);
    };
  }

  private static UDF1<String, String> previousPlace() {
    return cdcOrd -> ChangeOrder.parse(cdcOrd).previousPlace();
  }

  private static UDF4<String, String, scala.collection.Seq<Row>, scala.collection.Seq<Row>, Row>
      complete(ImageShape shape) {
    return (image, cdcOrd, changes, rows) -> {
      List<OldRows.Event> events = new ArrayList<>();
      for (Row row : list(changes)) {
        events.add(OldRows.Event.of(row.getString(0), change(row, 1)));
      }
      for (Row row : list(rows)) {
        @Nullable String[] texts = row.getList(3).toArray(new String[0]);
        OldRows.BaseRow base = new OldRows.BaseRow(row.getString(1), row.getBoolean(2), texts);
        events.add(OldRows.Event.of(row.getString(0), base));
      }
      OldRows.Completed completed = new OldRows(shape).complete(image, cdcOrd, events);
      return RowFactory.create(completed.image(), completed.unknown());
    };
  }

  private static DataType completedType() {
    return DataTypes.createStructType(
        new StructField[] {
          DataTypes.createStructField("image", DataTypes.StringType, false),
          DataTypes.createStructField("unknown", DataTypes.IntegerType, false)
        });
  }

  private static List<Row> list(scala.collection.@Nullable Seq<Row> rows) {
    return rows == null ? List.of() : scala.jdk.javaapi.CollectionConverters.asJava(rows);
  }

  /** A change, whose columns begin at a place of a row. */
  private static ImageFold.Change change(Row row, int at) {
    return new ImageFold.Change(
        row.getString(at),
        row.getString(at + 1),
        row.getString(at + 2),
        row.getString(at + 3),
        !row.isNullAt(at + 4) && row.getBoolean(at + 4));
  }

  private static UDF1<scala.collection.Seq<Row>, Row> fold(ImageShape shape) {
    return changes -> {
      ImageFold.Folded folded =
          new ImageFold(shape).fold(list(changes).stream().map(row -> change(row, 0)).toList());
      return RowFactory.create(
          folded.deleted(), folded.texts(), boxed(folded.known()), folded.fallback());
    };
  }

  private static Boolean[] boxed(boolean[] values) {
    Boolean[] boxed = new Boolean[values.length];
    for (int i = 0; i < values.length; i++) {
      boxed[i] = values[i];
    }
    return boxed;
  }

  private static DataType foldedType() {
    DataType texts = DataTypes.createArrayType(DataTypes.StringType, true);
    DataType flags = DataTypes.createArrayType(DataTypes.BooleanType, false);
    return DataTypes.createStructType(
        new StructField[] {
          DataTypes.createStructField("deleted", DataTypes.BooleanType, false),
          DataTypes.createStructField("texts", texts, false),
          DataTypes.createStructField("known", flags, false),
          DataTypes.createStructField("fallback", texts, false)
        });
  }
}
