package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.FinalTag;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table whose store does as it is told: answers, hangs, fails; and counts how often it is read.
 */
final class ScriptedTable implements FinalityTable, TableSource {
  private final String name;
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger walks = new AtomicInteger();
  private final EngineRun run;
  private volatile Runnable atRead = () -> {};
  private volatile UnaryOperator<TableFinality> said = UnaryOperator.identity();

  ScriptedTable(String name, EngineRun run) {
    this.name = name;
    this.run = run;
  }

  /** What happens at each read before it is answered: it may block or throw. */
  void atRead(Runnable happens) {
    atRead = happens;
  }

  /** What the table says besides what its commits say, as Pinot's administrator changes it. */
  void says(UnaryOperator<TableFinality> change) {
    said = change;
  }

  /** As if its last commit were so old. */
  void isSilentFor(Duration age) {
    says(
        finality ->
            new TableFinality(
                finality.opinion(),
                finality.revoked(),
                finality.snapshotId(),
                finality.foreign(),
                age));
  }

  /** How often the metadata was read. */
  int reads() {
    return reads.get();
  }

  /** How often the commits were walked. */
  int walks() {
    return walks.get();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public FinalityTable table() {
    return this;
  }

  @Override
  public void close() {}

  @Override
  public TableFinality finality() {
    reads.incrementAndGet();
    atRead.run();
    return said.apply(run.finality());
  }

  @Override
  public Stream<RecentCommit> commits() {
    walks.incrementAndGet();
    return run.newestFirst();
  }

  @Override
  public List<String> revocation() {
    return List.of();
  }

  @Override
  public void retire(String writer) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public void completeBootstrap(Instant from) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public void reset() {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public FinalTag tag(String tag, long startMillis, long endMillis, @Nullable Duration keep) {
    throw new UnsupportedOperationException("read-only");
  }
}
