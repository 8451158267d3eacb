package dev.tidemark.pinot.commit;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is in the table of a commit that is to be published. */
sealed interface Found {

  /**
   * It is published, or was, and what is missing was taken away since.
   *
   * @param reason for people
   * @param carrier its carrier; null if that is not there
   */
  record Done(String reason, @Nullable String carrier) implements Found {
    @Override
    public Set<String> kept(Parts parts) {
      return parts.names();
    }
  }

  /**
   * It is not published.
   *
   * @param kept names of segments that an earlier commit has published and that stay as they are
   */
  record Fresh(Set<String> kept) implements Found {
    @Override
    public Set<String> kept(Parts parts) {
      return kept;
    }
  }

  /**
   * A replacement was started and not ended.
   *
   * @param entryId of the lineage
   * @param from what it replaces
   * @param to what it publishes
   */
  record Started(String entryId, List<String> from, Set<String> to) implements Found {
    @Override
    public Set<String> kept(Parts parts) {
      Set<String> kept = parts.names();
      kept.removeAll(to);
      return kept;
    }
  }

  /** Segments of the commit that this attempt does not touch. */
  Set<String> kept(Parts parts);
}
