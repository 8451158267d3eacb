package dev.tidemark.flink.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a {@link ScriptedSource} emits, step by step, and when: a step goes out once the test
 * released it. Lives in the test's JVM; the job's tasks find it by its id. The rows are dealt out
 * to a fixed number of splits, so that a job may be rescaled and still replay exactly. Thread-safe.
 *
 * @param <T> the type of a row
 */
public final class Script<T> {
  /** More splits than any test has subtasks. */
  public static final int SPLITS = 4;

  private static final Map<String, Script<?>> SCRIPTS = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();
  private final List<List<T>> rowsOfSplits = new ArrayList<>();
  private final List<List<Integer>> endsOfSteps = new ArrayList<>();
  private final Map<Integer, Integer> positions = new HashMap<>();
  private final Set<Long> checkpoints = new HashSet<>();
  private int released;
  private int failAt = -1;
  private final Set<Integer> endedEarly = new HashSet<>();
  private boolean releasesWithCheckpoints;
  private CompletableFuture<Void> releaseSignal = new CompletableFuture<>();

  private Script() {
    for (int split = 0; split < SPLITS; split++) {
      rowsOfSplits.add(new ArrayList<>());
    }
  }

  /** A script of steps, of which none is released. */
  @SafeVarargs
  public static <T> Script<T> of(List<? extends T>... steps) {
    Script<T> script = new Script<>();
    for (List<? extends T> step : steps) {
      script.add(step);
    }
    SCRIPTS.put(script.id, script);
    return script;
  }

  @SuppressWarnings("unchecked") // a source finds the script that it was made with
  static <T> Script<T> find(String id) {
    return (Script<T>) SCRIPTS.get(id);
  }

  String id() {
    return id;
  }

  /** Adds a step at the end. */
  public synchronized Script<T> add(List<? extends T> step) {
    int number = 0;
    for (T row : step) {
      rowsOfSplits.get(number++ % SPLITS).add(row);
    }
    endsOfSteps.add(rowsOfSplits.stream().map(List::size).toList());
    return this;
  }

  /** Releases the next step. */
  public synchronized Script<T> release() {
    if (released >= endsOfSteps.size()) {
      throw new IllegalStateException("Cannot release step " + released + ": there is none");
    }
    released++;
    signal();
    return this;
  }

  /** Releases all steps. */
  public synchronized Script<T> releaseAll() {
    released = endsOfSteps.size();
    signal();
    return this;
  }

  /** Releases one more step with every completed checkpoint. */
  public synchronized Script<T> releaseWithCheckpoints() {
    releasesWithCheckpoints = true;
    return this;
  }

  /** Has the source throw once, before it emits the row of this number in the first split. */
  public synchronized Script<T> failOnceAt(int rowOfFirstSplit) {
    failAt = rowOfFirstSplit;
    return this;
  }

  /** Has these splits of a bounded source end with the steps that are released. */
  public synchronized Script<T> endEarly(int... splits) {
    for (int split : splits) {
      endedEarly.add(split);
    }
    signal();
    return this;
  }

  /** Releases the next step and waits until its rows went out. */
  public Script<T> emit() {
    release();
    awaitEmitted();
    return this;
  }

  /** Waits until all that was released went out, counted from what the running readers restored. */
  public void awaitEmitted() {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(this::isAllEmitted);
  }

  synchronized void checkpointCompleted(long checkpointId) {
    if (checkpoints.add(checkpointId) && releasesWithCheckpoints && released < endsOfSteps.size()) {
      release();
    }
  }

  synchronized boolean isReleased(int split, int position) {
    return released > 0
        && position < endsOfSteps.get(released - 1).get(split)
        && !endedEarly.contains(split);
  }

  synchronized boolean isAtEnd(int split, int position) {
    return endedEarly.contains(split)
        || released == endsOfSteps.size() && position >= rowsOfSplits.get(split).size();
  }

  synchronized T row(int split, int position) {
    if (split == 0 && position == failAt) {
      failAt = -1;
      throw new SimulatedFailure("the source fails once, as scripted");
    }
    return rowsOfSplits.get(split).get(position);
  }

  synchronized void reached(int split, int position) {
    positions.put(split, position);
  }

  synchronized CompletableFuture<Void> nextRelease() {
    return releaseSignal;
  }

  private synchronized boolean isAllEmitted() {
    for (int split = 0; split < SPLITS; split++) {
      if (isReleased(split, positions.getOrDefault(split, 0))) {
        return false;
      }
    }
    return true;
  }

  synchronized void wakeReaders() {
    signal();
  }

  private void signal() {
    CompletableFuture<Void> done = releaseSignal;
    releaseSignal = new CompletableFuture<>();
    done.complete(null);
  }
}
