package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.flink.internal.RejectionListener;

/** From a rejection to a dead letter. */
final class DeadLetters {
  private DeadLetters() {}

  static <T> RejectionListener<T> to(DeadLetterListener<T> listener) {
    return (record, wellFormed, reason) ->
        listener.onDeadLetter(
            new DeadLetter<>(
                record, wellFormed ? DeadLetter.Kind.REFUSED : DeadLetter.Kind.MALFORMED, reason));
  }
}
