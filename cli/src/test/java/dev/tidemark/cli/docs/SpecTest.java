package dev.tidemark.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Decision;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.catalog.FinalityCatalog;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.PinotProperties;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/spec.md names every key and no other, and its examples are what the code writes and reads.
 *
 * <p>{@code -Dtidemark.test.spec=<docs/spec.md>} writes the examples into the page.
 */
class SpecTest {
  private static final long TIME = 1_767_265_200_000L; // 2026-01-01T11:00:00Z
  private static final long HOUR = 3_600_000L;
  private static final long MINUTE = 60_000L;
  private static final String COMMIT = "0f8e4f5c-6a39-4a0e-9d0a-2f3c1b7d5e90";

  private static final Pattern KEY_ON_PAGE =
      Pattern.compile("(?:finalization|tidemark\\.state)\\.[a-z0-9.-]*[a-z0-9]");
  private static final Pattern KEY_IN_SOURCE =
      Pattern.compile("(FinalizationProperties\\.PREFIX|STATE_PREFIX)\\s*\\+\\s*\"([a-z0-9.-]+)\"");

  private final SpecPage page = SpecPage.read();

  @Test
  void everyKeyOfTheCodeIsOnThePage() throws Exception {
    assertThat(keysOfTheCode()).hasSizeGreaterThan(50);
    assertThat(keysOfTheCode())
        .allSatisfy(
            key ->
                assertThat(page.text())
                    .contains("`" + key + (key.endsWith(".") ? "NAME" : "") + "`"));
  }

  @Test
  void everyKeyOnThePageIsInTheCode() throws Exception {
    String text = page.text().replace("`finalization.event-time.*`", "");
    Set<String> onPage =
        KEY_ON_PAGE.matcher(text).results().map(m -> m.group()).collect(Collectors.toSet());
    assertThat(keysOfTheCode()).containsAll(onPage);
  }

  @Test
  void everyReasonOfAHoldIsOnThePage() {
    for (Hold.Reason reason : Hold.Reason.values()) {
      assertThat(page.text()).contains("| `" + reason.name() + "` |");
    }
  }

  @Test
  void examplesAreWhatTheCodeWrites() {
    Map<String, String> made = new LinkedHashMap<>();
    made.put("summary", lines(summary()));
    made.put("lists", lists());
    made.put("policies", policies());
    made.put("mirror", lines(mirror().properties()));
    made.put("carrier", lines(carrier()));
    made.put("pinot-mirror", pinotMirror() + "\n");
    if (System.getProperty(SpecPage.WRITE) != null) {
      page.with(made).write();
      return;
    }
    Map<String, String> shown = page.examples();
    assertThat(shown.keySet())
        .containsExactlyInAnyOrder(
            "summary",
            "digest",
            "coverage",
            "window",
            "lists",
            "policies",
            "mirror",
            "merge-state", // read by a test of spark-upsert
            "carrier",
            "pinot-mirror");
    made.forEach((name, text) -> assertThat(shown.get(name)).as(name).isEqualTo(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"digest", "coverage", "window"})
  void bytesShownAreThoseOfTheText(String name) {
    List<String> lines = page.examples().getOrDefault(name, "").lines().toList();
    String bytes =
        lines.stream()
            .skip(1)
            .map(line -> line.split(" {2,}", 2)[0].replace(" ", ""))
            .collect(Collectors.joining());
    assertThat(HexFormat.of().formatHex(Base64.getUrlDecoder().decode(lines.get(0))))
        .isEqualTo(bytes);
    String written =
        switch (name) {
          case "digest" -> sketch().toText();
          case "coverage" -> coverage().toText();
          default -> summary().getOrDefault(FinalizationProperties.WINDOW, "").substring(7);
        };
    assertThat(lines.get(0)).isEqualTo(written.split(",", -1)[0]);
  }

  @Test
  void examplesAreRead() throws Exception {
    Map<String, String> summary = properties("summary");
    assertThat(FinalizationProperties.readOpinion(summary)).contains(opinion());
    assertThat(FinalizationProperties.readCoverage(summary)).contains(coverage());
    assertThat(FinalizationProperties.readLate(summary)).isEqualTo(LateRows.of(late()));
    EventTimeFacts facts = EventTimeProperties.read(summary).orElseThrow();
    assertThat(facts.times()).isEqualTo(sketch());
    assertThat(facts.setAside()).isEqualTo(facts().setAside());
    assertThat(Mirror.of(properties("mirror"))).isEqualTo(mirror());
    assertThat(CommitRecord.read(properties("carrier"))).contains(record());
  }

  /** All constants of the classes that hold keys, and what the sources add elsewhere. */
  private static Set<String> keysOfTheCode() throws Exception {
    Set<String> keys = new TreeSet<>();
    for (Class<?> holder :
        List.of(
            FinalizationProperties.class,
            EventTimeProperties.class,
            Mirror.class,
            PinotProperties.class,
            FinalityCatalog.class)) {
      for (Field field : holder.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
          field.setAccessible(true);
          keys.add((String) field.get(null));
        }
      }
    }
    keys.removeIf(key -> !key.startsWith(FinalizationProperties.PREFIX));
    keys.remove(FinalizationProperties.PREFIX);
    keys.remove(EventTimeProperties.PREFIX);
    for (Path file : sources()) {
      KEY_IN_SOURCE
          .matcher(Files.readString(file))
          .results()
          .forEach(
              match ->
                  keys.add(
                      (match.group(1).equals("STATE_PREFIX")
                              ? FinalityCatalog.STATE_PREFIX
                              : FinalizationProperties.PREFIX)
                          + match.group(2)));
    }
    keys.remove(EventTimeProperties.PREFIX);
    return keys;
  }

