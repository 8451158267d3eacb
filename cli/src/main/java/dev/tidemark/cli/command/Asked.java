package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.Question;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import org.jspecify.annotations.Nullable;

/**
 * A question, with the granule that it means, and its answer.
 *
 * @param question a whole span
 * @param answer as of one read
 */
record Asked(Question question, FinalityAnswer answer) {
  static Asked of(Question question, @Nullable Integer revision, TableFinality finality) {
    Question whole =
        finality.opinion() == null
            ? question
            : question.within(finality.opinion().policy().granularity());
    return new Asked(whole, finality.answer(whole.startMillis(), whole.endMillis(), revision));
  }
}
