package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Says why a watermark stands where it stands. The one place where explanations are plugged in. */
@FunctionalInterface
public interface Explainer {
  /**
   * An explanation; members {@code table}, {@code summary} and {@code moves}, where they apply
   * {@code since.time}, {@code responsible[].text} and {@code notes}.
   *
   * @param view what the table said last
   */
  ObjectNode explain(TableView view);
}
