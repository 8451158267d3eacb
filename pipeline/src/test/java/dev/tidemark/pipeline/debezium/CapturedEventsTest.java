package dev.tidemark.pipeline.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.json.JsonFraction;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullUnmarked
class CapturedEventsTest {
  @ParameterizedTest
  @ValueSource(strings = {Captured.PLAIN, Captured.WITH_SCHEMA, Captured.STRINGS})
  void everyCapturedRecordDecodesOrIsRightlySkipped(String file) {
    DebeziumFormat format =
        file.equals(Captured.STRINGS) ? Captured.declaredText() : Captured.declared();
    DebeziumJsonDecoder decoder = new DebeziumJsonDecoder(format);
    for (KafkaRecord record : Captured.records(file)) {
      Decoded decoded = decoder.decode(record);
      if (record.position().topic().endsWith(".transaction")) {
        assertThat(decoded).isEqualTo(new Decoded.Skipped(SkipReason.TRANSACTION_METADATA));
      } else if (!record.position().topic().contains(".")) {
        assertThat(decoded).isEqualTo(new Decoded.Skipped(SkipReason.SCHEMA_CHANGE));
      } else if (record.value() == null) {
        assertThat(decoded).isEqualTo(new Decoded.Skipped(SkipReason.TOMBSTONE));
      } else {
        assertThat(decoded).as(record.toString()).isInstanceOf(Decoded.Change.class);
      }
    }
  }

  @Test
  void theCapturedFilesHoldTheseKinds() {
    assertThat(kinds(Captured.PLAIN))
        .isEqualTo(
            Map.of(
                "DELETE", 6L,
                "INSERT", 11L,
                "SCHEMA_CHANGE", 5L,
                "SNAPSHOT", 5L,
                "TOMBSTONE", 6L,
                "TRANSACTION_METADATA", 6L,
                "UPDATE", 11L));
    assertThat(kinds(Captured.TRUNCATE)).isEqualTo(Map.of("TRUNCATE", 1L));
  }

  private static Map<String, Long> kinds(String file) {
    DebeziumJsonDecoder decoder = new DebeziumJsonDecoder(DebeziumFormat.undeclared());
    return Captured.records(file).stream()
        .map(decoder::decode)
        .collect(
            Collectors.groupingBy(
                d ->
                    d instanceof Decoded.Change c
                        ? c.event().operation().name()
                        : ((Decoded.Skipped) d).reason().name(),
                TreeMap::new,
                Collectors.counting()));
  }

  @Test
  void truncateHasNoKeyAndNoImages() {
    ChangeEvent truncate = Captured.events(Captured.TRUNCATE, DebeziumFormat.undeclared()).get(0);
    assertThat(truncate.operation()).isEqualTo(Operation.TRUNCATE);
    assertThat(truncate.key()).isNull();
    assertThat(truncate.row()).isNull();
    assertThat(truncate.table()).hasToString("shop.tt");
    assertThat(truncate.order().sequence()).isEqualTo(1261);
    assertThat(truncate.sourceTimeMicros()).isEqualTo(1796009117000000L);
  }

