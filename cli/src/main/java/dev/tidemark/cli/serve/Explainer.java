package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Says why a watermark stands where it stands. The one place where explanations are plugged in. */
@FunctionalInterface
public interface Explainer {
  /**
   * An explanation; at least the members {@code table} and {@code text}.
   *
   * @param view what the table said last
   */
  ObjectNode explain(TableView view);
}
