package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.HashMap;
import java.util.Optional;

/** An opinion that holds once all of the input is in; kept in the form in which stores keep it. */
final class FinalOpinion implements OpinionSource {
  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> properties;

  FinalOpinion(Opinion opinion) {
    this.properties = new HashMap<>(FinalizationProperties.write(opinion));
  }

  @Override
  public Optional<Opinion> opinionAfter(PinotCommit commit) {
    return commit.delivery().inputEnded()
        ? FinalizationProperties.readOpinion(properties)
        : Optional.empty();
  }
}
