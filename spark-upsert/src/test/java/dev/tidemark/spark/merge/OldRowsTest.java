package dev.tidemark.spark.merge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.ChangeOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The INSERT to complete is always that of key 9, at place 2 of transaction 50. */
class OldRowsTest {
  private final ImageShape shape = new ImageShape(List.of("a", "b"), Set.of("id"));

  @Test
  void columnsComeFromTheDeleteFromOlderChangesOrFromTheBaseTable() {
    assertThat(complete("{\"id\":9,\"b\":2.50}", moved(1, 50, "{\"a\":\"d\"}")))
        .isEqualTo(new OldRows.Completed("{\"id\":9,\"b\":2.50,\"a\":\"d\"}", 0));
    assertThat(
            complete(
                "{}", update(1, 40, "{\"a\":\"u\"}"), moved(1, 50, "{}"), row(1, 30, "r", "s")))
        .isEqualTo(new OldRows.Completed("{\"a\":\"u\",\"b\":\"s\"}", 0));
    assertThat(complete("{}", moved(1, 50, null), byHand(1, "r", null)))
        .isEqualTo(new OldRows.Completed("{\"a\":\"r\",\"b\":null}", 0));
  }

  @Test
  void nullThatTheSourceSaidIsKnown() {
    assertThat(complete("{}", moved(1, 50, "{\"a\":null,\"b\":null}")).unknown()).isZero();
    assertThat(complete("{}", insert(1, 40, "{\"a\":\"i\"}"), moved(1, 50, "{}")))
        .as("a column that an ordinary INSERT lacks was not there yet")
        .isEqualTo(new OldRows.Completed("{\"a\":\"i\",\"b\":null}", 0));
  }

  @Test
  void whatNobodyKnowsIsCountedAndNull() {
    assertThat(complete("{\"a\":\"n\"}", moved(1, 50, "{}")))
        .isEqualTo(new OldRows.Completed("{\"a\":\"n\",\"b\":null}", 1));
    assertThat(complete("{}")).isEqualTo(new OldRows.Completed("{\"a\":null,\"b\":null}", 2));
  }

  @Test
  void rowOfTheBaseTableCountsAtItsPlaceAlone() {
    OldRows.Event newer = row(1, 60, "newer", "newer");
    assertThat(
            complete("{}", insert(1, 40, "{\"a\":\"x\",\"b\":\"y\"}"), moved(1, 50, null), newer))
        .isEqualTo(new OldRows.Completed("{\"a\":\"x\",\"b\":\"y\"}", 0));
    OldRows.Event between = row(1, 40, "x", "kept");
    assertThat(complete("{}", update(1, 40, "{\"a\":\"x\"}"), moved(1, 50, null), between))
        .isEqualTo(new OldRows.Completed("{\"a\":\"x\",\"b\":\"kept\"}", 0));
  }

  @Test
  void tombstoneOfTheChangeItselfHoldsWhatTheRowWas() {
    OldRows.Event tombstone =
        OldRows.Event.of("1", new OldRows.BaseRow(ord(50, 1), true, texts("t", "u")));
    assertThat(complete("{}", moved(1, 50, "{\"a\":\"d\"}"), tombstone))
        .isEqualTo(new OldRows.Completed("{\"a\":\"d\",\"b\":\"u\"}", 0));
  }

  @Test
  void rowThatHasHadSeveralKeysIsFollowedThroughThem() {
    List<OldRows.Event> events =
        List.of(
            row(1, 10, "a0", "b0"),
            moved(1, 20, "{}"),
            half(2, 20, 2, "I", null, "{\"a\":\"a1\"}"),
            moved(2, 50, "{}"),
            insert(2, 55, "{\"a\":\"another row\"}"));
    assertThat(complete("{}", events.toArray(OldRows.Event[]::new)))
        .isEqualTo(new OldRows.Completed("{\"a\":\"a1\",\"b\":\"b0\"}", 0));
  }

  @Test
  void changesThatAreSentAgainChangeNothing() {
    List<OldRows.Event> events =
        List.of(
            row(1, 10, "a0", "b0"),
            moved(1, 50, "{}"),
            half(1, 50, 1, "D", "{}", null),
            half(1, 50, 1, "D", "{}", null));
    assertThat(complete("{}", events.toArray(OldRows.Event[]::new)))
        .isEqualTo(new OldRows.Completed("{\"a\":\"a0\",\"b\":\"b0\"}", 0));
  }

  private OldRows.Completed complete(String image, OldRows.Event... events) {
    List<OldRows.Event> backwards = Arrays.asList(events.clone());
    Collections.reverse(backwards);
    OldRows.Completed completed = new OldRows(shape).complete(image, ord(50, 2), backwards);
    assertThat(new OldRows(shape).complete(image, ord(50, 2), List.of(events)))
        .isEqualTo(completed);
    return completed;
  }

  private static OldRows.Event insert(long key, long sequence, String after) {
    return event(key, ord(sequence, 1), "I", null, after, false);
  }

  private static OldRows.Event update(long key, long sequence, String after) {
    return event(key, ord(sequence, 1), "U", null, after, false);
  }

  private static OldRows.Event moved(long key, long sequence, @Nullable String before) {
    return half(key, sequence, 1, "D", before, null);
  }

  private static OldRows.Event half(
      long key,
      long sequence,
      long place,
      String op,
      @Nullable String before,
      @Nullable String after) {
    return event(key, ord(sequence, place), op, before, after, true);
  }

  private static OldRows.Event event(
      long key,
      String ord,
      String op,
      @Nullable String before,
      @Nullable String after,
      boolean keyChanged) {
    return OldRows.Event.of(
        Long.toString(key), new ImageFold.Change(ord, op, before, after, keyChanged));
  }

  private static OldRows.Event row(long key, long sequence, String a, String b) {
    return OldRows.Event.of(
        Long.toString(key), new OldRows.BaseRow(ord(sequence, 1), false, texts(a, b)));
  }

  private static OldRows.Event byHand(long key, String a, @Nullable String b) {
    return OldRows.Event.of(Long.toString(key), new OldRows.BaseRow(null, false, texts(a, b)));
  }

  private static @Nullable String[] texts(@Nullable String... texts) {
    return texts;
  }

  private static String ord(long sequence, long place) {
    return new ChangeOrder(sequence, place, 0, 0).cdcOrd();
  }
}
