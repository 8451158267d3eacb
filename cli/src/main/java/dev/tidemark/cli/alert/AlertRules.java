package dev.tidemark.cli.alert;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When one table is worth an alert. Late rows and rollbacks that were there when it was first seen
 * are taken as known; a stall that was there is told. Used by one thread.
 */
final class AlertRules {
  private static final int GRANULES_TO_STALL = 2;

  private final String table;
  private final @Nullable Duration stallAfter;
  private final Map<Long, Integer> revisions = new HashMap<>();
  private long olderRows;
  private boolean seen;
  private boolean lateKnown;
  private @Nullable Alert revoked;
  private @Nullable Alert stalled;
  private @Nullable Long watermark;
  private @Nullable Instant standingSince;

  /**
   * Rules of a table.
   *
   * @param stallAfter null for two of the table's granules
   */
  AlertRules(String table, @Nullable Duration stallAfter) {
    this.table = table;
    this.stallAfter = stallAfter;
  }

  /**
   * What is new.
   *
   * @param movedAt the commit time of the commit that moved the watermark; null if not known
   */
  List<Alert> observe(TableFinality finality, @Nullable Instant movedAt, Instant now) {
    List<Alert> alerts = new ArrayList<>();
    revoked(finality, now, alerts);
    Opinion opinion = finality.opinion();
    if (opinion != null && !finality.revoked()) {
      late(opinion, finality, now, alerts);
      stalled(opinion, finality, movedAt, now, alerts);
    }
    seen = true;
    return alerts;
  }

  private void revoked(TableFinality finality, Instant now, List<Alert> alerts) {
    Alert before = revoked;
    if (finality.revoked() && before == null) {
      Opinion opinion = finality.opinion();
      Alert alert =
          new Alert(
              Alert.Kind.REVOKED,
              table,
              table
                  + "/revoked/"
                  + Objects.requireNonNullElse(finality.snapshotId(), "none")
                  + "/"
                  + (opinion == null ? 0 : opinion.epoch())
                  + "/"
                  + now,
              table
                  + " was rolled back behind a watermark that had been published: what consumers"
                  + " read may be gone. If it is meant to stay: tidemark reset.",
              now,
              Map.of());
      revoked = alert;
      if (seen) {
        alerts.add(alert);
      }
    } else if (!finality.revoked() && before != null) {
      revoked = null;
      alerts.add(resolved(Alert.Kind.REVOKED_RESOLVED, before, table + " is valid again.", now));
    }
  }

  private void late(Opinion opinion, TableFinality finality, Instant now, List<Alert> alerts) {
    ReopenedGranules reopened = opinion.reopened().plus(finality.foreign());
    reopened
        .granules()
        .forEach(
            (start, granule) -> {
              Integer known = revisions.put(start, granule.revision());
              if (lateKnown && granule.revision() > (known == null ? 0 : known)) {
                alerts.add(late(opinion, start, granule, now));
              }
            });
    revisions.keySet().removeIf(start -> reopened.mayHide(start));
    if (lateKnown && reopened.olderRows() > olderRows) {
      alerts.add(lateBeyondList(opinion, reopened.olderRows(), now));
    }
    olderRows = reopened.olderRows();
    lateKnown = true;
  }

  private Alert late(Opinion opinion, long start, ReopenedGranules.Reopened granule, Instant now) {
    Granularity granularity = opinion.policy().granularity();
    Instant from = Instant.ofEpochMilli(start);
    String key = table + "/" + from + "/" + granule.revision() + epoch(opinion);
    return new Alert(
        Alert.Kind.LATE_DATA,
        table,
        key,
        table
            + ": "
            + from
            + " was final and got late rows: "
            + granule.rows()
            + " in all, revision "
            + granule.revision()
            + ". Consumers that have read it should read it again.",
        now,
        Map.of(
            "start", from.toString(),
            "end", Instant.ofEpochMilli(granularity.next(start)).toString(),
            "lateRows", Long.toString(granule.rows()),
            "revision", Integer.toString(granule.revision())));
  }

  private Alert lateBeyondList(Opinion opinion, long rows, Instant now) {
    return new Alert(
        Alert.Kind.LATE_DATA,
        table,
        table + "/older/" + rows + epoch(opinion),
        table
            + ": late rows in granules older than those that the table keeps one by one, "
            + rows
            + " in all.",
        now,
        Map.of("lateRows", Long.toString(rows)));
  }

  private void stalled(
      Opinion opinion,
      TableFinality finality,
      @Nullable Instant movedAt,
      Instant now,
      List<Alert> alerts) {
    Long current = opinion.watermarkMillis();
    Instant since = standingSince;
    if (since == null || !Objects.equals(current, watermark)) {
      watermark = current;
      since = movedAt == null ? now : movedAt;
      standingSince = since;
      Alert before = stalled;
      if (before != null) {
        stalled = null;
        alerts.add(
            resolved(
                Alert.Kind.STALL_RESOLVED,
                before,
                table + " is complete up to " + text(current) + ": the stall is over.",
                now));
      }
    }
    Duration standing = Duration.between(since, now);
    if (stalled == null
        && !finality.endsAtWatermark()
        && standing.compareTo(limit(opinion, current, now)) >= 0) {
      Alert alert = stall(opinion, finality, current, since, now);
      stalled = alert;
      alerts.add(alert);
    }
  }

  private Alert stall(
      Opinion opinion, TableFinality finality, @Nullable Long current, Instant since, Instant now) {
    String hold = opinion.hold() == null ? "none" : opinion.hold().toString();
    return new Alert(
        Alert.Kind.STALLED,
        table,
        table + "/stall/" + text(current) + epoch(opinion),
        table
            + " is complete up to "
            + text(current)
            + " and no further since "
            + since
            + "; hold "
            + hold
            + "; the last commit is "
            + finality.age().toSeconds()
            + " s old.",
        now,
        Map.of(
            "watermark", text(current),
            "since", since.toString(),
            "hold", hold,
            "lastCommitAgeSeconds", Long.toString(finality.age().toSeconds())));
  }

  private Duration limit(Opinion opinion, @Nullable Long current, Instant now) {
    if (stallAfter != null) {
      return stallAfter;
    }
    Granularity granularity = opinion.policy().granularity();
    long end = current == null ? granularity.floor(now.toEpochMilli()) : current;
    long start = end;
    for (int i = 0; i < GRANULES_TO_STALL; i++) {
      start = granularity.previous(start);
    }
    return Duration.ofMillis(end - start);
  }

  private Alert resolved(Alert.Kind kind, Alert before, String text, Instant now) {
    return new Alert(
        kind, table, before.key() + "/resolved", text, now, Map.of("resolves", before.key()));
  }

  /** After a reset the same may happen again. */
  private static String epoch(Opinion opinion) {
    return opinion.epoch() == 0 ? "" : "/epoch-" + opinion.epoch();
  }

  private static String text(@Nullable Long millis) {
    return millis == null ? "none" : Instant.ofEpochMilli(millis).toString();
  }
}
