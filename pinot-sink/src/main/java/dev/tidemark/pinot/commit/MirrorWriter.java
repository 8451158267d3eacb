package dev.tidemark.pinot.commit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.Patience;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one entry of a table config, the mirror and ledger of one writer: written where it must be,
 * read back, and written again if somebody else's write has wiped it. The table config is a whole
 * document without a version, so a change of somebody else's between our read and our write is
 * lost, which is why this is seldom done, and quickly.
 */
final class MirrorWriter {
  private static final Logger LOG = LoggerFactory.getLogger(MirrorWriter.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int ATTEMPTS = 5;
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(200);

  private final PinotTable table;
  private final ControllerClient controller;
  private final MirrorWrite way;
  private final String key;
  private final boolean replaces;
  private final Patience patience;

  MirrorWriter(PinotPlan plan, ControllerClient controller, Patience patience) {
    this(
        plan.table(),
        PinotMirror.key(plan.finalization() == null ? null : plan.finalization().writer()),
        plan.mirrorWrite(),
        !plan.replaced().isNone(),
        controller,
        patience);
  }

  /**
   * Keeps any entry.
   *
   * @param key of the table's custom configs
   */
  MirrorWriter(
      PinotTable table,
      String key,
      MirrorWrite way,
      ControllerClient controller,
      Patience patience) {
    this(table, key, way, false, controller, patience);
  }

  private MirrorWriter(
      PinotTable table,
      String key,
      MirrorWrite way,
      boolean replaces,
      ControllerClient controller,
      Patience patience) {
    this.table = table;
    this.replaces = replaces;
    this.controller = controller;
    this.way = way;
    this.key = key;
    this.patience = patience;
  }

  /**
   * Writes what a commit says, if the config does not say as much: the watermark or the epoch has
   * moved, the run has ended or has just replaced segments of others, or the entry is gone.
   *
   * @param carried all that the commit's carrier bears, or would
   * @param always whether it is written even so, since nothing else carries it; unless it would
   *     take back what was published in the same epoch
   */
  void show(Map<String, String> carried, @Nullable CommitRecord record, boolean always) {
    PinotMirror mirror = read();
    Map<String, String> there = mirror.entries().get(key);
    boolean finishes = record != null && record.finished() && !mirror.isFinished(record.run());
    boolean begins =
        replaces
            && record != null
            && record.size().segments() > 0
            && !mirror.hasReplaced(record.run().id());
    boolean moves = moves(carried, there) || (always && !moves(orNone(there), carried));
    if (!moves && !finishes && !begins) {
      return;
    }
    Map<String, String> entry =
        new LinkedHashMap<>(moves || there == null ? mirrored(carried) : there);
    keep(entry, there, PinotProperties.FINISHED_RUNS);
    keep(entry, there, PinotProperties.REPLACING_RUNS);
    if (finishes) {
      entry.put(
          PinotProperties.FINISHED_RUNS,
          mirror.finishedRunsWith(key, Objects.requireNonNull(record).run()));
    }
    if (begins) {
      entry.put(
          PinotProperties.REPLACING_RUNS,
          mirror.replacingRunsWith(key, Objects.requireNonNull(record).run()));
    }
    write(entry);
  }

  private static void keep(
      Map<String, String> entry, @Nullable Map<String, String> there, String list) {
    String kept = orNone(there).get(list);
    if (kept != null) {
      entry.put(list, kept);
    }
  }

  private static Map<String, String> orNone(@Nullable Map<String, String> entry) {
    return entry == null ? Map.of() : entry;
  }

  private PinotMirror read() {
    return PinotMirror.of(config());
  }

  /** A watermark that was published is never taken back, unless the opinion was reset. */
  private static boolean moves(Map<String, String> carried, @Nullable Map<String, String> there) {
    Map<String, String> old = orNone(there);
    long epoch = number(carried, FinalizationProperties.EPOCH, 0);
    long oldEpoch = number(old, FinalizationProperties.EPOCH, 0);
    if (epoch != oldEpoch) {
      return epoch > oldEpoch;
    }
    long none = Long.MIN_VALUE;
    long watermark = number(carried, FinalizationProperties.WATERMARK_MS, none);
    long oldWatermark = number(old, FinalizationProperties.WATERMARK_MS, none);
    boolean fromMoved =
        watermark == oldWatermark
            && watermark != none
            && number(carried, FinalizationProperties.FROM_MS, none)
                != number(old, FinalizationProperties.FROM_MS, none);
    return watermark > oldWatermark || fromMoved;
  }

  /** Facts stay on the carrier. */
  private static Map<String, String> mirrored(Map<String, String> carried) {
    Map<String, String> mirrored = new LinkedHashMap<>(carried);
    mirrored
        .keySet()
        .removeIf(
            k ->
                !k.startsWith(FinalizationProperties.PREFIX)
                    || k.startsWith(FinalizationProperties.PREFIX + "event-time."));
    return mirrored;
  }

  private void write(Map<String, String> entry) {
    String text = PinotMirror.write(entry);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      boolean written =
          way == MirrorWrite.TABLE_CONFIG ? writeThroughTable(entry) : writeThroughZk(text);
      LOG.debug("Wrote {} of {}: {}", key, table, written);
      if (isThere(text)) {
        // Somebody who read the config before this write may put it back as it was.
        patience.pause(BETWEEN_ATTEMPTS);
        if (isThere(text)) {
          return;
        }
      }
      LOG.info("The config of {} was changed by somebody else: writing {} again", table, key);
      patience.pause(BETWEEN_ATTEMPTS.multipliedBy(attempt));
    }
    throw new PinotUnavailableException(
        "Cannot write "
            + key
            + " into the config of "
            + table
            + ": it was gone after each of "
            + ATTEMPTS
            + " attempts (expected: as written; somebody else keeps writing the config)");
  }

  private boolean isThere(String text) {
    return text.equals(config().path("metadata").path("customConfigs").path(key).asText());
  }

  /** A write that failed is not sent again: what was read before it may be stale by now. */
  private boolean writeThroughTable(Map<String, String> entry) {
    try {
      controller.putTableConfig(table, PinotMirror.with(config(), key, entry));
      return true;
    } catch (PinotUnavailableException e) {
      LOG.warn("Could not write the config of {}", table, e);
      return false;
    }
  }

  private boolean writeThroughZk(String text) {
    ControllerClient.ZkNode node = controller.zkTableConfig(table);
    ObjectNode fields = (ObjectNode) node.record().path("simpleFields");
    try {
      String metadata = fields.path("metadata").asText("");
      ObjectNode custom =
          metadata.isBlank() || metadata.equals("null")
              ? MAPPER.createObjectNode()
              : (ObjectNode) MAPPER.readTree(metadata);
      JsonNode configs = custom.get("customConfigs");
      ObjectNode target =
          configs instanceof ObjectNode object ? object : custom.putObject("customConfigs");
      target.put(key, text);
      fields.put("metadata", MAPPER.writeValueAsString(custom));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the config of " + table, e);
    }
    return controller.putZkTableConfig(table, node);
  }

  private JsonNode config() {
    return controller
        .tableConfig(table)
        .orElseThrow(
            () ->
                new PublishFailedException(
                    "Cannot write the config of " + table + ": it is gone (expected: a table)"));
  }

  private static long number(Map<String, String> properties, String name, long absent) {
    Long value = FinalizationProperties.number(properties, name);
    return value == null ? absent : value;
  }
}
