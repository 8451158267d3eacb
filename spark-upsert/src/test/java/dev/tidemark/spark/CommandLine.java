package dev.tidemark.spark;

import dev.tidemark.spark.testing.TestSession;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;

/**
 * The command line in the session of the tests.
 *
 * @param status the exit status
 * @param output what was printed
 */
record CommandLine(int status, String output) {
  /** Runs a command; a word that is not a text is its name. */
  static CommandLine run(Object... words) {
    return run(Clock.systemUTC(), words);
  }

  /** The same at another time. */
  static CommandLine run(Clock clock, Object... words) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    int status =
        new SparkUpsert(TestSession.get(), out, clock)
            .run(Arrays.stream(words).map(Object::toString).toList());
    return new CommandLine(status, printed.toString(StandardCharsets.UTF_8));
  }
}
