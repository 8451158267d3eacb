package org.apache.pinot.query.parser.utils;

import org.apache.pinot.common.config.provider.TableCache;

/**
 * Stands in for the class of this name in {@code pinot-query-planner}, which no repository serves.
 * Controller and broker ask it, after a query failed to compile, whether the multi-stage engine
 * would have understood it; that engine is off in the embedded Pinot.
 */
public final class ParserUtils {
  private ParserUtils() {}

  public static boolean canCompileWithMultiStageEngine(
      String query, String database, TableCache tables) {
    return false;
  }
}
