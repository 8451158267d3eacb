package dev.tidemark.pinot.commit;

import java.util.List;
import java.util.Set;

/** What is in the table of a commit that is to be published. */
sealed interface Found {

  /** It is published, or was, and what is missing was taken away since. */
  record Done(String reason) implements Found {}

  /**
   * It is not published.
   *
   * @param there names of segments that are there, with the right checksums, and seen by readers
   */
  record Fresh(Set<String> there) implements Found {}

  /**
   * A replacement was started and not ended.
   *
   * @param entryId of the lineage
   * @param from what it replaces
   * @param to what it publishes
   */
  record Started(String entryId, List<String> from, Set<String> to) implements Found {}
}
