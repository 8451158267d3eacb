package dev.tidemark.pipeline.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullUnmarked
class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "{}",
        "[]",
        "-0",
        "-0.0",
        "1.50",
        "18446744073709551615",
        "-9223372036854775808",
        "1234567890123456789012345678.01234567890123456789",
        "\"\\u0000 \\\" \\\\ \\n é 🎉\"",
        "{\"b\":[1,{\"a\":null}],\"a\":false}"
      })
  void whatIsCanonicalAlreadyComesBackByteForByte(String json) throws Exception {
    assertThat(JsonText.of(JsonReader.read(json))).isEqualTo(json);
    assertThat(JsonText.of(JsonReader.read(json.getBytes(StandardCharsets.UTF_8)))).isEqualTo(json);
  }

  @Test
  void integersAreLongsOrBigIntegersAndFractionsAreExact() throws Exception {
    assertThat(JsonReader.read("[9223372036854775807,9223372036854775808,0.1]"))
        .isEqualTo(
            List.of(
                Long.MAX_VALUE, new BigInteger("9223372036854775808"), new JsonFraction("0.1")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":1,\"a\":2}|occurs twice",
        "{\"a\":{\"b\":[1,}}|no JSON",
        "1 2|after the end",
        "''|empty",
        "{\"a\":01}|no JSON",
        "{\"a\":NaN}|no JSON",
        "{\"a\":\"x\\ud800\"}|half a surrogate pair at character 1",
        "{\"\\udc00\":1}|half a surrogate pair",
        "{\"a\":1e99999999999}|out of range"
      })
  void whatIsNoJsonIsRefusedWithItsPlace(String json, String message) {
    assertThatThrownBy(() -> JsonReader.read(json))
        .isInstanceOf(MalformedJsonException.class)
        .hasMessageContaining(message);
  }

  @Test
  void brokenUtf8AndDeepNestingAreRefused() {
    assertThatThrownBy(() -> JsonReader.read(new byte[] {'"', (byte) 0xc3, '"'}))
        .isInstanceOf(MalformedJsonException.class);
    assertThatThrownBy(() -> JsonReader.read("[".repeat(100_000)))
        .isInstanceOf(MalformedJsonException.class);
    assertThatThrownBy(() -> JsonReader.read("{\"after\":{\"amount\":tru}}"))
        .satisfies(e -> assertThat(((MalformedJsonException) e).path()).isEqualTo("after.amount"));
  }

  @Test
  void typedValuesAreWrittenSoThatNoReaderRoundsThem() {
    assertThat(JsonText.of(new BigDecimal("1E+3"))).isEqualTo("\"1000\"");
    assertThat(JsonText.of(new BigDecimal("0.10"))).isEqualTo("\"0.10\"");
    assertThat(JsonText.of(-0.0)).isEqualTo("-0.0");
    assertThat(JsonText.of(1.0E10)).isEqualTo("1.0E+10");
    assertThat(JsonText.of(ByteBuffer.wrap(new byte[] {0, -1, 16}).asReadOnlyBuffer()))
        .isEqualTo("\"AP8Q\"");
    assertThat(JsonText.of(LocalDateTime.parse("2024-01-01T00:00")))
        .isEqualTo("\"2024-01-01T00:00:00\"");
    assertThat(JsonText.of(Instant.parse("2024-01-01T00:00:00.500Z")))
        .isEqualTo("\"2024-01-01T00:00:00.5Z\"");
    assertThat(JsonText.of(Duration.ofHours(-838).minusMinutes(59).minusSeconds(59).minusMillis(5)))
        .isEqualTo("\"-838:59:59.005\"");
    assertThat(JsonText.of(Arrays.asList(1L, null, "x"))).isEqualTo("[1,null,\"x\"]");
    assertThatThrownBy(() -> JsonText.of(Map.of("a", new Object())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
