package dev.tidemark.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "jdbc:postgresql://db/x?user=u&password=p | jdbc:postgresql://db/x?user=u&password=***",
        "jdbc:postgresql://u:p@db/x | jdbc:postgresql://***@db/x",
        "jdbc:oracle:thin:u/p@//db:1521/x | jdbc:oracle:thin:***@//db:1521/x",
        "jdbc:sqlserver://db;PASSWORD=p;user=u | jdbc:sqlserver://db;PASSWORD=***;user=u",
        "s3.secret-access-key=p, x | s3.secret-access-key=***, x",
        "refused (token=p) | refused (token=***)",
        "{\"password\": \"p q\"} | {\"password\": ***}",
        "https://h/c?sslpassword=p&x=1 | https://h/c?sslpassword=***&x=1"
      })
  void areHidden(String message, String hidden) {
    assertThat(Secrets.hide(message)).isEqualTo(hidden);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cannot open catalog lake: Connection refused: db:5432",
        "token expired (expected: a catalog that lets this user in)",
        "s3://bucket/a@b"
      })
  void allElseStays(String message) {
    assertThat(Secrets.hide(message)).isEqualTo(message);
  }

  @ParameterizedTest
  @ValueSource(strings = "Cannot open catalog lake: Failed to connect: jdbc:x://db/y?password=p")
  void unreachableStoreDoesNotRepeatThem(String message) {
    assertThat(new StoreUnreachableException(message, null)).hasMessageEndingWith("password=***");
  }
}
