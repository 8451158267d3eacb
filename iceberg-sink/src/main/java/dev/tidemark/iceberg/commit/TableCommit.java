package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.coverage.Coverage;
import java.util.Map;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * One checkpoint's worth of data, ready to be committed.
 *
 * @param identity what it is
 * @param files data and delete files, read only once it is known that they are not committed yet
 * @param counted what the writers counted and the source reported
 * @param engineProperties summary keys of the engine's own recovery
 */
public record TableCommit(
    Identity identity, Files files, Counted counted, Map<String, String> engineProperties) {

  /** The files of a commit, wherever they are kept until it is made. */
  public interface Files {
    /** Whether there is no file: a checkpoint without rows. */
    boolean isEmpty();

    /**
     * The files.
     *
     * @throws java.io.UncheckedIOException if they cannot be read
     */
    WriteResult read();

    /** The files of a checkpoint without rows. */
    static Files none() {
      return of(WriteResult.builder().build());
    }

    /** Files that are at hand. */
    static Files of(WriteResult files) {
      return new Files() {
        @Override
        public boolean isEmpty() {
          return files.dataFiles().length == 0 && files.deleteFiles().length == 0;
        }

        @Override
        public WriteResult read() {
          return files;
        }
      };
    }
  }

  /**
   * What a commit is.
   *
   * @param id made when the files were put together, the same at each delivery
   * @param checkpointId the checkpoint
   * @param createdAtMillis when the id was made, epoch milliseconds
   * @param redelivered whether it may have been committed before: it was restored from state
   */
  public record Identity(
      CommitId id, long checkpointId, long createdAtMillis, boolean redelivered) {}

  /**
   * What was counted.
   *
   * @param accumulated merged accumulators: name to versioned bytes
   * @param coverage where the source stands; null without coverage
   * @param inputEnded whether the input has ended, and the user declared it complete
   */
  public record Counted(
      Map<String, byte[]> accumulated, @Nullable Coverage coverage, boolean inputEnded) {
    public Counted {
      accumulated = Map.copyOf(accumulated);
    }
  }

  public TableCommit {
    engineProperties = Map.copyOf(engineProperties);
  }
}
