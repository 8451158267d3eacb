package dev.tidemark.quickstart.pinot;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Asks a broker for one day of a table all the time, in a thread of its own. */
final class ReplacementReader implements AutoCloseable {
  private static final String QUESTION =
      "SELECT COUNT(*), SUM(delay_minutes), SUM(id) FROM %%s WHERE departure >= %d";

  private final ProgramTable table;
  private final String question;
  private final Thread thread = new Thread(this::read, "replacement-reader");
  private final Set<List<?>> answers = new LinkedHashSet<>();
  private final Set<String> failures = new LinkedHashSet<>();
  private volatile boolean stopped;
  private long questions;

  /**
   * What was seen.
   *
   * @param questions how many were answered
   * @param answers the different answers, in the order in which they came
   * @param failures why questions were not answered
   */
  record Seen(long questions, List<List<?>> answers, List<String> failures) {
    /** Whether there was nothing but a state before and a state after. */
    boolean isAtomic() {
      return answers.size() == 2 && failures.isEmpty();
    }

    @Override
    public String toString() {
      return "%,d questions while a day was replaced: %d answers (expected: the day before and after), %d failures %s"
          .formatted(questions, answers.size(), failures.size(), failures);
    }
  }

  private ReplacementReader(ProgramTable table, long fromMillis) {
    this.table = table;
    this.question = QUESTION.formatted(fromMillis);
  }

  /** Starts to ask for the rows from this time on. */
  static ReplacementReader start(ProgramTable table, long fromMillis) {
    ReplacementReader reader = new ReplacementReader(table, fromMillis);
    reader.ask();
    reader.thread.start();
    return reader;
  }

  private void read() {
    while (!stopped) {
      ask();
    }
  }

  private void ask() {
    try {
      answers.add(table.row(question));
      questions++;
    } catch (RuntimeException e) {
      failures.add(String.valueOf(e.getMessage()));
    }
  }

  /** Asks once more, and tells what was seen. */
  Seen stop() throws InterruptedException {
    stopped = true;
    thread.join();
    ask();
    return new Seen(questions, List.copyOf(answers), List.copyOf(failures));
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    thread.join();
  }
}
