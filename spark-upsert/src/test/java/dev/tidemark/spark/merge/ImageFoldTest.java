package dev.tidemark.spark.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.event.ChangeOrder;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ImageFoldTest {
  private final ImageShape shape = new ImageShape(List.of("a", "b"), Set.of("id"));
  private final ImageFold fold = new ImageFold(shape);

  @Test
  void imageIsWholeWhenItNamesEveryColumn() {
    assertThat(shape.isWhole("{\"id\":1,\"a\":null,\"b\":{\"x\":[1]}}")).isTrue();
    assertThat(shape.isWhole("{\"id\":1,\"a\":\"\"}")).isFalse();
  }

  @Test
  void columnWithoutAPlaceAndBrokenImagesAreRefused() {
    assertThatThrownBy(() -> shape.isWhole("{\"c\":1}")).hasMessageContaining("column c");
    assertThatThrownBy(() -> shape.isWhole("[1]")).hasMessageContaining("a JSON object");
    assertThatThrownBy(() -> shape.isWhole("{\"a\":")).hasMessageContaining("a JSON object");
  }

  @Test
  void valuesKeepTheirText() {
    ImageFold.Folded folded =
        fold.fold(List.of(change("1", "I", null, "{\"a\":1.50,\"b\":{\"x\":[1.0,\"é\"]}}")));
    assertThat(folded.texts()).containsExactly("1.50", "{\"x\":[1.0,\"é\"]}");
    assertThat(folded.known()).containsExactly(true, true);
  }

  @Test
  void changesCountInTheirOrderWhateverTheOrderTheyComeIn() {
    ImageFold.Folded folded =
        fold.fold(
            List.of(
                change("3", "U", null, "{\"b\":\"b3\"}"),
                change("2", "U", null, "{\"a\":\"a2\",\"b\":\"b2\"}"),
                change("1", "D", "{}", null)));
    assertThat(folded.deleted()).isFalse();
    assertThat(folded.texts()).containsExactly("a2", "b3");
  }

  @Test
  void changeThatIsSentAgainBehindALaterOneSaysNothing() {
    ImageFold.Change later =
        new ImageFold.Change(ord("3", "7"), "U", null, "{\"a\":\"a3\"}", false);
    ImageFold.Change again =
        new ImageFold.Change(ord("1", "8"), "I", null, "{\"a\":\"a1\",\"b\":\"b1\"}", false);
    ImageFold.Folded folded = fold.fold(List.of(again, later));
    assertThat(folded.known()).containsExactly(true, false);
    assertThat(folded.texts()[0]).isEqualTo("a3");
  }

  @Test
  void whatNoChangeSaidIsLeftToTheBaseTableAndToTheFirstBeforeImage() {
    ImageFold.Folded folded =
        fold.fold(
            List.of(
                change("1", "U", "{\"a\":\"a0\",\"b\":\"b0\"}", "{\"a\":\"a1\"}"),
                change("2", "U", "{\"a\":\"a1\",\"b\":\"?\"}", "{\"a\":\"a2\"}")));
    assertThat(folded.known()).containsExactly(true, false);
    assertThat(folded.fallback()).containsExactly("a0", "b0");
  }

  @Test
  void insertAfterDeleteKeepsNothing() {
    ImageFold.Folded folded =
        fold.fold(List.of(change("1", "D", null, null), change("2", "I", null, "{\"a\":\"x\"}")));
    assertThat(folded.texts()).containsExactly("x", null);
    assertThat(folded.known()).containsExactly(true, true);
  }

  @Test
  void tombstoneOfAChangedKeyKeepsWhatItsDeleteDoesNotSay() {
    ImageFold.Folded folded =
        fold.fold(
            List.of(change("1", "U", null, "{\"a\":\"x\"}"), half("2", "D", "{\"id\":1}", null)));
    assertThat(folded.deleted()).isTrue();
    assertThat(folded.known()).containsExactly(true, false);
    assertThat(folded.texts()[0]).isEqualTo("x");
    ImageFold.Folded whole = fold.fold(List.of(half("2", "D", "{\"a\":\"x\",\"b\":\"y\"}", null)));
    assertThat(whole.known()).containsExactly(true, true);
    assertThat(whole.texts()).containsOnlyNulls();
  }

  @Test
  void insertOfAChangedKeySetsWhatItSays() {
    ImageFold.Folded folded =
        fold.fold(List.of(change("1", "D", "{}", null), half("2", "I", null, "{\"a\":\"x\"}")));
    assertThat(folded.deleted()).isFalse();
    assertThat(folded.known()).containsExactly(true, false);
    assertThat(folded.fallback()).containsOnlyNulls();
  }

  private static ImageFold.Change half(
      String ord, String op, @Nullable String before, @Nullable String after) {
    return new ImageFold.Change(ord(ord, ord), op, before, after, true);
  }

  @Test
  void unknownOperationIsRefused() {
    assertThatThrownBy(() -> fold.fold(List.of(change("1", "X", null, "{}"))))
        .hasMessageContaining("operation X (expected: I, U, D or R)");
  }

  private static ImageFold.Change change(
      String ord, String op, @Nullable String before, @Nullable String after) {
    return new ImageFold.Change(ord(ord, ord), op, before, after, false);
  }

  private static String ord(String sequence, String offset) {
    return new ChangeOrder(Long.parseLong(sequence), 1, 0, Long.parseLong(offset)).cdcOrd();
  }
}
