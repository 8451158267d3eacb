package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WrappedTest {
  @Test
  void linesAreAsLongAsTheyMayBe() {
    assertThat(Wrapped.lines("why", "one two three four", 18))
        .containsExactly("why      one two", "         three", "         four");
    assertThat(Wrapped.lines("", "uninterrupted words", 12))
        .containsExactly("         uninterrupted", "         words");
  }

  @Test
  void commandIsNotBroken() {
    assertThat(Wrapped.lines("moves it", "Or, if it is meant: tidemark reset lake.db.events", 24))
        .containsExactly(
            "moves it Or, if it is", "         meant:", "         tidemark reset lake.db.events");
  }
}
