package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.quickstart.embedded.pinot.PinotHttp.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Creates and drops tables through a controller. Names are those of Pinot: the raw one ({@code
 * orders}), or the one with the type ({@code orders_OFFLINE}) where the table is meant and not what
 * a query sees.
 */
public final class PinotTables {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 50;
  private static final String CONSUMING = "CONSUMING";
  private static final int CONFLICT = 409;
  private static final int NOT_FOUND = 404;

  private final PinotHttp controller;
  private final PinotQueries queries;

  PinotTables(PinotCluster cluster) {
    this.controller = new PinotHttp(cluster.controllerUrl(), cluster.authorization());
    this.queries = cluster.queries();
  }

  /**
   * Creates a table and, if it is not there, its schema; then waits until a broker answers for it.
   *
   * @param schemaJson as Pinot's {@code POST /schemas} takes it; its name is the raw table name
   * @param tableConfigJson as {@code POST /tables} takes it
   * @throws IllegalStateException if Pinot refuses, or nothing answers within a minute
   */
  public void create(String schemaJson, String tableConfigJson) {
    controller.post("/schemas?override=true&force=true", schemaJson);
    createWhenTheLastOneIsGone(tableConfigJson);
    String schemaName = PinotHttp.parse(schemaJson).path("schemaName").asText();
    awaitQueryable(schemaName, PATIENCE);
  }

  // A table that was just dropped may still have parts in ZooKeeper.
  private void createWhenTheLastOneIsGone(String tableConfigJson) {
    until(
        "create the table " + PinotHttp.parse(tableConfigJson).path("tableName").asText(),
        PATIENCE,
        () -> isCreated(tableConfigJson));
  }

  private boolean isCreated(String tableConfigJson) {
    Answer answer = controller.answer("POST", "/tables", BodyPublishers.ofString(tableConfigJson));
    if (!answer.isGood()
        && !(answer.status() == CONFLICT && answer.text().contains("External view"))) {
      throw new IllegalStateException(
          "Cannot create a table: status %d, %s. Its config: %s"
              .formatted(answer.status(), answer.text(), tableConfigJson));
    }
    return answer.isGood();
  }

  /**
   * Drops a table with its segments and waits until its name is free. Nothing happens when there is
   * none. The schema stays.
   *
   * @param nameWithType for example {@code orders_REALTIME}
   */
  public void drop(String nameWithType) {
    Answer answer =
        controller.answer(
            "DELETE", "/tables/" + nameWithType + "?retention=0d", BodyPublishers.noBody());
    if (!answer.isGood() && answer.status() != NOT_FOUND) {
      throw new IllegalStateException(
          "Cannot drop table %s: status %d, %s"
              .formatted(nameWithType, answer.status(), answer.text()));
    }
    String view = "/tables/" + nameWithType + "/externalview";
    until(
        "drop table " + nameWithType,
        PATIENCE,
        () -> controller.answer("GET", view, BodyPublishers.noBody()).status() == NOT_FOUND);
  }

  /**
   * Waits until a broker answers for a table and all its segments can be reached.
   *
   * @param rawName without the type
   * @throws IllegalStateException if it is not within {@code patience}
   */
  public void awaitQueryable(String rawName, Duration patience) {
    until(
        "query table " + rawName,
        patience,
        () -> queries.answer("SELECT COUNT(*) FROM \"" + rawName + "\"").isWhole());
  }

  /**
   * Waits until every segment is online or consuming on every server that is to have it.
   *
   * @param nameWithType for example {@code orders_OFFLINE}
   * @throws IllegalStateException if it is not within {@code patience}
   */
  public void awaitLoaded(String nameWithType, Duration patience) {
    until("load table " + nameWithType, patience, () -> isLoaded(nameWithType));
  }

  private boolean isLoaded(String nameWithType) {
    return states(nameWithType, "idealstate").equals(states(nameWithType, "externalview"));
  }

  /** The states of each segment by server, as they are to be or as they are. */
  private JsonNode states(String nameWithType, String view) {
    String type = nameWithType.substring(nameWithType.lastIndexOf('_') + 1);
    return controller.get("/tables/" + nameWithType + "/" + view).path(type);
  }

  /**
   * Has the consuming segments of a table sealed and waits until all are, with new ones begun.
   *
   * @param nameWithType of a REALTIME table
   * @throws IllegalStateException if it is not within {@code patience}
   */
  public void forceCommit(String nameWithType, Duration patience) {
    List<String> consuming = consuming(states(nameWithType, "idealstate"));
    controller.post("/tables/" + nameWithType + "/forceCommit", "");
    until(
        "commit " + consuming + " of " + nameWithType,
        patience,
        () -> areSealed(consuming, states(nameWithType, "externalview")) && isLoaded(nameWithType));
  }

  private static List<String> consuming(JsonNode states) {
    List<String> segments = new ArrayList<>();
    states
        .fields()
        .forEachRemaining(
            segment -> {
              if (segment.getValue().toString().contains(CONSUMING)) {
                segments.add(segment.getKey());
              }
            });
    return segments;
  }

  private static boolean areSealed(List<String> segments, JsonNode states) {
    return segments.stream()
        .map(states::path)
        .noneMatch(servers -> servers.isEmpty() || servers.toString().contains(CONSUMING));
  }

  private static void until(String purpose, Duration patience, BooleanSupplier condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "Cannot %s (expected: done within %d s)".formatted(purpose, patience.toSeconds()));
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for Pinot", e);
    }
  }
}
