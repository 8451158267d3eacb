package dev.tidemark.pipeline.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.KafkaPosition;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.json.RawJson;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.pipeline.schema.ColumnType.Kind;
import dev.tidemark.pipeline.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullUnmarked
class DebeziumJsonDecoderTest {
  private static final KafkaPosition AT = new KafkaPosition("cdc.shop.t", 2, 7);
  private static final String SOURCE =
      "{'name':'cdc','db':'shop','table':'t','ts_ms':1796008582000,'snapshot':'false','gtid':'0-1-9'}";
  private static final String TRANSACTION = "{'id':'0-1-9','total_order':3}";

  private final DebeziumJsonDecoder decoder =
      new DebeziumJsonDecoder(
          DebeziumFormat.declaring(
              Map.of(
                  new TableId("shop", "t"),
                  TableSchema.of(
                      Column.required("id", ColumnType.of(Kind.INT64)),
                      Column.optional("n", ColumnType.of(Kind.UINT64)),
                      Column.optional("a", ColumnType.decimal(5, 2)),
                      Column.optional("v", ColumnType.of(Kind.VARIABLE_DECIMAL)),
                      Column.optional("t", ColumnType.of(Kind.TIME_MICROS)),
                      Column.optional("s", ColumnType.of(Kind.STRING)),
                      Column.optional("b", ColumnType.of(Kind.BYTES))))));

  @Test
  void sourceTimeFallsBackToMilliseconds() {
    assertThat(change("u", "null", "{'id':1}").sourceTimeMicros()).isEqualTo(1796008582000000L);
  }

  @Test
  void anUnsignedBigintThatTheConnectorWroteAsALongIsItsRealValue() {
    RowImage row = after("{'id':1,'n':-1}");
    assertThat(row.value("n")).isEqualTo(new BigDecimal("18446744073709551615"));
    assertThat(row.toJson()).contains("\"n\":\"18446744073709551615\"");
  }

  @Test
  void anUnsignedBigintInPreciseModeIsExactWithAndWithoutSchema() {
    String max = "AP//////////";
    DebeziumJsonDecoder declared =
        new DebeziumJsonDecoder(
            DebeziumFormat.declaring(
                Map.of(
                    new TableId("shop", "t"),
                    TableSchema.of(Column.optional("n", ColumnType.decimal(20, 0))))));
    String plain = envelope("c", "null", "{'n':'" + max + "'}", SOURCE, TRANSACTION);
    String field =
        "{'type':'bytes','optional':true,'name':'org.apache.kafka.connect.data.Decimal',"
            + "'parameters':{'scale':'0','connect.decimal.precision':'20'},'field':'n'}";
    String schema =
        "{'type':'struct','fields':[{'type':'struct','field':'after','fields':[" + field + "]}]}";
    String wrapped = "{'schema':" + schema + ",'payload':" + plain + "}";
    BigDecimal expected = new BigDecimal("18446744073709551615");
    assertThat(event(declared, plain).after().value("n")).isEqualTo(expected);
    assertThat(event(decoder, wrapped).after().value("n")).isEqualTo(expected);
  }

  @Test
  void aVariableScaleDecimalAndATimeBeyondADayAreExact() {
    RowImage row = after("{'id':1,'v':{'scale':3,'value':'BNI='},'t':-3020399000001}");
    assertThat(row.value("v")).isEqualTo(new BigDecimal("1.234"));
    assertThat(row.value("t")).isEqualTo(Duration.parse("PT-838H-59M-59.000001S"));
    assertThat(row.toJson()).contains("\"t\":\"-838:59:59.000001\"");
  }

