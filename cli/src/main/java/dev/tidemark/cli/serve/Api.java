package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.alert.AlertCounts;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The resources below {@code /v1}, and {@code /metrics}. Thread-safe. */
final class Api {
  private static final int TABLE = 2;
  private static final int RESOURCE = 3;

  private final Tables tables;
  private final IntSupplier waiting;
  private final Supplier<AlertCounts> alerts;

  Api(Tables tables, IntSupplier waiting, Supplier<AlertCounts> alerts) {
    this.tables = tables;
    this.waiting = waiting;
    this.alerts = alerts;
  }

  /**
   * A resource, to be asked once or, with {@code wait}, again and again.
   *
   * @param path its segments
   * @throws ProblemException if there is none, or its parameters are not understood
   */
  Waiting.Asking resource(List<String> path, Query query) {
    if (path.equals(List.of("metrics"))) {
      query.allow();
      return isLast -> metrics();
    }
    if (path.equals(List.of("v1", "tables"))) {
      query.allow("wait");
      return isLast -> tables(query, isLast);
    }
    if (path.size() == RESOURCE + 1 && path.subList(0, TABLE).equals(List.of("v1", "tables"))) {
      String table = path.get(TABLE);
      switch (path.get(RESOURCE)) {
        case "finality":
          query.allow("through", "zone", "revision", "wait");
          return finality(table, query);
        case "hours":
          query.allow("from", "to", "zone");
          return hours(table, query);
        case "commits":
          query.allow("limit");
          Integer limit = query.number("limit");
          return isLast -> view(table, query, view -> CommitsJson.of(view, limit));
        case "explain":
          query.allow();
          return isLast -> explanation(table, query);
        default:
      }
    }
    throw new ProblemException(404, "No such resource", "There is no /" + String.join("/", path))
        .expected(
            "/, /v1/tables, /v1/tables/TABLE/{finality,hours,commits,explain}, /metrics or"
                + " /healthz");
  }

  private Reply metrics() {
    String text = Metrics.text(tables.all(), waiting.getAsInt(), alerts.get(), tables.now());
    return Reply.text(MetricsText.CONTENT_TYPE, text);
  }

  private @Nullable Reply tables(Query query, boolean isLast) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode array = json.putArray("tables");
    StringBuilder versions = new StringBuilder();
    for (Observation table : tables.all()) {
      array.add(table(table));
      versions.append(table.table()).append('=').append(table.version()).append(';');
    }
    EntityTag tag = new EntityTag(Digest.of(versions.toString()));
    if (!isLast && query.known().holds(tag)) {
      return null;
    }
    return Reply.json(200, json).tagged(tag, query.known());
  }

  private ObjectNode table(Observation table) {
    TableView view = table.view();
    ObjectNode json =
        view == null
            ? JsonNodeFactory.instance.objectNode().put("table", table.table())
            : AnswerJson.of(table.table(), view.finalityAt(tables.now()));
    json.put("version", table.version());
    json.put("reachable", table.isReachable());
    if (view != null) {
      json.put("readAt", view.readAt().toString());
      Opinion opinion = view.finality().opinion();
      if (opinion != null && opinion.watermarkMillis() != null) {
        json.put(
            "lagSeconds",
            Duration.between(Instant.ofEpochMilli(opinion.watermarkMillis()), tables.now())
                .toSeconds());
        Instant since = view.timeline().watermarkSince();
        json.put("watermarkSince", since == null ? null : since.toString());
      }
    }
    Observation.Failure failure = table.failure();
    if (failure != null) {
      json.put("failure", failure.message());
    }
    return json;
  }

  private Waiting.Asking hours(String table, Query query) {
    Question from = query.question("from");
    Question to = query.question("to");
    if (from != null && to != null && from.startMillis() >= to.startMillis()) {
      throw ProblemException.invalid("Invalid span: from " + from.text() + " to " + to.text())
          .expected("from before to");
    }
    return isLast -> view(table, query, view -> HoursJson.of(view, from, to));
  }

  private interface Shown {
    ObjectNode json(TableView view);
  }

  private Reply view(String table, Query query, Shown shown) {
    TableView view = tables.view(table);
    return Reply.json(200, shown.json(view)).tagged(new EntityTag(view.version()), query.known());
  }

  /** What it says of silence depends on the clock: the tag is of the text itself. */
  private Reply explanation(String table, Query query) {
    ObjectNode json = tables.view(table).explanation(tables.now());
    return Reply.json(200, json).tagged(new EntityTag(Digest.of(json.toString())), query.known());
  }

  /**
   * Without a tag the client waits for an answer that decides; with one, for any other answer than
   * the one it has.
   */
  private Waiting.Asking finality(String table, Query query) {
    Question asked = query.question("through");
    Integer revision = query.number("revision");
    if (asked == null && (revision != null || query.has("zone"))) {
      throw ProblemException.invalid("Cannot use zone or revision without through")
          .expected("through=2026-01-01T10");
    }
    return isLast -> {
      TableView view = tables.view(table);
      TableFinality finality = view.finalityAt(tables.now());
      Answer answer =
          asked == null
              ? new Answer(AnswerJson.of(table, finality), view.version(), false)
              : answer(table, finality, asked, revision);
      EntityTag tag = new EntityTag(answer.version());
      boolean settled = query.known().isNothing() ? answer.isDecided() : !query.known().holds(tag);
      return settled || isLast ? Reply.json(200, answer.json()).tagged(tag, query.known()) : null;
    };
  }

  private record Answer(ObjectNode json, String version, boolean isDecided) {}

  private static Answer answer(
      String table, TableFinality finality, Question asked, @Nullable Integer revision) {
    Opinion opinion = finality.opinion();
    Question question = opinion == null ? asked : asked.within(opinion.policy().granularity());
    FinalityAnswer answer = finality.answer(question.startMillis(), question.endMillis(), revision);
    String version =
        (finality.snapshotId() == null ? "none" : finality.snapshotId())
            + "-"
            + AnswerText.name(answer);
    if (answer instanceof FinalityAnswer.LateReopened reopened) {
      version += "-" + reopened.revision() + "-" + reopened.rows();
    }
    version += "-" + TableView.digest(finality);
    boolean isDecided =
        !(answer instanceof FinalityAnswer.NotReady || answer instanceof FinalityAnswer.Unknown);
    return new Answer(AnswerJson.of(table, question, answer), version, isDecided);
  }

  /**
   * {@code /healthz}: the server runs; whether the stores answer is beside it.
   *
   * @param withTables whether the names of tables are for who asks
   */
  Reply health(boolean withTables) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("status", "ok");
    if (!withTables) {
      return Reply.json(200, json);
    }
    ObjectNode reachable = json.putObject("reachable");
    for (Observation table : tables.all()) {
      reachable.put(table.table(), table.isReachable());
    }
    return Reply.json(200, json);
  }
}
