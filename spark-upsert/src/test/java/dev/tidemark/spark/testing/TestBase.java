package dev.tidemark.spark.testing;

import dev.tidemark.spark.table.TableName;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;

/** A base table of orders: id, state, amount. */
public final class TestBase {
  private final TableName name;

  private TestBase(TableName name) {
    this.name = name;
  }

  /** Creates one. */
  public static TestBase create(TestLake lake, String table, int buckets, String mode) {
    TableName name = lake.table(table);
    TestSession.get()
        .sql(
            """
            CREATE TABLE %s (id BIGINT, state STRING, amount DECIMAL(10, 2),
            cdc_ord STRING, cdc_source_time TIMESTAMP, cdc_deleted BOOLEAN)
            USING iceberg PARTITIONED BY (bucket(%d, id))
            TBLPROPERTIES ('format-version'='2', 'write.merge.mode'='%s')"""
                .formatted(name.sql(), buckets, mode));
    return new TestBase(name);
  }

  public TableName name() {
    return name;
  }

  /** Adds rows as a table has them that got the columns of a merge by ALTER TABLE. */
  public void addByHand(List<Long> ids, String state, String amount) {
    String rows =
        ids.stream()
            .map(id -> "(%d, '%s', %s, NULL, NULL, NULL)".formatted(id, state, amount))
            .collect(Collectors.joining(", "));
    TestSession.get().sql("INSERT INTO " + name.sql() + " VALUES " + rows);
  }

  /** The rows that are not deleted: {@code id=state/amount}. */
  public TreeMap<Long, String> rows() {
    return read("NOT coalesce(cdc_deleted, false)");
  }

  /** How many tombstones there are. */
  public int tombstones() {
    return read("cdc_deleted").size();
  }

  private TreeMap<Long, String> read(String condition) {
    TreeMap<Long, String> rows = new TreeMap<>();
    List<Row> found =
        TestSession.get()
            .sql("SELECT id, state, amount FROM " + name.sql() + " WHERE " + condition)
            .collectAsList();
    for (Row row : found) {
      String before = rows.put(row.getLong(0), row.get(1) + "/" + row.get(2));
      if (before != null) {
        throw new AssertionError("two rows of id " + row.getLong(0));
      }
    }
    return rows;
  }
}
