package dev.tidemark.pipeline.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.debezium.Captured;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.Operation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class LedgerFoldTest {
  /** What MariaDB held at the end, worked out by hand from the captured statements. */
  @Test
  void theCapturedStreamFoldsToTheTableInAnyOrderOfArrival() throws Exception {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("LedgerFoldTest: -Dtidemark.test.seed=" + seed);
    List<LedgerRow> rows = ledger(LedgerRowMapperTest.ORDERS);
    Collections.shuffle(rows, new Random(seed));
    Map<String, String> state = new TreeMap<>();
    LedgerFold.fold(rows)
        .forEach(
            (key, row) ->
                state.put(
                    key.toString(),
                    row.image().value("customer") + " " + row.image().value("amount")));
    assertThat(state)
        .isEqualTo(
            Map.of(
                "[1]", "replaced 99.00",
                "[2]", "밥 박 🎉 -0.01",
                "[3]", "carol 101.10",
                "[500]", "txn 3.00",
                "[501]", "post-ddl 5.00"));
  }

  @Test
  void aKeyChangedInTwoPartitionsLeavesOneRowUnderTheNewKey() throws Exception {
    Map<List<Object>, FoldedRow> items = LedgerFold.fold(ledger(LedgerRowMapperTest.ITEMS));
    assertThat(items.keySet())
        .containsExactlyInAnyOrder(
            List.of(1L, 1), List.of(1L, 2), List.of(50L, 1), List.of(50L, 9));
    assertThat(items.get(List.of(50L, 9)).image().toJson())
        .isEqualTo("{\"order_id\":50,\"line_no\":9,\"sku\":\"T3\",\"price\":\"4.0000\"}");
  }

  /** Case 17: c, u, u of one key in one transaction. */
  @Test
  void ofOneTransactionTheLastInItsOrderCounts() throws Exception {
    List<LedgerRow> rows = new ArrayList<>();
    for (ChangeEvent event : events()) {
      if (event.order().sequence() == 14 && Long.valueOf(50).equals(event.key().value("id"))) {
        rows.add(row(LedgerRowMapperTest.ORDERS, event));
      }
    }
    assertThat(rows).hasSize(3);
    Collections.reverse(rows);
    FoldedRow last = LedgerFold.fold(rows).get(List.of(50L));
    assertThat(last.image().value("amount")).isEqualTo("3.00");
  }

  /** Case 18: B, then again A, B. */
  @Test
  void anOlderChangeSentAgainChangesNothing() {
    List<LedgerRow> ledger =
        List.of(
            row(Operation.INSERT, null, "{\"id\":1,\"v\":\"A\"}", 10, 0),
            row(Operation.UPDATE, null, "{\"id\":1,\"v\":\"B\"}", 11, 1),
            row(Operation.INSERT, null, "{\"id\":1,\"v\":\"A\"}", 10, 2),
            row(Operation.UPDATE, null, "{\"id\":1,\"v\":\"B\"}", 11, 3));
    assertThat(fold(ledger)).isEqualTo("{\"id\":1,\"v\":\"B\"}");
  }

  /** Case 20: an update whose after image lacks a column. */
  @Test
  void aColumnThatAnUpdateLeavesOutIsKept() {
    assertThat(
            fold(
                List.of(
                    row(Operation.INSERT, null, "{\"id\":1,\"v\":1.50,\"big\":\"x\"}", 1, 0),
                    row(Operation.UPDATE, null, "{\"id\":1,\"v\":null}", 2, 1))))
        .isEqualTo("{\"id\":1,\"v\":null,\"big\":\"x\"}");
    assertThat(
            fold(
                List.of(
                    row(
                        Operation.UPDATE,
                        "{\"id\":1,\"v\":1,\"big\":\"x\"}",
                        "{\"id\":1,\"v\":2}",
                        2,
                        1))))
        .isEqualTo("{\"id\":1,\"v\":2,\"big\":\"x\"}");
  }

  /** Cases 19 and 20 in one: the INSERT of a new key that says nothing of a column. */
  @Test
  void aColumnThatAChangedKeyLeavesOutIsThatOfTheOldRow() {
    List<LedgerRow> ledger =
        new ArrayList<>(
            List.of(
                row(Operation.INSERT, null, "{\"id\":1,\"v\":\"a\",\"big\":\"x\"}", 1, 0),
                moved(Operation.DELETE, 1, "{\"id\":1}", null, 2, 1),
                moved(Operation.DELETE, 1, "{\"id\":1}", null, 2, 1),
                moved(Operation.INSERT, 2, null, "{\"id\":2,\"v\":\"b\"}", 2, 2),
                moved(Operation.DELETE, 2, "{\"id\":2,\"v\":\"B\"}", null, 3, 7),
                moved(Operation.INSERT, 1, null, "{\"id\":1}", 3, 8)));
    Collections.reverse(ledger);
    Map<List<Object>, FoldedRow> folded = LedgerFold.fold(ledger);
    assertThat(folded.keySet()).containsExactly(List.of(1L));
    assertThat(folded.get(List.of(1L)).image().values())
        .isEqualTo(Map.of("id", 1L, "v", "B", "big", "x"));
  }

  private static LedgerRow moved(
      Operation operation, long key, String before, String after, long sequence, long place) {
    String order = "%016x%08x%08x%016x".formatted(sequence, place, 0, 0);
    return new LedgerRow(operation, List.of(key), before, after, order, true);
  }

  @Test
  void aRowInsertedAfterItsDeletionStartsAnew() {
    assertThat(
            fold(
                List.of(
                    row(Operation.INSERT, null, "{\"id\":1,\"old\":1}", 1, 0),
                    row(Operation.DELETE, "{\"id\":1,\"old\":1}", null, 2, 1),
                    row(Operation.INSERT, null, "{\"id\":1,\"new\":1}", 3, 2))))
        .isEqualTo("{\"id\":1,\"new\":1}");
  }

  @Test
  void aTruncateRemovesWhatCameBeforeIt() {
    LedgerRow truncate = new LedgerRow(Operation.TRUNCATE, null, null, null, order(5, 9), false);
    LedgerRow before = row(Operation.INSERT, null, "{\"id\":1}", 4, 0);
    assertThat(LedgerFold.fold(List.of(truncate, before))).isEmpty();
    LedgerRow after = row(Operation.INSERT, null, "{\"id\":1}", 6, 1);
    assertThat(LedgerFold.fold(List.of(after, truncate, before))).hasSize(1);
  }

  @Test
  void exactNumbersComeOutAsTheyWentIn() {
    String image =
        "{\"id\":1,\"a\":18446744073709551615,\"b\":0.10,\"c\":-0.0,\"d\":1.0E+10,\"e\":\"1E5\"}";
    assertThat(fold(List.of(row(Operation.SNAPSHOT, null, image, 1, 0)))).isEqualTo(image);
  }

  @Test
  void aRowWithoutKeyOrWithoutImageIsRefused() {
    LedgerRow keyless = new LedgerRow(Operation.INSERT, null, null, "{}", order(1, 0), false);
    assertThatThrownBy(() -> LedgerFold.fold(List.of(keyless))).hasMessageContaining("no key");
    assertThatThrownBy(() -> fold(List.of(row(Operation.INSERT, null, "7", 1, 0))))
        .hasMessageContaining("image 7 (expected: a JSON object)");
  }

  static List<LedgerRow> ledger(LedgerSchema schema) throws Exception {
    List<LedgerRow> rows = new ArrayList<>();
    for (ChangeEvent event : events()) {
      if (event.table().equals(schema.table())) {
        rows.add(row(schema, event));
      }
    }
    return rows;
  }

  private static List<ChangeEvent> events() {
    return Captured.events(Captured.PLAIN, Captured.declared()).stream()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static LedgerRow row(LedgerSchema schema, ChangeEvent event) throws Exception {
    return LedgerRow.of(
        schema, new LedgerRowMapper(schema, ChangeEventTime.sourceTime()).map(event));
  }

  private static LedgerRow row(
      Operation operation, String before, String after, long sequence, long offset) {
    return new LedgerRow(operation, List.of(1L), before, after, order(sequence, offset), false);
  }

  private static String order(long sequence, long offset) {
    return "%016x%08x%08x%016x".formatted(sequence, 1, 0, offset);
  }

  private static String fold(List<LedgerRow> rows) {
    return LedgerFold.fold(rows).get(List.of(1L)).image().toJson();
  }
}
