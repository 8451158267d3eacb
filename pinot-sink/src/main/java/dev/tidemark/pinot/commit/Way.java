package dev.tidemark.pinot.commit;

import java.util.Set;

/** How commits get into a table, which depends on its kind. */
interface Way {
  /**
   * Looks whether a commit is there.
   *
   * @throws PublishFailedException if something is there that must not be
   */
  Found find(Parts parts);

  /** Whether a run that is wound back takes back what it made after that. */
  boolean withdraws();

  /** Segments that vanish when the commit appears. */
  Set<String> replaces(Parts parts, Found found);

  /**
   * Takes segments away that the run has made in vain, where no commit replaces them by others.
   *
   * @param names what {@link #replaces} said; not empty
   */
  void withdraw(Set<String> names);

  /**
   * Publishes, and returns once every replica and broker serves it.
   *
   * @param found what {@link #find} found; not {@link Found.Done}
   * @param replaced what {@link #replaces} said
   * @param labels what the segments bear
   */
  void publish(Parts parts, Found found, Set<String> replaced, Labels labels);
}
