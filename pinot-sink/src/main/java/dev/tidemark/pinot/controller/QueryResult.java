package dev.tidemark.pinot.controller;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * The answer to a query, whole: an answer with an exception in it is thrown instead.
 *
 * @param columns names, in order
 * @param types Pinot's names of their types
 * @param rows values, in the order of the columns
 */
public record QueryResult(List<String> columns, List<String> types, List<List<JsonNode>> rows) {
  public QueryResult {
    columns = List.copyOf(columns);
    types = List.copyOf(types);
    rows = List.copyOf(rows);
  }
}
