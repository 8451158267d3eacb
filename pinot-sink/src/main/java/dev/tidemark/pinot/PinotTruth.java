package dev.tidemark.pinot;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentLineage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a Pinot table says of its completeness. The authority are the carriers that readers see: of
 * each writer the newest, and of those the one that claims most. The mirror counts beside them as
 * long as its carrier is seen, or was taken away by retention or by a merge. Immutable.
 *
 * @param opinion the truth; null if nothing is claimed
 * @param commits the newest finished commits that readers see, newest first
 * @param mirror what the table config says
 * @param visible names of the segments that readers see
 * @param contradictions why the mirror cannot be true any more; empty if it can
 */
public record PinotTruth(
    @Nullable Opinion opinion,
    List<RecentCommit> commits,
    PinotMirror mirror,
    Set<String> visible,
    List<Contradiction> contradictions) {
  private static final Comparator<Claim> LEAST_FIRST =
      Comparator.<Claim>comparingInt(claim -> claim.opinion().epoch())
          .thenComparing(
              claim -> claim.opinion().watermarkMillis(),
              Comparator.nullsFirst(Comparator.naturalOrder()))
          .thenComparingLong(Claim::timeMillis);

  /**
   * One thing that cannot be.
   *
   * @param runId the run whose commit is gone
   * @param isAhead true if the mirror claims what no carrier that is seen does; false if segments
   *     of the newest commit's run are missing
   * @param reason for people
   */
  public record Contradiction(String runId, boolean isAhead, String reason) {}

  /** What one carrier or entry says; an administrator's word is about all writers. */
  private record Claim(
      Opinion opinion, long timeMillis, @Nullable String writer, boolean isOfAdmin) {}

  public PinotTruth {
    commits = List.copyOf(commits);
    visible = Set.copyOf(visible);
    contradictions = List.copyOf(contradictions);
  }

  /**
   * Reads the truth of a table.
   *
   * @param search remembers what earlier reads have found
   * @param nowMillis judges what retention may have taken, epoch milliseconds
   * @throws IllegalArgumentException if there is no such table, or an opinion has a newer format
   */
  public static PinotTruth read(
      PinotTable table, ControllerClient controller, CommitSearch search, long nowMillis) {
    return readWithout(
        Set.of(), new CommitRecord.RunRef("", 0), table, controller, search, nowMillis);
  }

  /**
   * The truth as it will be once these segments are replaced. What was published on the carriers of
   * other runs stays true, since their rows come anew; a run that takes its own back was wound
   * back.
   *
   * @param replacing the run that replaces them, with what it withdraws
   */
  public static PinotTruth readWithout(
      Set<String> replaced,
      CommitRecord.RunRef replacing,
      PinotTable table,
      ControllerClient controller,
      CommitSearch search,
      long nowMillis) {
    JsonNode config =
        controller
            .tableConfig(table)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Cannot read the finality of " + table + " (expected: a table)"));
    Set<String> visible = new LinkedHashSet<>(controller.visibleSegments(table));
    visible.removeAll(replaced);
    Set<String> handedOver = new LinkedHashSet<>(replaced);
    handedOver.removeIf(new RunSegments(replacing.id())::isOne);
    PinotMirror mirror = PinotMirror.of(config);
    Withdrawals known =
        Withdrawals.NONE
            .with(List.of(replacing))
            .with(mirror.entries().values().stream().flatMap(PinotTruth::run).toList());
    List<RecentCommit> commits = search.newestFirst(visible, known);
    Withdrawals withdrawals =
        known.with(
            commits.stream().map(RecentCommit::properties).flatMap(PinotTruth::run).toList());
    Losses losses = new Losses(config, nowMillis, table, controller);
    return new Reading(mirror, visible, handedOver, commits, withdrawals, losses).truth();
  }

  private static Stream<CommitRecord.RunRef> run(Map<String, String> properties) {
    return CommitRecord.read(properties).map(CommitRecord::run).stream();
  }

  /** The newest finished commit that readers see; empty if there is none. */
  public Optional<RecentCommit> newest() {
    return commits.stream().findFirst();
  }

  /** The watermark of the truth, exclusive; null if there is none. */
  public @Nullable Long watermarkMillis() {
    return opinion == null ? null : opinion.watermarkMillis();
  }

  /** Whether readers were told more than the table holds. */
  public boolean isRevoked() {
    return !contradictions.isEmpty();
  }

  /** Whether somebody else than this run took away what it builds on. */
  public boolean isRolledBackFor(String runId) {
    return contradictions.stream().anyMatch(c -> !c.isAhead() || !c.runId().equals(runId));
  }

  /** Whether the opinion was carried over from another table, which raises it further. */
  public boolean isCarriedOver() {
    return newest()
        .map(commit -> commit.properties().containsKey(PinotProperties.CARRIED_OVER))
        .orElse(false);
  }

  /** One reading on its way to the truth. */
  private record Reading(
      PinotMirror mirror,
      Set<String> visible,
      Set<String> handedOver,
      List<RecentCommit> commits,
      Withdrawals withdrawals,
      Losses losses) {

    PinotTruth truth() {
      List<Claim> claims = new ArrayList<>();
      commits.forEach(commit -> addClaim(claims, commit.properties(), false));
      List<Map<String, String>> unfounded = new ArrayList<>();
      mirror
          .entries()
          .forEach(
              (key, entry) -> {
                boolean isOfAdmin = key.equals(PinotProperties.ADMIN);
                if (isFounded(entry) && (isOfAdmin || !isWithdrawn(entry))) {
                  addClaim(claims, entry, isOfAdmin);
                } else {
                  unfounded.add(entry);
                }
              });
      Opinion opinion = joined(claims);
      List<Contradiction> contradictions = new ArrayList<>();
      unfounded.forEach(entry -> addAhead(contradictions, entry, opinion));
      addMissing(contradictions, opinion, mirror);
      return new PinotTruth(opinion, commits, mirror, visible, contradictions);
    }

    private boolean isFounded(Map<String, String> entry) {
      CommitRecord record = CommitRecord.read(entry).orElse(null);
      String carrier = record == null ? null : record.carrier();
      return record == null
          || carrier == null
          || visible.contains(carrier)
          || handedOver.contains(carrier)
          || losses.explain(record, carrier);
    }

    private boolean isWithdrawn(Map<String, String> entry) {
      return CommitRecord.read(entry).filter(withdrawals::isWithdrawn).isPresent();
    }

    private void addAhead(
        List<Contradiction> contradictions, Map<String, String> entry, @Nullable Opinion truth) {
      Long published = FinalizationProperties.number(entry, FinalizationProperties.WATERMARK_MS);
      if (published != null && isAhead(entry, published, truth)) {
        CommitRecord record = CommitRecord.read(entry).orElseThrow();
        contradictions.add(
            new Contradiction(
                record.run().id(),
                true,
                "the table config shows a watermark whose commit "
                    + record.commitId()
                    + (isWithdrawn(entry)
                        ? " is withdrawn: the run was wound back"
                        : " is gone: segment " + record.carrier())));
      }
    }

    /** What a reset has taken back since is no claim any more. */
    private static boolean isAhead(
        Map<String, String> entry, long published, @Nullable Opinion truth) {
      if (truth == null) {
        return true;
      }
      Long epoch = FinalizationProperties.number(entry, FinalizationProperties.EPOCH);
      long entryEpoch = epoch == null ? 0 : epoch;
      Long held = truth.watermarkMillis();
      return entryEpoch > truth.epoch()
          || (entryEpoch == truth.epoch() && (held == null || published > held));
    }

    private void addMissing(
        List<Contradiction> contradictions, @Nullable Opinion truth, PinotMirror mirror) {
      CommitRecord newest =
          commits.isEmpty() ? null : CommitRecord.read(commits.get(0).properties()).orElse(null);
      if (newest == null || truth == null || truth.watermarkMillis() == null) {
        return;
      }
      long there = new RunSegments(newest.run().id()).count(visible);
      String carrier = Objects.requireNonNull(newest.carrier());
      long expected = Math.min(newest.size().runSegments(), accepted(newest, mirror));
      if (there < expected && !losses.mayHaveTakenOfRun(newest)) {
        contradictions.add(
            new Contradiction(
                newest.run().id(),
                false,
                "run "
                    + newest.run().id()
                    + " has "
                    + there
                    + " segments (expected: "
                    + expected
                    + ", as its newest commit says)"));
      }
    }

    /** How many segments an administrator has accepted, since the run's newest commit. */
    private static long accepted(CommitRecord newest, PinotMirror mirror) {
      return CommitRecord.read(mirror.entries().getOrDefault(PinotProperties.ADMIN, Map.of()))
          .filter(reset -> reset.commitId().equals(newest.commitId()))
          .map(reset -> reset.size().runSegments())
          .orElse(Long.MAX_VALUE);
    }

    private static void addClaim(
        List<Claim> claims, Map<String, String> properties, boolean isOfAdmin) {
      Long time = FinalizationProperties.number(properties, PinotProperties.COMMIT_TIME_MS);
      FinalizationProperties.readOpinion(properties)
          .ifPresent(
              opinion ->
                  claims.add(
                      new Claim(
                          opinion,
                          time == null ? 0 : time,
                          properties.get(FinalizationProperties.WRITER),
                          isOfAdmin)));
    }

    /**
     * What claims most, with each other writer as its own newest commit knows it: two writers that
     * commit at once do not see each other.
     */
    private static @Nullable Opinion joined(List<Claim> claims) {
      if (claims.isEmpty()) {
        return null;
      }
      Claim most = claims.stream().max(LEAST_FIRST).orElseThrow();
      SortedMap<String, WriterState> writers = new TreeMap<>(most.opinion().writers());
      Map<String, Long> heard = new HashMap<>();
      claims.stream()
          .sorted(Comparator.comparingLong(Claim::timeMillis))
          .forEach(
              claim -> {
                String writer = claim.writer();
                WriterState own = writer == null ? null : claim.opinion().writers().get(writer);
                boolean known = writer != null && writers.containsKey(writer);
                if (own != null && (known || claim.timeMillis() > most.timeMillis())) {
                  writers.put(Objects.requireNonNull(writer), own);
                }
                if (writer != null) {
                  heard.put(writer, claim.timeMillis());
                }
              });
      claims.stream()
          .filter(claim -> claim.isOfAdmin() && claim.opinion().epoch() == most.opinion().epoch())
          .forEach(claim -> retire(writers, claim, heard));
      return most.opinion().withNewest(writers);
    }

    /** A commit that was on its way when a writer was retired still names it. */
    private static void retire(
        SortedMap<String, WriterState> writers, Claim admin, Map<String, Long> heard) {
      writers
          .keySet()
          .removeIf(
              writer ->
                  !admin.opinion().writers().containsKey(writer)
                      && heard.containsKey(writer)
                      && heard.get(writer) < admin.timeMillis());
    }
  }

  /** What may take segments away without taking rows away that anybody was promised. */
  private static final class Losses {
    private final JsonNode config;
    private final long nowMillis;
    private final PinotTable table;
    private final ControllerClient controller;

    Losses(JsonNode config, long nowMillis, PinotTable table, ControllerClient controller) {
      this.config = config;
      this.nowMillis = nowMillis;
      this.table = table;
      this.controller = controller;
    }

    boolean explain(CommitRecord record, String carrier) {
      return mayHaveTaken(record.size().beginMillis()) || isReplacedByOthers(record, carrier);
    }

    /** Its earlier commits expire before its newest does. */
    boolean mayHaveTakenOfRun(CommitRecord newest) {
      return mayHaveTaken(newest.size().beginMillis())
          || mayHaveTaken(newest.size().runBeginMillis());
    }

    private boolean mayHaveTaken(@Nullable Long beginMillis) {
      Long retention = PinotConfigs.retentionMillis(config);
      boolean expired =
          beginMillis != null && retention != null && beginMillis < nowMillis - retention;
      return expired || PinotConfigs.rewritesSegments(config);
    }

    /** A run that was wound back replaces its own segments: those rows are gone for the moment. */
    private boolean isReplacedByOthers(CommitRecord record, String carrier) {
      for (SegmentLineage.Entry entry : controller.lineage(table).list()) {
        boolean replaced =
            entry.state() == SegmentLineage.State.COMPLETED
                && !entry.to().isEmpty()
                && entry.from().contains(carrier);
        if (replaced && new RunSegments(record.run().id()).count(entry.to()) == 0) {
          return true;
        }
      }
      return false;
    }
  }
}
