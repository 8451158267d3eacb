package dev.tidemark.cli.serve;

import dev.tidemark.cli.alert.AlertCounts;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /metrics} says. A sample that is not known (a watermark before the first) is left
 * out. While a store does not answer, the samples of its tables stay what they were, ages and lags
 * go on growing, and {@code tidemark_up} is 0.
 */
final class Metrics {
  private static final double MILLIS = 1_000;

  private final List<Observation> tables;
  private final Instant now;
  private final MetricsText text = new MetricsText();

  private Metrics(List<Observation> tables, Instant now) {
    this.tables = tables;
    this.now = now;
  }

  static String text(List<Observation> tables, int waiting, AlertCounts alerts, Instant now) {
    Metrics metrics = new Metrics(tables, now);
    metrics.tables();
    metrics.polls();
    metrics.server(waiting, alerts);
    return metrics.text.toString();
  }

  private void tables() {
    perOpinion(
        "tidemark_watermark_seconds",
        "gauge",
        "Every event before this time is in the table: seconds since the epoch.",
        opinion -> seconds(opinion.watermarkMillis()));
    perOpinion(
        "tidemark_watermark_lag_seconds",
        "gauge",
        "How far the watermark is behind the clock.",
        opinion ->
            opinion.watermarkMillis() == null
                ? null
                : (now.toEpochMilli() - opinion.watermarkMillis()) / MILLIS);
    perView(
        "tidemark_watermark_moved_seconds",
        "gauge",
        "Commit time of the commit that moved the watermark last: seconds since the epoch.",
        view -> {
          Instant since = view.timeline().watermarkSince();
          return since == null ? null : seconds(since.toEpochMilli());
        });
    perView(
        "tidemark_late_rows",
        "gauge",
        "Rows that came after their granule was final; upper bound for those of foreign commits."
            + " Falls when the table is rolled back or reset.",
        view -> lateRows(view.reopened()));
    perView(
        "tidemark_reopened_granules",
        "gauge",
        "Granules that got rows after they were final, as many as the table keeps one by one.",
        view -> (double) view.reopened().granules().size());
    holds();
    perView(
        "tidemark_revoked",
        "gauge",
        "1 if the table was rolled back behind a published watermark.",
        view -> view.finality().revoked() ? 1.0 : 0.0);
    perOpinion(
        "tidemark_epoch",
        "gauge",
        "How often the opinion was reset after a rollback.",
        opinion -> (double) opinion.epoch());
    perView(
        "tidemark_last_commit_age_seconds",
        "gauge",
        "How long ago the commit was made that carries the opinion.",
        view ->
            view.finality().snapshotId() == null
                ? null
                : seconds(view.finalityAt(now).age().toMillis()));
  }

  private void holds() {
    text.family("tidemark_hold", "gauge", "1 for the reason why the watermark stays, if it does.");
    for (Observation table : tables) {
      Opinion opinion = opinion(table);
      if (opinion == null) {
        continue;
      }
      for (Hold.Reason reason : Hold.Reason.values()) {
        boolean holds = opinion.hold() != null && opinion.hold().reason() == reason;
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("table", table.table());
        labels.put("reason", reason.name());
        text.sample("tidemark_hold", labels, holds ? 1 : 0);
      }
    }
  }

  private void polls() {
    perTable(
        "tidemark_up",
        "gauge",
        "1 if the last poll of the table was answered.",
        table -> table.isReachable() ? 1.0 : 0.0);
    perTable(
        "tidemark_polls_total", "counter", "Polls of the table.", table -> (double) table.polls());
    perTable(
        "tidemark_poll_failures_total",
        "counter",
        "Polls of the table that failed.",
        table -> (double) table.failures());
    perView(
        "tidemark_last_read_age_seconds",
        "gauge",
        "How long ago the table was read.",
        view -> seconds(Duration.between(view.readAt(), now).toMillis()));
  }

  private void server(int waiting, AlertCounts alerts) {
    one("tidemark_waiting_clients", "gauge", "Clients that wait for another answer.", waiting);
    one("tidemark_alerts_total", "counter", "Alerts raised.", alerts.raised());
    one("tidemark_alerts_delivered_total", "counter", "Taken by the webhook.", alerts.delivered());
    one(
        "tidemark_alerts_dropped_total",
        "counter",
        "Alerts that the webhook never got: queue full, or refused for good.",
        alerts.dropped());
    one("tidemark_alerts_waiting", "gauge", "Alerts that wait for the webhook.", alerts.waiting());
  }

  private void one(String name, String type, String help, double value) {
    text.family(name, type, help).sample(name, Map.of(), value);
  }

  private void perTable(
      String name, String type, String help, Function<Observation, @Nullable Double> value) {
    text.family(name, type, help);
    for (Observation table : tables) {
      Double number = value.apply(table);
      if (number != null) {
        text.sample(name, Map.of("table", table.table()), number);
      }
    }
  }

  private void perView(
      String name, String type, String help, Function<TableView, @Nullable Double> value) {
    perTable(name, type, help, table -> table.view() == null ? null : value.apply(table.view()));
  }

  private void perOpinion(
      String name, String type, String help, Function<Opinion, @Nullable Double> value) {
    perTable(
        name,
        type,
        help,
        table -> {
          Opinion opinion = opinion(table);
          return opinion == null ? null : value.apply(opinion);
        });
  }

  private static @Nullable Opinion opinion(Observation table) {
    return table.view() == null ? null : table.view().finality().opinion();
  }

  private static @Nullable Double seconds(@Nullable Long millis) {
    return millis == null ? null : Double.valueOf(millis / MILLIS);
  }

  private static double lateRows(ReopenedGranules reopened) {
    List<Long> rows = new ArrayList<>();
    reopened.granules().values().forEach(granule -> rows.add(granule.rows()));
    return rows.stream().mapToLong(Long::longValue).sum() + reopened.olderRows();
  }
}
