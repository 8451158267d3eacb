package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.WriterState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds that come out of where the source stands. */
final class SourceCauses {
  private final Scene scene;
  private final @Nullable Coverage coverage;

  SourceCauses(Scene scene) {
    this.scene = scene;
    CommitFacts last = scene.last();
    this.coverage = last == null ? null : last.coverage();
  }

  Cause behind() {
    List<String> names = scene.hold().names();
    if (coverage == null) {
      return new Cause(
          "The last commit of "
              + scene.writerText()
              + " says nothing of its source, although the writer is configured to report where it"
              + " stands.",
          List.of(),
          List.of(
              "A commit that reports coverage: see that the source is connected to the sink's"
                  + " coverage."));
    }
    if (names.isEmpty()) {
      return new Cause(
          "Of "
              + coverage.expected()
              + " expected partitions "
              + coverage.partitions().size()
              + " are named; the others have not been reported by any reader.",
          List.of(),
          List.of("A report of every expected partition."));
    }
    String promise =
        isPromise()
            ? "Partitions of the source have promised nothing, and hold data that was not read yet."
            : "Partitions of the source hold data that was not read yet, and delivered nothing in"
                + " the window.";
    return new Cause(
        promise + count(names),
        partitions(names),
        List.of(
            isPromise()
                ? "A promise for each of them: a heartbeat row whose end offsets have been read, or"
                    + " a resolved-ts."
                : "A delivery from each of them, or reading up to its end offset: see the lag of the"
                    + " job, and whether it is assigned these partitions."));
  }

  Cause idle() {
    return new Cause(
        isPromise()
            ? ("Partitions of the source stand at their end and have promised nothing."
                + count(scene.hold().names()))
            : ("Partitions of the source have nothing to read, and the rule is to wait for them."
                + count(scene.hold().names())),
        partitions(scene.hold().names()),
        isPromise()
            ? List.of("A promise for each of them: a heartbeat row or a resolved-ts.")
            : List.of(
                "A record on each of them.",
                "The idle rule PASS, or an idle timeout, if an idle partition brings nothing old."));
  }

  /** A promise that lies inside the granule that the watermark has reached. */
  Cause promiseInside(String granule, long endMillis) {
    return new Cause(
        "The source has vouched for a part of "
            + granule
            + " alone, which is final once every partition has promised up to "
            + TimeText.instant(endMillis)
            + ".",
        leastPromise(),
        List.of("Heartbeats or resolved-ts past " + TimeText.instant(endMillis) + "."));
  }

  /** A promise below the watermark: a partition that appeared, or that was read anew. */
  Cause promiseBelow() {
    return new Cause(
        "A partition has promised less than the watermark, which does not go back.",
        leastPromise(),
        List.of("A promise past the watermark for that partition."));
  }

  private boolean isPromise() {
    return scene.statistic() instanceof FinalizationPolicy.SourcePromise;
  }

  private List<Responsible> leastPromise() {
    if (coverage == null) {
      return List.of();
    }
    return coverage.partitions().entrySet().stream()
        .filter(entry -> entry.getValue().promisedMillis() != null)
        .min(Comparator.comparingLong(entry -> promised(entry.getValue())))
        .map(entry -> List.of(partition(entry.getKey(), entry.getValue())))
        .orElse(List.of());
  }

  private static long promised(PartitionProgress progress) {
    Long promised = progress.promisedMillis();
    return promised == null ? Long.MAX_VALUE : promised;
  }

  /** How many they are, where not all are listed. */
  private String count(List<String> names) {
    long all = Abridged.count(names);
    return Abridged.isAbridged(names)
        ? " They are " + all + ": " + Abridged.listed(partitions(names).size(), all) + "."
        : "";
  }

  /**
   * Those of the hold, and where it names only the first few by name, the worst of all that stand
   * as they do.
   */
  private List<Responsible> partitions(List<String> names) {
    if (coverage == null) {
      return List.of();
    }
    List<Map.Entry<String, PartitionProgress>> found = new ArrayList<>();
    for (Map.Entry<String, PartitionProgress> entry : coverage.partitions().entrySet()) {
      if (names.contains(entry.getKey())
          || (Abridged.isAbridged(names) && standsSo(entry.getValue()))) {
        found.add(entry);
      }
    }
    found.sort(Comparator.comparingLong(entry -> -lag(entry.getValue())));
    return found.stream()
        .limit(Abridged.MOST)
        .map(entry -> partition(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** Whether a partition is what the hold speaks of; the engine's rules, less the sample's age. */
  private boolean standsSo(PartitionProgress progress) {
    boolean idle = scene.hold().reason() == Hold.Reason.IDLE_SOURCE;
    boolean open = isPromise() ? progress.promisedMillis() == null : !isDelivered(progress);
    return open && progress.standsAtEnd() == idle;
  }

  private boolean isDelivered(PartitionProgress progress) {
    WriterState state = scene.state();
    Long commit = progress.deliveredCommit();
    Long time = progress.deliveredAtMillis();
    if (state == null || commit == null || time == null) {
      return false;
    }
    CommitWindow window = state.window();
    return commit > window.total() - scene.policy().lookbackCommits()
        || time >= window.newestMillis() - scene.policy().lookbackSpan().toMillis();
  }

  private static long lag(PartitionProgress progress) {
    Long lag = progress.lag();
    return lag == null ? Long.MAX_VALUE : lag;
  }

  private static Responsible partition(String name, PartitionProgress progress) {
    return new Facts()
        .put("nextOffset", progress.nextOffset())
        .put("endOffset", progress.endOffset())
        .put("behind", progress.lag())
        .time("sampledAt", progress.sampledAtMillis())
        .time("lastEvent", progress.maxEventTimeMillis())
        .time("promised", progress.promisedMillis())
        .time("lastDelivery", progress.deliveredAtMillis())
        .of(Responsible.Kind.PARTITION, name, "partition " + name + ": " + text(progress));
  }

  private static String text(PartitionProgress progress) {
    List<String> parts = new ArrayList<>();
    Long lag = progress.lag();
    Long end = progress.endOffset();
    if (progress.standsAtEnd()) {
      parts.add("at its end offset " + end);
    } else if (lag != null) {
      parts.add("behind by " + lag + " of " + end + " offsets");
    } else {
      parts.add(
          end == null
              ? "its end offset was not sampled"
              : "nothing of " + end + " offsets is read");
    }
    add(parts, "sampled", progress.sampledAtMillis());
    add(parts, "last event", progress.maxEventTimeMillis());
    add(parts, "last delivery", progress.deliveredAtMillis());
    add(parts, "promised up to", progress.promisedMillis());
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, String what, @Nullable Long millis) {
    if (millis != null) {
      parts.add(what + " " + TimeText.instant(millis));
    }
  }
}
