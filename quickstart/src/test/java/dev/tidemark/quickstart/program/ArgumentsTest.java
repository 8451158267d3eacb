package dev.tidemark.quickstart.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
  private static final Set<String> KNOWN = Set.of(Arguments.SECONDS);

  @Test
  void secondsHaveADefault() {
    assertThat(parse().seconds(40)).isEqualTo(40);
    assertThat(parse("--seconds", "12").seconds(40)).isEqualTo(12);
  }

  @Test
  void whatIsNoOptionIsRefused() {
    assertThatThrownBy(() -> parse("--controller", "http://127.0.0.1:9000"))
        .hasMessageContaining("Invalid arguments: --controller http://127.0.0.1:9000")
        .hasMessageContaining("--seconds");
    assertThatThrownBy(() -> parse("--seconds")).hasMessageContaining("Invalid arguments");
    assertThatThrownBy(() -> parse("--seconds", "0").seconds(40))
        .hasMessage("Invalid --seconds: 0 (expected: from 1 to 9999)");
  }

  private static Arguments parse(String... args) {
    return Arguments.parse(args, KNOWN);
  }
}
