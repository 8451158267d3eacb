package dev.tidemark.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MergeStateTest {
  /** As version 1 wrote it; must be read for ever. */
  private static final String VERSION_1 = "1;db.a=8123/-/-;db.b=-/00ff/b";

  private static final MergeState STATE =
      MergeState.NONE
          .with("db.a", MergeState.Ledger.NEW.mergedTo(8123, null))
          .with("db.b", MergeState.Ledger.NEW.bootstrappedAt("00ff"));

  @Test
  void textIsThatOfVersionOne() {
    assertThat(STATE.toText()).isEqualTo(VERSION_1);
    assertThat(MergeState.read(Map.of(MergeState.KEY, VERSION_1))).isEqualTo(STATE);
  }

  @Test
  void exampleOfTheSpecificationIsReadAndWritten() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "spec.md"));
    Matcher example =
        Pattern.compile("<!-- example: merge-state -->\n```text\n(.*)\n```").matcher(page);
    assertThat(example.find()).isTrue();
    MergeState state =
        Objects.requireNonNull(MergeState.read(Map.of(MergeState.KEY, example.group(1))));
    assertThat(state)
        .isEqualTo(
            MergeState.NONE
                .with("db.orders_ledger", MergeState.Ledger.NEW.mergedTo(8123, null))
                .with(
                    "db.returns_ledger",
                    MergeState.Ledger.NEW.bootstrappedAt("00000000000000042")));
    assertThat(state.toText()).isEqualTo(example.group(1));
  }

  @Test
  void absentStateIsNull() {
    assertThat(MergeState.read(Map.of())).isNull();
    assertThat(STATE.of("db.c")).isEqualTo(MergeState.Ledger.NEW);
  }

  @Test
  void floorOnlyRises() {
    MergeState.Ledger ledger = MergeState.Ledger.NEW.mergedTo(1, "05");
    assertThat(ledger.mergedTo(2, null).floor()).isEqualTo("05");
    assertThat(ledger.mergedTo(2, "04").floor()).isEqualTo("05");
    assertThat(ledger.mergedTo(2, "06").floor()).isEqualTo("06");
  }

  @Test
  void whatCannotBeReadIsRefused() {
    for (String text : new String[] {"2;x", "1;db.a=1", "1;db.a=x/-/-", ""}) {
      assertThatThrownBy(() -> MergeState.read(Map.of(MergeState.KEY, text)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot read the state of merges: " + text);
    }
  }

  @Test
  void namesAreOfThreePlainParts() {
    TableName name = TableName.parse("lake.db.orders-1");
    assertThat(name.sql()).isEqualTo("`lake`.`db`.`orders-1`");
    assertThat(name.inCatalog()).isEqualTo("db.orders-1");
    for (String text : new String[] {"db.orders", "a.b.c.d", "a.b.c;d", "a..c"}) {
      assertThatThrownBy(() -> TableName.parse(text)).hasMessageContaining("Invalid table name");
    }
  }
}
