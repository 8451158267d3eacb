package dev.tidemark.pipeline.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.kafka.KafkaHeader;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullUnmarked
class DecoderFuzzTest {
  private static final String[] TOKENS = {
    "null",
    "{}",
    "[]",
    "-1",
    "1e400",
    "1e99999999999",
    "\"\"",
    "true",
    "99999999999999999999",
    "\"\\ud800\""
  };

  @ParameterizedTest
  @ValueSource(strings = {Captured.PLAIN, Captured.WITH_SCHEMA, Captured.STRINGS})
  void mutatedBytesNeverThrowAndABadFieldIsNamed(String file) {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("DecoderFuzzTest: -Dtidemark.test.seed=" + seed);
    Random random = new Random(seed);
    DebeziumJsonDecoder decoder = new DebeziumJsonDecoder(Captured.declared());
    List<KafkaRecord> records = Captured.records(file);
    int malformed = 0;
    for (int i = 0; i < 8_000; i++) {
      KafkaRecord mutant = mutant(records.get(random.nextInt(records.size())), random);
      Decoded decoded = decoder.decode(mutant);
      if (decoded instanceof Decoded.Malformed bad) {
        malformed++;
        assertThat(bad.reason())
            .as("seed %d, round %d", seed, i)
            .matches("(?s)Cannot decode \\S+: (value|key|header __debezium).*: .+");
      }
    }
    assertThat(malformed).isGreaterThan(800);
  }

  @Test
  void aMessageCutAnywhereIsMalformed() {
    DebeziumJsonDecoder decoder = new DebeziumJsonDecoder(Captured.declared());
    KafkaRecord whole = Captured.records(Captured.WITH_SCHEMA).get(3);
    for (int length = 0; length < whole.value().length; length++) {
      Decoded decoded = decoder.decode(withValue(whole, Arrays.copyOf(whole.value(), length)));
      assertThat(decoded).as("first %d bytes", length).isInstanceOf(Decoded.Malformed.class);
    }
  }

  private static KafkaRecord mutant(KafkaRecord record, Random random) {
    if (record.value() == null || random.nextInt(8) == 0) {
      List<KafkaHeader> headers = new ArrayList<>();
      for (KafkaHeader header : record.headers()) {
        headers.add(new KafkaHeader(header.name(), mutated(header.value(), random)));
      }
      byte[] key = record.key() == null ? null : mutated(record.key(), random);
      return new KafkaRecord(record.position(), null, key, record.value(), headers);
    }
    return withValue(record, mutated(record.value(), random));
  }

  private static KafkaRecord withValue(KafkaRecord record, byte[] value) {
    return new KafkaRecord(record.position(), null, record.key(), value, record.headers());
  }

  private static byte[] mutated(byte[] bytes, Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 1 -> flipped(bytes, random);
      case 2 -> spliced(bytes, random);
      default -> tokenReplaced(bytes, random);
    };
  }

  private static byte[] flipped(byte[] bytes, Random random) {
    byte[] mutant = bytes.clone();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
    }
    return mutant;
  }

  private static byte[] spliced(byte[] bytes, Random random) {
    int from = random.nextInt(bytes.length);
    int to = from + random.nextInt(bytes.length - from);
    byte[] mutant = new byte[bytes.length - (to - from)];
    System.arraycopy(bytes, 0, mutant, 0, from);
    System.arraycopy(bytes, to, mutant, from, bytes.length - to);
    return mutant;
  }

  /**
   * Puts another value behind one of the colons: mostly still JSON, with a field of a wrong type.
   */
  private static byte[] tokenReplaced(byte[] bytes, Random random) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    int colon = text.indexOf(':', random.nextInt(text.length()));
    int end = colon < 0 ? -1 : text.indexOf(',', colon);
    if (end < 0) {
      return flipped(bytes, random);
    }
    String token = TOKENS[random.nextInt(TOKENS.length)];
    return (text.substring(0, colon + 1) + token + text.substring(end))
        .getBytes(StandardCharsets.UTF_8);
  }
}
