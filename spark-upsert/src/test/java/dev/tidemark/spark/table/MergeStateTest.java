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

  private static final String VERSION_2 =
      "2;db.a=8123/-/-/5f0c9e1e-93a5-4b3d-8f0f-4c52b1d0a001/0003;db.b=-/00ff/b/-/-";

  private static final MergeState WITHOUT_TABLES =
      MergeState.NONE
          .with("db.a", MergeState.Ledger.NEW.mergedTo(8123))
          .with("db.b", MergeState.Ledger.NEW.bootstrappedAt("00ff"));

  private static final MergeState STATE =
      WITHOUT_TABLES.with(
          "db.a",
          WITHOUT_TABLES
              .of("db.a")
              .ofTable("5f0c9e1e-93a5-4b3d-8f0f-4c52b1d0a001")
              .ignoringTruncate("0003"));

  @Test
  void textIsThatOfVersionTwo() {
    assertThat(STATE.toText()).isEqualTo(VERSION_2);
    assertThat(MergeState.read(Map.of(MergeState.KEY, VERSION_2))).isEqualTo(STATE);
  }

  @Test
  void versionOneIsReadAndKnowsNoTable() {
    MergeState old = Objects.requireNonNull(MergeState.read(Map.of(MergeState.KEY, VERSION_1)));
    assertThat(old).isEqualTo(WITHOUT_TABLES);
    assertThat(old.of("db.a").isOfAnother("5f0c9e1e-93a5-4b3d-8f0f-4c52b1d0a001")).isFalse();
  }

  @Test
  void ledgerThatWasMadeAgainKeepsTheOrdersOfItsSourceAlone() {
    MergeState.Ledger ledger = STATE.of("db.a").withFloor("0002");
    assertThat(ledger.isOfAnother("5f0c9e1e-93a5-4b3d-8f0f-4c52b1d0a001")).isFalse();
    assertThat(ledger.isOfAnother("00000000-93a5-4b3d-8f0f-4c52b1d0a001")).isTrue();
    assertThat(ledger.madeAgain())
        .isEqualTo(new MergeState.Ledger(null, "0002", false, null, "0003"));
    assertThat(MergeState.Ledger.NEW.bootstrappedAt("01").madeAgain().bootstrapped()).isFalse();
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
                .with(
                    "db.orders_ledger",
                    MergeState.Ledger.NEW
                        .mergedTo(8123)
                        .ofTable("5f0c9e1e-93a5-4b3d-8f0f-4c52b1d0a001"))
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
    MergeState.Ledger ledger = MergeState.Ledger.NEW.mergedTo(1).withFloor("05");
    assertThat(ledger.withFloor(null).floor()).isEqualTo("05");
    assertThat(ledger.withFloor("04").floor()).isEqualTo("05");
    assertThat(ledger.withFloor("06").floor()).isEqualTo("06");
    assertThat(ledger.mergedTo(2).floor()).isEqualTo("05");
  }

  @Test
  void ignoredTruncateOnlyRises() {
    MergeState.Ledger ledger = MergeState.Ledger.NEW.ignoringTruncate("05");
    assertThat(ledger.ignoringTruncate(null).ignoredTruncate()).isEqualTo("05");
    assertThat(ledger.ignoringTruncate("04").ignoredTruncate()).isEqualTo("05");
    assertThat(ledger.ignoringTruncate("06").mergedTo(2).ignoredTruncate()).isEqualTo("06");
  }

  @Test
  void whatCannotBeReadIsRefused() {
    for (String text :
        new String[] {
          "3;x", "2;x", "1;db.a=1", "1;db.a=x/-/-", "2;db.a=1/-/-", "1;db.a=1/-/-/-/-", ""
        }) {
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
