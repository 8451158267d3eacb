package dev.tidemark.cli.command;

import java.io.Console;
import org.jspecify.annotations.Nullable;

/** Asks somebody at a terminal whether something is meant. */
@FunctionalInterface
interface Confirmation {
  /**
   * Asks.
   *
   * @return what was typed; null if nobody is there to ask
   */
  @Nullable String ask(String question);

  /** At the terminal of this process, if it has one. */
  static Confirmation console() {
    return question -> {
      Console console = System.console();
      return console == null ? null : console.readLine("%s ", question);
    };
  }
}
