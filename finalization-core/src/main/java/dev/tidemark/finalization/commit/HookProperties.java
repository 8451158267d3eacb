package dev.tidemark.finalization.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The properties that the hooks of one attempt add to its commit: what {@link
 * CommitContext#putProperty} of every store takes and refuses. Not thread-safe.
 */
public final class HookProperties {
  private final Predicate<String> belongsToEngine;
  private final Map<String, String> properties = new LinkedHashMap<>();
  private boolean committed;

  /**
   * @param belongsToEngine which keys, beside {@code finalization.*}, hooks may not put
   */
  public HookProperties(Predicate<String> belongsToEngine) {
    this.belongsToEngine = belongsToEngine;
  }

  /**
   * Adds a property.
   *
   * @throws IllegalStateException after the commit
   * @throws IllegalArgumentException if the key belongs to the sink or its engine
   */
  public void put(String key, String value) {
    if (committed) {
      throw new IllegalStateException(
          "Cannot put property " + key + ": the commit is done (expected: a call in preCommit)");
    }
    if (key.startsWith(FinalizationProperties.PREFIX) || belongsToEngine.test(key)) {
      throw new IllegalArgumentException(
          "Cannot put property "
              + key
              + ": it belongs to the sink (expected: a namespace of your own)");
    }
    properties.put(key, value);
  }

  /** What was added, in that order; a view. */
  public Map<String, String> asMap() {
    return properties;
  }

  /** From now on nothing more is taken. */
  public void markCommitted() {
    committed = true;
  }
}
