package dev.tidemark.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
