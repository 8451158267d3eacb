package dev.tidemark.cli.answer;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.finalization.sensor.FinalityAnswer;

/** Names of the five answers, and the exit status of each. */
public final class AnswerText {
  private AnswerText() {}

  /** {@code READY}, {@code NOT_READY}, {@code LATE_REOPENED}, {@code REVOKED}, {@code UNKNOWN}. */
  public static String name(FinalityAnswer answer) {
    if (answer instanceof FinalityAnswer.Ready) {
      return "READY";
    }
    if (answer instanceof FinalityAnswer.NotReady) {
      return "NOT_READY";
    }
    if (answer instanceof FinalityAnswer.LateReopened) {
      return "LATE_REOPENED";
    }
    return answer instanceof FinalityAnswer.Revoked ? "REVOKED" : "UNKNOWN";
  }

  /** The name, and what a person wants to know besides. */
  public static String line(FinalityAnswer answer) {
    if (answer instanceof FinalityAnswer.NotReady notReady) {
      return name(answer)
          + ": final up to "
          + watermark(answer)
          + (notReady.hold() == null ? "" : ", " + notReady.hold());
    }
    if (answer instanceof FinalityAnswer.Ready ready) {
      return ready.revision() == 0 ? name(answer) : name(answer) + ": revision " + ready.revision();
    }
    if (answer instanceof FinalityAnswer.LateReopened reopened) {
      return name(answer)
          + ": "
          + Counted.of(reopened.rows(), "late row")
          + ", revision "
          + reopened.revision();
    }
    return answer.finality().opinion() == null
        ? name(answer)
        : name(answer) + ": the table speaks for " + answer.finality().opinion().watermark();
  }

  private static String watermark(FinalityAnswer answer) {
    var opinion = answer.finality().opinion();
    return TimeText.instant(opinion == null ? null : opinion.watermarkMillis());
  }

  /** The exit status: a table without any opinion has no metadata. */
  public static ExitCode exitCode(FinalityAnswer answer) {
    return switch (name(answer)) {
      case "READY" -> ExitCode.READY;
      case "LATE_REOPENED", "REVOKED" -> ExitCode.CHANGED;
      case "UNKNOWN" ->
          answer.finality().opinion() == null ? ExitCode.NO_METADATA : ExitCode.NOT_READY;
      default -> ExitCode.NOT_READY;
    };
  }
}
