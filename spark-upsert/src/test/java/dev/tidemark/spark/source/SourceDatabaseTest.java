package dev.tidemark.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.spark.testing.TestDriver;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class SourceDatabaseTest {
  @Test
  void passwordIsInNoText() {
    SourceDatabase database =
        new SourceDatabase("jdbc:nosuch://db/shop?user=x&password=secret", "x", "hush");
    assertThat(SourceTable.of(database, "orders")).hasToString("orders of jdbc:nosuch://db/shop");
    assertThatThrownBy(database::connect)
        .hasMessageStartingWith("Cannot connect to jdbc:nosuch://db/shop: ")
        .message()
        .doesNotContain("secret", "hush");
  }

  @Test
  void loginInsideAnAddressIsInNoText() {
    for (String url :
        List.of(
            "jdbc:mysql://u:hush@db/shop",
            "jdbc:mysql://u:hu@sh@db/shop?password=hush",
            "jdbc:oracle:thin:scott/hush@db")) {
      assertThat(new SourceDatabase(url, null, null).toString())
          .startsWith("jdbc:")
          .contains("db")
          .doesNotContain("hush", "sh@", "scott", "u:");
    }
  }

  @Test
  void driverThatQuotesTheAddressInItsOwnWayTellsNoPassword() throws Exception {
    Driver driver = new Tattler();
    DriverManager.registerDriver(driver);
    try {
      SourceDatabase database =
          new SourceDatabase("jdbc:tattler://u:inner@db/shop?password=secret", "x", "hush");
      assertThatThrownBy(database::connect)
          .hasMessageContaining("refused by")
          .message()
          .doesNotContain("secret", "hush", "inner");
    } finally {
      DriverManager.deregisterDriver(driver);
    }
  }

  /** A driver that says all it knows. */
  private static final class Tattler extends TestDriver {
    @Override
    public Connection connect(String url, Properties info) throws SQLException {
      throw new SQLException("refused by %s&x=y with %s".formatted(url.substring(5), info));
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.startsWith("jdbc:tattler:");
    }
  }

  @Test
  void missingPasswordIsSaidAndNotLeftOut() {
    assertThatThrownBy(() -> SourceDatabase.of("jdbc:mariadb://db/shop", "x", "TIDEMARK_NONE"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TIDEMARK_NONE is not set");
  }

  @Test
  void sparkReadsMariaDbByTheNameThatItQuotesRightFor() {
    assertThat(options("jdbc:mariadb://db/shop"))
        .isEqualTo("jdbc:mysql://db/shop?permitMysqlScheme");
    assertThat(options("jdbc:mariadb://db/shop?useSsl=true"))
        .isEqualTo("jdbc:mysql://db/shop?useSsl=true&permitMysqlScheme");
    assertThat(options("jdbc:mysql://db/shop")).isEqualTo("jdbc:mysql://db/shop");
  }

  private static String options(String url) {
    return String.valueOf(new SourceDatabase(url, null, null).sparkOptions().get("url"));
  }
}
