package org.apache.iceberg.rest;

import dev.tidemark.iceberg.catalog.DelegatingOperations;
import org.apache.iceberg.TableOperations;

/** Operations that look like those of a REST catalog: they are told by their package. */
public final class RestLikeOperations extends DelegatingOperations {
  public RestLikeOperations(TableOperations inside) {
    super(inside);
  }
}
