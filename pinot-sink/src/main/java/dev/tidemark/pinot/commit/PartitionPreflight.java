package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.controller.ControllerClient;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Compares a run's partitioner with where keys really are. One key in another partition disproves
 * it; it is proved once enough keys agree that a partitioner which only guesses would have less
 * than one chance in ten thousand: {@code partitions ^ -keys}.
 */
public final class PartitionPreflight {
  private static final int KEYS_PER_PARTITION = 50;
  private static final double CHANCE_OF_A_GUESS = 1e-4;

  private final PartitionProof proof;
  private final ControllerClient controller;

  /** A check of one partitioner. */
  public PartitionPreflight(PartitionProof proof, ControllerClient controller) {
    this.proof = proof;
    this.controller = controller;
  }

  /** What came out. */
  public sealed interface Result {}

  /**
   * It is the stream's partitioner.
   *
   * @param keys how many agreed
   */
  public record Proved(int keys) implements Result {
    @Override
    public String toString() {
      return keys + " keys are where the partitioner says";
    }
  }

  /**
   * It is not.
   *
   * @param key one that disproves it
   * @param declared the partition that the run would put it in
   * @param found the partition that it is in
   */
  public record Refused(List<Object> key, int declared, int found) implements Result {
    @Override
    public String toString() {
      return "key "
          + text(key)
          + " is in partition "
          + found
          + " of the stream, the declared"
          + " partitioner puts it into partition "
          + declared;
    }
  }

  /**
   * There is too little to see.
   *
   * @param keys how many agreed
   * @param partitions how many partitions there are
   */
  public record Inconclusive(int keys, int partitions) implements Result {
    @Override
    public String toString() {
      return "only "
          + keys
          + " keys of "
          + partitions
          + " partitions could be seen, too few to prove the partitioner";
    }
  }

  /**
   * Checks.
   *
   * @param partitions how many partitions the stream has
   */
  public Result check(TableShape table, int partitions) {
    int keys = 0;
    Map<Integer, List<List<Object>>> samples =
        proof.samples().sample(table, controller, KEYS_PER_PARTITION);
    for (Map.Entry<Integer, List<List<Object>>> sample : samples.entrySet()) {
      for (List<Object> key : sample.getValue()) {
        int declared = proof.partitioner().partition(key, partitions);
        if (declared != sample.getKey()) {
          return new Refused(key, declared, sample.getKey());
        }
        keys++;
      }
    }
    boolean proved = partitions == 1 || Math.pow(partitions, -keys) <= CHANCE_OF_A_GUESS;
    return proved ? new Proved(keys) : new Inconclusive(keys, partitions);
  }

  private static String text(List<Object> key) {
    return key.stream()
        .map(v -> v instanceof byte[] b ? HexFormat.of().formatHex(b) : String.valueOf(v))
        .collect(Collectors.joining(", ", "(", ")"));
  }
}