  @Test
  void anObjectOfNoKnownTypeIsKeptAsItsJson() {
    assertThat(after("{'id':1,'g':{'x':1.50,'wkb':'AA=='}}").value("g"))
        .isEqualTo(new RawJson("{\"x\":1.50,\"wkb\":\"AA==\"}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'__debezium_unavailable_value'",
        "'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='",
        "['__debezium_unavailable_value']",
        "{'__debezium_unavailable_value':'__debezium_unavailable_value'}",
        "[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101]"
      })
  void thePlaceholderIsUnavailableAndNotAValue(String placeholder) {
    RowImage row = after("{'id':1,'b':" + placeholder + ",'s':null}");
    assertThat(row.unavailable()).contains("b").doesNotContain("s");
    assertThat(row.has("b")).isFalse();
    assertThat(row.toJson()).isEqualTo("{\"id\":1,\"s\":null}");
  }

  @Test
  void anAbsentColumnIsUnavailableByTheSchemaOrByTheOtherImage() {
    assertThat(after("{'id':1}").unavailable()).containsExactly("n", "a", "v", "t", "s", "b");
    ChangeEvent event =
        event(
            new DebeziumJsonDecoder(DebeziumFormat.undeclared()),
            envelope("u", "{'id':1,'x':2}", "{'id':1}", SOURCE, TRANSACTION));
    assertThat(event.after().unavailable()).containsExactly("x");
    assertThat(event.before().unavailable()).isEmpty();
  }

  @Test
  void aPlainKeyOfColumnsCalledSchemaAndPayloadStaysPlain() {
    String value = envelope("c", "null", "{'id':1}", SOURCE, TRANSACTION);
    Decoded decoded =
        decoder.decode(Captured.record(AT, json("{'schema':'x','payload':'y'}"), json(value)));
    assertThat(((Decoded.Change) decoded).event().key().values())
        .isEqualTo(Map.of("schema", "x", "payload", "y"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'ts_ms':1}|HEARTBEAT",
        "{'op':'m','message':{}}|MESSAGE",
        "{'schema':null,'payload':null}|TOMBSTONE",
        "null|TOMBSTONE",
        "{'status':'END','id':'0-1-9','event_count':1}|TRANSACTION_METADATA"
      })
  void whatIsNoChangeIsSkippedWithItsReason(String value, SkipReason reason) {
    assertThat(decode(value)).isEqualTo(new Decoded.Skipped(reason));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'id':'x'}|value.after.id: \"x\" (expected: an int64)",
        "{'id':1,'a':'n!'}|value.after.a: \"n!\" (expected: base64 of the unscaled bytes of a decimal(5,2)",
        "{'id':1,'a':12.5}|value.after.a: 12.5 (expected: base64",
        "{'id':1,'a':''}|value.after.a: \"\" (expected: base64",
        "{'id':1,'a':'D0JA'}|value.after.a: \"D0JA\" (expected: a decimal(5,2), not the 7 digits of 10000.00)",
        "{'id':1,'t':'99'}|value.after.t: \"99\" (expected: a time_micros)",
        "{'id':1,'v':{'scale':'x'}}|value.after.v.scale: \"x\" (expected: a 64-bit integer)",
        "7|value.after: 7 (expected: a JSON object)"
      })
  void whatIsNotOfItsTypeIsMalformedAndNamesTheField(String after, String reason) {
    Decoded decoded = decode(envelope("c", "null", after, SOURCE, TRANSACTION));
    assertThat(decoded).isInstanceOf(Decoded.Malformed.class);
    assertThat(((Decoded.Malformed) decoded).reason())
        .startsWith("Cannot decode cdc.shop.t-2@7: ")
        .contains(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|value.op: absent",
        "[]|value: [] (expected: a JSON object)",
        "{'op':'x','source':{}}|value.op: \"x\" (expected: one of c, u, d, r, t, m)",
        "{'op':'c'}|value.source: null (expected: a JSON object)",
        "{'op':'c','source':{'db':'s'}}|value.source.table: null (expected: a string)",
        "{'op':'c','source'|value.source: no JSON"
      })
  void aBrokenEnvelopeIsMalformedAndNamesTheField(String value, String reason) {
    assertThat(((Decoded.Malformed) decode(value)).reason()).contains(reason);
  }

  @Test
  void anEventWithoutTransactionBlockIsRefusedWithTheSettingToTurnOn() {
    Decoded decoded = decode(envelope("c", "null", "{'id':1}", SOURCE, "null"));
    assertThat(((Decoded.Refused) decoded).reason())
        .contains("cdc.shop.t-2@7", "0-1-9", "provide.transaction.metadata=true");
  }

  @Test
  void anEventWithoutGtidOrWithOneOfMySqlIsRefused() {
    String none = SOURCE.replace("'0-1-9'", "null");
    String mysql = SOURCE.replace("0-1-9", "3e11fa47-71ca-11e1-9e33-c80aa9429562:23");
    assertThat(((Decoded.Refused) decode(envelope("c", "null", "{'id':1}", none, "null"))).reason())
        .contains("source.gtid is null");
    assertThat(
            ((Decoded.Refused) decode(envelope("c", "null", "{'id':1}", mysql, "null"))).reason())
        .contains("MySQL");
  }

  @Test
  void aTransactionOfAnotherGtidIsMalformed() {
    String other = TRANSACTION.replace("0-1-9", "0-1-8");
    assertThat(
            ((Decoded.Malformed) decode(envelope("c", "null", "{'id':1}", SOURCE, other))).reason())
        .contains("value.transaction.id: \"0-1-8\" (expected: source.gtid 0-1-9)");
  }

  private RowImage after(String json) {
    return change("c", "null", json).after();
  }

  private ChangeEvent change(String op, String before, String after) {
    return event(decoder, envelope(op, before, after, SOURCE, TRANSACTION));
  }

  private static ChangeEvent event(DebeziumJsonDecoder decoder, String value) {
    Decoded decoded = decoder.decode(Captured.record(AT, "{\"id\":1}", json(value)));
    assertThat(decoded).isInstanceOf(Decoded.Change.class);
    return ((Decoded.Change) decoded).event();
  }

  private Decoded decode(String value) {
    return decoder.decode(Captured.record(AT, "{\"id\":1}", json(value)));
  }

  private static String envelope(
      String op, String before, String after, String source, String transaction) {
    return "{'before':%s,'after':%s,'source':%s,'transaction':%s,'op':'%s'}"
        .formatted(before, after, source, transaction, op);
  }

  private static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }
}
