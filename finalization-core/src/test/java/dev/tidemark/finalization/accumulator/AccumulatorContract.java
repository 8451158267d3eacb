package dev.tidemark.finalization.accumulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.testing.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What every {@link AccumulatorFactory} must do. Extend it in the test of each factory.
 *
 * @param <T> the record
 * @param <S> the snapshot
 */
public abstract class AccumulatorContract<T, S> {
  private static final int ROUNDS = 20;

  private final Random random = Seeds.random(getClass().getSimpleName());

  /** The factory under test. */
  protected abstract AccumulatorFactory<T, S> factory();

  /** A record of any kind that may occur, odd ones too. */
  protected abstract T record(Random random);

  /** What an error about unreadable bytes names. */
  protected abstract String subject();

  /** Fails unless two groupings of the same parts agree: exactly, or within the stated error. */
  protected abstract void assertAgree(S one, S other);

  @Test
  void samePartsInAnyOrderGiveTheSameBytes() {
    for (int round = 0; round < ROUNDS; round++) {
      List<S> parts = parts(1 + random.nextInt(12));
      byte[] expected = bytes(factory().merge(parts));
      for (int order = 0; order < 5; order++) {
        Collections.shuffle(parts, random);
        assertThat(bytes(factory().merge(parts))).isEqualTo(expected);
      }
    }
  }

  @Test
  void anEmptyPartChangesNothing() {
    for (int round = 0; round < ROUNDS; round++) {
      List<S> parts = parts(1 + random.nextInt(6));
      byte[] expected = bytes(factory().merge(parts));
      parts.add(random.nextInt(parts.size() + 1), empty());
      assertThat(bytes(factory().merge(parts))).isEqualTo(expected);
    }
  }

  @Test
  void mergingNothingGivesTheEmptySnapshot() {
    byte[] expected = bytes(empty());

    assertThat(bytes(factory().merge(List.of()))).isEqualTo(expected);
    assertThat(bytes(factory().merge(List.of(empty(), empty())))).isEqualTo(expected);
  }

  @Test
  void anotherGroupingAgreesWithinTheStatedError() {
    for (int round = 0; round < ROUNDS; round++) {
      List<S> parts = parts(2 + random.nextInt(8));
      int cut = 1 + random.nextInt(parts.size() - 1);
      S left = factory().merge(parts.subList(0, cut));
      S right = factory().merge(parts.subList(cut, parts.size()));
      assertAgree(factory().merge(parts), factory().merge(List.of(left, right)));
    }
  }

  @Test
  void manyWritersAgreeWithOne() {
    for (int round = 0; round < ROUNDS; round++) {
      List<T> records = records(random.nextInt(2_000));
      List<Accumulator<T, S>> writers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        writers.add(factory().create());
      }
      records.forEach(record -> writers.get(random.nextInt(4)).add(record));
      List<S> parts = writers.stream().map(Accumulator::snapshot).toList();
      assertAgree(snapshot(records), factory().merge(parts));
    }
  }

  @Test
  void decodedBytesEqualTheSnapshot() {
    for (S snapshot : parts(ROUNDS)) {
      S decoded = factory().codec().decode(bytes(snapshot));
      assertThat(decoded).isEqualTo(snapshot).hasSameHashCodeAs(snapshot);
      assertThat(bytes(decoded)).isEqualTo(bytes(snapshot));
    }
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] bytes = bytes(snapshot(records(200)));
    for (int length = 0; length < bytes.length; length++) {
      assertRefused(Arrays.copyOf(bytes, length));
    }
  }

  @Test
  void bytesLeftOverAreRefused() {
    byte[] bytes = bytes(snapshot(records(200)));
    assertRefused(Arrays.copyOf(bytes, bytes.length + 1));
  }

  @Test
  void otherVersionsAreRefused() {
    byte[] bytes = bytes(snapshot(records(200)));
    for (int version : new int[] {0, 100, 255}) {
      bytes[0] = (byte) version;
      assertRefused(bytes);
    }
  }

  /** A flipped bit cannot always be noticed, but what is noticed names the subject. */
  @Test
  void damagedBytesAreRefusedOrReadWhole() {
    for (int round = 0; round < 2_000; round++) {
      byte[] bytes = bytes(snapshot(records(1 + random.nextInt(30))));
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      S decoded;
      try {
        decoded = factory().codec().decode(bytes);
      } catch (IllegalArgumentException refused) {
        assertThat(refused).hasMessageContaining(subject());
        continue;
      }
      assertThat(factory().codec().decode(bytes(decoded))).isEqualTo(decoded);
      assertThat(factory().properties(decoded)).isNotNull();
    }
  }

  @Test
  void aSnapshotIsTakenAgainUnchanged() {
    Accumulator<T, S> accumulator = factory().create();
    records(100).forEach(accumulator::add);

    assertThat(bytes(accumulator.snapshot())).isEqualTo(bytes(accumulator.snapshot()));
  }

  @Test
  void recordsAddedLaterDoNotChangeASnapshot() {
    Accumulator<T, S> accumulator = factory().create();
    records(100).forEach(accumulator::add);
    S snapshot = accumulator.snapshot();
    byte[] before = bytes(snapshot);

    records(100).forEach(accumulator::add);
    accumulator.reset();

    assertThat(bytes(snapshot)).isEqualTo(before);
  }

  @Test
  void afterAResetTheNextRecordIsTheFirst() {
    List<T> records = records(500);
    Accumulator<T, S> used = factory().create();
    records(500).forEach(used::add);
    used.reset();
    assertThat(bytes(used.snapshot())).isEqualTo(bytes(empty()));

    records.forEach(used::add);

    assertThat(bytes(used.snapshot())).isEqualTo(bytes(snapshot(records)));
  }

  @Test
  void aFactoryTravelsInAJobGraph() throws Exception {
    List<T> records = records(300);
    AccumulatorFactory<T, S> travelled = copy(factory());
    Accumulator<T, S> accumulator = travelled.create();
    records.forEach(accumulator::add);

    assertThat(travelled.name()).isEqualTo(factory().name());
    assertThat(travelled.codec().encode(accumulator.snapshot()))
        .isEqualTo(bytes(snapshot(records)));
  }

  @Test
  void propertiesOfEqualSnapshotsAreEqual() {
    S snapshot = snapshot(records(300));
    S again = factory().codec().decode(bytes(snapshot));

    assertThat(factory().properties(again)).isEqualTo(factory().properties(snapshot)).isNotEmpty();
  }

  private void assertRefused(byte[] bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> factory().codec().decode(bytes))
        .withMessageContaining(subject());
  }

  private byte[] bytes(S snapshot) {
    return factory().codec().encode(snapshot);
  }

  private S empty() {
    return factory().create().snapshot();
  }

  private S snapshot(List<T> records) {
    Accumulator<T, S> accumulator = factory().create();
    records.forEach(accumulator::add);
    return accumulator.snapshot();
  }

  private List<S> parts(int count) {
    List<S> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(snapshot(records(random.nextInt(500))));
    }
    return parts;
  }

  private List<T> records(int count) {
    List<T> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(record(random));
    }
    return records;
  }

  @SuppressWarnings({"unchecked", "BanSerializableRead"})
  private static <V> V copy(V value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (V) in.readObject();
    }
  }
}
