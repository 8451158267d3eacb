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
