package dev.tidemark.spark.merge;

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
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/** The functions on images that the statements of a merge call. */
final class ImageFunctions {
  /** {@code (op, after_image)} → the image; an update must say something of every column. */
  static final String WHOLE = "tidemark_whole_image";

  /** {@code collect_list(struct(cdc_ord, op, before_image, after_image))} → the folded row. */
  static final String FOLD = "tidemark_fold_images";

  /** {@code (column, text)} → the text, if the column's type holds all that it says. */
  static final String EXACT = "tidemark_exact_text";

  private ImageFunctions() {}

  /** Makes them known to the session, for one base table. */
  static void register(SparkSession spark, ImageShape shape, List<NestedField> values) {
    spark.udf().register(WHOLE, whole(shape), DataTypes.StringType);
    spark.udf().register(FOLD, fold(shape), foldedType());
    spark.udf().register(EXACT, exact(values), DataTypes.StringType);
  }

  private static UDF2<String, String, String> exact(List<NestedField> values) {
    HashMap<String, NestedField> columns = new HashMap<>();
    values.forEach(column -> columns.put(column.name(), column));
    return (column, text) ->
        text == null ? null : ExactText.checked(Objects.requireNonNull(columns.get(column)), text);
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

  private static UDF1<scala.collection.Seq<Row>, Row> fold(ImageShape shape) {
    return changes -> {
      List<ImageFold.Change> list = new ArrayList<>();
      for (Row row : scala.jdk.javaapi.CollectionConverters.asJava(changes)) {
        list.add(
            new ImageFold.Change(
                row.getString(0), row.getString(1), row.getString(2), row.getString(3)));
      }
      ImageFold.Folded folded = new ImageFold(shape).fold(list);
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