  @ParameterizedTest
  @ValueSource(strings = {Captured.PLAIN, Captured.WITH_SCHEMA, Captured.STRINGS})
  void everyTypeOfColumnIsExact(String file) {
    DebeziumFormat format =
        file.equals(Captured.STRINGS) ? Captured.declaredText() : Captured.declared();
    RowImage row = byId(file, format, 1, Operation.SNAPSHOT).after();
    assertThat(row.value("id")).isEqualTo(1L);
    assertThat(row.value("amount")).isEqualTo(new BigDecimal("12.50"));
    assertThat(row.value("big"))
        .isEqualTo(new BigDecimal("1234567890123456789012345678.0123456789"));
    assertThat(row.value("created")).isEqualTo(LocalDateTime.parse("2024-02-29T23:59:59.123456"));
    assertThat(row.value("updated")).isEqualTo(Instant.parse("2026-11-30T03:15:49.904258Z"));
    assertThat(row.value("d")).isEqualTo(LocalDate.parse("2024-02-29"));
    assertThat(row.value("tm")).isEqualTo(Duration.parse("PT12H34M56.789S"));
    assertThat(row.value("yr")).isEqualTo(2024L);
    assertThat(row.value("doc")).isEqualTo("{\"a\":[1,2,{\"b\":null}],\"k\":\"v\"}");
    assertThat(row.value("payload")).isEqualTo(ByteBuffer.wrap(new byte[] {0, (byte) 0xff, 16}));
    assertThat(row.value("blobcol")).isEqualTo(ByteBuffer.wrap(new byte[] {98, 108, 111, 98}));
    assertThat(row.value("bits")).isEqualTo(ByteBuffer.wrap(new byte[] {21}));
    assertThat(row.value("st")).isEqualTo("new");
    assertThat(row.value("tags")).isEqualTo("a,c");
    assertThat(row.value("f")).isEqualTo(1.5f);
    assertThat(row.value("dbl")).isEqualTo(2.718281828459045);
    assertThat(row.value("ubig")).isEqualTo(-1L);
    assertThat(row.unavailable()).isEmpty();
    assertThat(row.toJson())
        .isEqualTo(
            "{\"id\":1,\"customer\":\"alice\",\"amount\":\"12.50\","
                + "\"big\":\"1234567890123456789012345678.0123456789\",\"qty\":3,"
                + "\"created\":\"2024-02-29T23:59:59.123456\","
                + "\"updated\":\"2026-11-30T03:15:49.904258Z\",\"d\":\"2024-02-29\","
                + "\"tm\":\"12:34:56.789\",\"yr\":2024,"
                + "\"doc\":\"{\\\"a\\\":[1,2,{\\\"b\\\":null}],\\\"k\\\":\\\"v\\\"}\","
                + "\"payload\":\"AP8Q\",\"blobcol\":\"YmxvYg==\",\"flag\":1,\"bits\":\"FQ==\","
                + "\"st\":\"new\",\"tags\":\"a,c\",\"f\":1.5,\"dbl\":2.718281828459045,"
                + "\"ubig\":-1,\"note\":\"first\"}");
  }

  @Test
  void unicodeNegativeDecimalsAndTheFirstMicrosecondSurvive() {
    RowImage row =
        byId(Captured.WITH_SCHEMA, DebeziumFormat.undeclared(), 2, Operation.SNAPSHOT).after();
    assertThat(row.value("customer")).isEqualTo("밥 박 🎉");
    assertThat(row.value("amount")).isEqualTo(new BigDecimal("-0.01"));
    assertThat(row.value("created")).isEqualTo(LocalDateTime.parse("1970-01-01T00:00:01.000001"));
    assertThat(row.has("big")).isTrue();
    assertThat(row.value("big")).isNull();
  }

  @Test
  void plainWithoutDeclarationKeepsTheJsonValuesAsTheyCame() {
    RowImage row = byId(Captured.PLAIN, DebeziumFormat.undeclared(), 1, Operation.SNAPSHOT).after();
    assertThat(row.value("amount")).isEqualTo("BOI=");
    assertThat(row.value("created")).isEqualTo(1709251199123456L);
    assertThat(row.value("dbl")).isEqualTo(new JsonFraction("2.718281828459045"));
    assertThat(row.toJson()).contains("\"f\":1.5,\"dbl\":2.718281828459045,\"ubig\":-1");
  }

  @Test
  void plainStringsAndWithSchemaDecodeToTheSameImages() {
    Map<String, ChangeEvent> plain = byPlace(Captured.events(Captured.PLAIN, Captured.declared()));
    Map<String, ChangeEvent> schema =
        byPlace(Captured.events(Captured.WITH_SCHEMA, DebeziumFormat.undeclared()));
    Map<String, ChangeEvent> strings =
        byPlace(Captured.events(Captured.STRINGS, Captured.declaredText()));
    int compared = 0;
    for (Map.Entry<String, ChangeEvent> entry : schema.entrySet()) {
      for (Map<String, ChangeEvent> others : List.of(plain, strings)) {
        ChangeEvent other = others.get(entry.getKey());
        if (other != null && !alteredSinceDeclared(other)) {
          assertThat(other.images()).as(entry.getKey()).isEqualTo(entry.getValue().images());
          compared++;
        }
      }
    }
    assertThat(compared).isGreaterThanOrEqualTo(50);
  }

  /**
   * The declaration is of the table before {@code ALTER TABLE}; with schema the types are known.
   */
  private static boolean alteredSinceDeclared(ChangeEvent event) {
    return event.table().equals(Captured.ORDERS) && event.order().sequence() > 20;
  }

  @Test
  void aColumnThatDdlAddedOrRenamedComesWithItsOwnType() {
    RowImage added = byId(Captured.WITH_SCHEMA, Captured.declared(), 501, Operation.INSERT).after();
    assertThat(added.value("coupon")).isEqualTo("C-1");
    assertThat(added.value("tax")).isEqualTo(new BigDecimal("1.234"));
    RowImage renamed =
        byId(Captured.WITH_SCHEMA, Captured.declared(), 500, Operation.UPDATE).after();
    assertThat(renamed.value("remark")).isEqualTo("renamed");
    assertThat(renamed.value("qty")).isEqualTo(5000000000L);
    assertThat(renamed.has("note")).isFalse();
    assertThat(renamed.unavailable()).isEmpty();
  }

