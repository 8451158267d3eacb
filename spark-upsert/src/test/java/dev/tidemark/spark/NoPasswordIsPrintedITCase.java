package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestSession;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Causes of failures that quote the address of a database, with the login in it. What Spark and
 * Iceberg log of them is theirs.
 */
class NoPasswordIsPrintedITCase extends OrdersFixture {
  private static final String URL = "jdbc:nosuch://u:inner@db/shop?user=x&password=hush-4711";

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private final PrintStream before = System.err;

  @BeforeEach
  void listen() {
    String catalog = "spark.sql.catalog.tattling";
    var conf = TestSession.get().conf();
    conf.set(catalog, "org.apache.iceberg.spark.SparkCatalog");
    conf.set(catalog + ".catalog-impl", Tattler.class.getName());
    conf.set(catalog + ".warehouse", directory.toString());
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void listenNoMore() {
    System.setErr(before);
  }

  @Test
  void failureOfACommand() {
    assertTellsNoPassword(CommandLine.run("compact", "--ledger", "tattling.db.ledger"));
  }

  @Test
  void failureOfOneLedger() {
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    CommandLine failed =
        CommandLine.run(
            "merge", "--base", base.name(), "--ledgers", ledger.name() + ",tattling.db.other");
    assertThat(failed.output()).contains("merged 1 changes").contains("tattling.db.other: failed:");
    assertTellsNoPassword(failed);
  }

  /** A catalog whose database is gone. */
  public static final class Tattler extends HadoopCatalog {
    @Override
    public Table loadTable(TableIdentifier table) {
      throw new IllegalStateException(
          "Cannot load " + table, new SQLException("refused by " + URL + ", try again"));
    }
  }

  private void assertTellsNoPassword(CommandLine failed) {
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output()).contains("jdbc:nosuch://db/shop?user=x&password=***");
    String trace = errors.toString(StandardCharsets.UTF_8);
    assertThat(trace)
        .contains("\tat dev.tidemark.spark.SparkUpsert")
        .contains("jdbc:nosuch://db/shop?user=x&password=***");
    assertThat(failed.output() + trace).doesNotContain("hush-4711").doesNotContain("inner@");
  }
}