  /** Those of all modules; nothing beside them is walked, which others may write meanwhile. */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(Path.of(".."))) {
      for (Path module : modules) {
        Path root = module.resolve(Path.of("src", "main", "java"));
        if (Files.isDirectory(root)) {
          try (Stream<Path> files = Files.walk(root)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    assertThat(sources).isNotEmpty();
    return sources;
  }

  private static EventTimeSketch sketch() {
    return EventTimeSketch.of(TIME, TIME + 10 * MINUTE, TIME + 10 * MINUTE, TIME + HOUR - 1);
  }

  private static EventTimeFacts facts() {
    return new EventTimeFacts(
        sketch(), new SetAside(1, 2, -1, TIME + 99 * HOUR, 0, 0), GranuleCounts.none());
  }

  private static Coverage coverage() {
    return Coverage.of(
        Map.of(
            "orders-0", new PartitionProgress(1_000L, 1_010L, TIME, TIME - 500, null, TIME, 41L),
            "orders-1", new PartitionProgress(7L, 7L, TIME, null, TIME - MINUTE, null, null)));
  }

  private static Opinion opinion() {
    CommitWindow window =
        new CommitWindow(
            List.of(
                new CommitWindow.Run(3, TIME + HOUR, TIME - 10 * MINUTE),
                new CommitWindow.Run(2, TIME + 65 * MINUTE, TIME + MINUTE)),
            TIME + 70 * MINUTE,
            41);
    TreeMap<String, WriterState> writers = new TreeMap<>();
    writers.put("orders", new WriterState(TIME, Evidence.ESTIMATE, TIME + HOUR - 1, "min", window));
    writers.put(
        "returns", new WriterState(null, Evidence.ESTIMATE, null, "min", CommitWindow.EMPTY));
    return new Opinion(
        new FinalizationWatermark(TIME - 24 * HOUR, TIME, Evidence.ESTIMATE),
        PolicyText.parse("min;6;PT30M;PT1H"),
        Hold.of(Hold.Reason.WRITER_BEHIND, List.of("returns")),
        0,
        false,
        writers,
        reopened());
  }

  private static GranuleCounts late() {
    return GranuleCounts.of(new TreeMap<>(Map.of(TIME - 2 * HOUR, 3L, TIME - HOUR, 1L)));
  }

  private static ReopenedGranules reopened() {
    return ReopenedGranules.NONE
        .plus(GranuleCounts.of(new TreeMap<>(Map.of(TIME - 2 * HOUR, 4L))))
        .plus(late());
  }

  private static Map<String, String> summary() {
    Map<String, String> summary = new TreeMap<>(FinalizationProperties.identity("orders", COMMIT));
    summary.putAll(EventTimeProperties.write(facts()));
    summary.putAll(
        FinalizationProperties.write(
            new Outcome(
                opinion(),
                new Decision.Stay(Hold.of(Hold.Reason.WRITER_BEHIND, List.of("returns"))),
                List.of(new LateDataReport(TIME, late(), LateDataReport.Cause.STREAM)),
                coverage(),
                true)));
    return summary;
  }

  private static Mirror mirror() {
    return new Mirror(new TreeMap<>())
        .with(Map.of(Mirror.EVENT_TIME_FIELD_ID, "2", Mirror.EVENT_TIME_TYPE, "timestamptz"))
        .showing(opinion(), 8_123_456_789_012_345_678L, TIME + 70 * MINUTE);
  }

  private static CommitRecord record() {
    return new CommitRecord(
        COMMIT,
        new CommitRecord.RunRef("load", 1, 12L),
        14,
        "orders_load_1_0_7",
        TIME + 70 * MINUTE,
        new CommitRecord.Size(2, 4, 9, TIME - 2 * HOUR, TIME + HOUR - 1, TIME - 24 * HOUR),
        false,
        "orders_load_1_0_5");
  }

  private static Map<String, String> carrier() {
    Map<String, String> carrier = new TreeMap<>(record().properties());
    carrier.putAll(FinalizationProperties.identity("orders", COMMIT));
    return carrier;
  }

  private static String pinotMirror() {
    Map<String, String> entry = carrier();
    entry.putAll(FinalizationProperties.write(opinion()));
    entry.put(PinotProperties.FINISHED_RUNS, "load-2025:0,load-2024:3");
    return PinotMirror.write(entry).replace(",\"", ",\n \"");
  }

  private static String lists() {
    LateRows summed =
        new LateRows(GranuleCounts.of(new TreeMap<>(Map.of(TIME - 2 * HOUR, 7L))), 12);
    return "%-22s%s%n%-22s%s%n%-22s%s%n"
        .formatted(
            "late",
            LateRows.of(late()).toText(),
            "late, older summed",
            summed.toText(),
            "reopened",
            reopened().toText())
        .replace("\r", "");
  }

  private static String policies() {
    return Stream.of(
            "min;6;PT30M;PT1H",
            "quantile:0.01;6;PT30M;PT15M",
            "bounded-lateness:PT10M;1;PT0S;P1D",
            "source-promise;6;PT30M;P1D@Asia/Seoul")
        .map(text -> PolicyText.parse(text) + "\n")
        .collect(Collectors.joining());
  }

  private static String lines(Map<String, String> properties) {
    return new TreeMap<>(properties)
        .entrySet().stream()
            .map(e -> e.getKey() + "=" + e.getValue() + "\n")
            .collect(Collectors.joining());
  }

  private Map<String, String> properties(String example) {
    return page.examples()
        .getOrDefault(example, "")
        .lines()
        .map(line -> line.split("=", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}