  @Test
  void aColumnThatDdlAddedStaysRawWhileTheDeclarationIsOld() {
    RowImage added = byId(Captured.PLAIN, Captured.declared(), 501, Operation.INSERT).after();
    assertThat(added.value("tax")).isEqualTo("BNI=");
    assertThat(added.value("amount")).isEqualTo(new BigDecimal("5.00"));
  }

  @ParameterizedTest
  @ValueSource(strings = {Captured.PLAIN, Captured.WITH_SCHEMA, Captured.STRINGS})
  void aChangedPrimaryKeyIsKnownOnBothHalves(String file) {
    List<ChangeEvent> halves =
        Captured.events(file, DebeziumFormat.undeclared()).stream()
            .filter(e -> e.order().sequence() == 15)
            .sorted(Comparator.comparing(ChangeEvent::order))
            .toList();
    assertThat(halves)
        .extracting(ChangeEvent::operation)
        .containsExactly(Operation.DELETE, Operation.INSERT);
    assertThat(halves.get(0).key().toJson()).isEqualTo("{\"id\":50}");
    assertThat(halves.get(0).images().newKey().toJson()).isEqualTo("{\"id\":500}");
    assertThat(halves.get(1).key().toJson()).isEqualTo("{\"id\":500}");
    assertThat(halves.get(1).images().oldKey().toJson()).isEqualTo("{\"id\":50}");
    assertThat(halves).allMatch(ChangeEvent::keyChanged);
    assertThat(halves.get(1).order().place()).isEqualTo(halves.get(0).order().nextPlace());
    assertThat(halves.get(1).order().previousPlace()).isEqualTo(halves.get(0).order().place());
  }

  @Test
  void theTwelveChangesOfOneTransactionAreInItsOrder() {
    List<ChangeEvent> transaction =
        Captured.events(Captured.PLAIN, Captured.declared()).stream()
            .filter(e -> e.order().sequence() == 14)
            .sorted(Comparator.comparing(e -> e.order().cdcOrd()))
            .toList();
    assertThat(transaction)
        .extracting(e -> e.operation().code() + " " + e.key().toJson())
        .containsExactly(
            "I {\"id\":50}",
            "U {\"id\":50}",
            "U {\"id\":50}",
            "I {\"order_id\":50,\"line_no\":1}",
            "I {\"order_id\":50,\"line_no\":2}",
            "I {\"order_id\":50,\"line_no\":3}",
            "U {\"order_id\":50,\"line_no\":1}",
            "U {\"order_id\":50,\"line_no\":2}",
            "U {\"order_id\":50,\"line_no\":3}",
            "D {\"order_id\":50,\"line_no\":2}",
            "I {\"id\":51}",
            "D {\"id\":51}");
    assertThat(transaction)
        .extracting(ChangeEvent::sourceTimeMicros)
        .containsOnly(1796008582000000L);
  }

  @Test
  void snapshotRowsSortBelowEveryStreamedChangeAndTransactionsByTheirSequence() {
    List<ChangeOrder> orders =
        Captured.events(Captured.PLAIN, Captured.declared()).stream()
            .map(ChangeEvent::order)
            .sorted(Comparator.comparing(ChangeOrder::cdcOrd))
            .toList();
    assertThat(orders).isSorted();
    assertThat(orders.subList(0, 5)).allMatch(ChangeOrder::isSnapshot);
    assertThat(orders.subList(5, orders.size())).noneMatch(ChangeOrder::isSnapshot);
  }

  private static ChangeEvent byId(String file, DebeziumFormat format, long id, Operation op) {
    return Captured.events(file, format).stream()
        .filter(e -> e.table().equals(Captured.ORDERS) && e.operation() == op)
        .filter(e -> e.key().value("id").equals(id))
        .reduce((first, last) -> last)
        .orElseThrow();
  }

  private static Map<String, ChangeEvent> byPlace(List<ChangeEvent> events) {
    return events.stream()
        .filter(e -> !e.table().table().equals("nopk"))
        .collect(
            Collectors.toMap(
                e ->
                    e.table()
                        + e.key().toJson()
                        + e.order().sequence()
                        + "/"
                        + e.order().totalOrder(),
                e -> e));
  }
}
