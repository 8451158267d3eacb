package dev.tidemark.spark.shadow;

import dev.tidemark.pipeline.json.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report as text, JSON or HTML. */
public enum ReportFormat {
  /** For a terminal. */
  TEXT {
    @Override
    public String write(ShadowReport report) {
      StringBuilder text = new StringBuilder();
      text.append(headline(report)).append('\n');
      text.append(
          "  rows: %d, reference %d\n".formatted(report.baseRows(), report.referenceRows()));
      text.append(
          "  buckets that differ: %d of %d\n".formatted(report.differing(), report.buckets()));
      notes(report).forEach(note -> text.append("  ").append(note).append('\n'));
      report.found().forEach((kind, keys) -> text.append("  %-10s %d\n".formatted(kind, keys)));
      for (ShadowReport.Sample sample : report.samples()) {
        text.append("  %s %s\n".formatted(sample.kind(), sample.key()));
        text.append("    base      %s\n".formatted(sample.baseRow()));
        text.append("    reference %s\n".formatted(sample.referenceRow()));
      }
      return text.toString();
    }
  },
  /** For programs, one line. */
  JSON {
    @Override
    public String write(ShadowReport report) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("base", report.base());
      object.put("table", report.table() == null ? null : report.table().toString());
      object.put("reference", report.reference());
      object.put("at", report.at());
      object.put("cut", report.cut());
      object.put("clean", report.isClean());
      object.put("baseRows", report.baseRows());
      object.put("referenceRows", report.referenceRows());
      object.put("settled", report.settled());
      object.put("buckets", (long) report.buckets());
      object.put("differing", (long) report.differing());
      object.put("unexplained", (long) report.unexplained());
      object.put("ignored", report.ignored());
      object.put("onlyInReference", report.onlyInReference());
      Map<String, @Nullable Object> found = new LinkedHashMap<>();
      report.found().forEach((kind, keys) -> found.put(kind.name(), keys));
      object.put("found", found);
      List<Object> samples = new ArrayList<>();
      for (ShadowReport.Sample sample : report.samples()) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        one.put("kind", sample.kind().name());
        one.put("key", sample.key());
        one.put("base", sample.baseRow());
        one.put("reference", sample.referenceRow());
        samples.add(one);
      }
      object.put("samples", samples);
      return JsonText.of(object);
    }
  },
  /** For people, a page of its own. */
  HTML {
    @Override
    public String write(ShadowReport report) {
      StringBuilder page = new StringBuilder("<!doctype html><meta charset=\"utf-8\">");
      page.append("<title>%1$s</title><h1>%1$s</h1>".formatted(escaped(headline(report))));
      page.append(
          "<p>%d rows, reference %d; %d of %d buckets differ.</p>"
              .formatted(
                  report.baseRows(), report.referenceRows(), report.differing(), report.buckets()));
      notes(report).forEach(note -> page.append("<p>%s</p>".formatted(escaped(note))));
      page.append("<table>");
      report.found().forEach((kind, keys) -> page.append("<tr><td>%s<td>%d".formatted(kind, keys)));
      page.append("</table><table><tr><th>class<th>key<th>base<th>reference");
      for (ShadowReport.Sample sample : report.samples()) {
        page.append(
            "<tr><td>%s<td>%s<td>%s<td>%s"
                .formatted(
                    sample.kind(),
                    escaped(sample.key()),
                    escaped(String.valueOf(sample.baseRow())),
                    escaped(String.valueOf(sample.referenceRow()))));
      }
      return page.append("</table>\n").toString();
    }
  };

  /** The report in this form. */
  public abstract String write(ShadowReport report);

  /** What the numbers do not say. */
  private static List<String> notes(ShadowReport report) {
    List<String> notes = new ArrayList<>();
    if (!report.ignored().isEmpty()) {
      notes.add("columns that were not compared: " + String.join(", ", report.ignored()));
    }
    if (!report.onlyInReference().isEmpty()) {
      notes.add(
          "columns that the reference has and the base lacks: "
              + String.join(", ", report.onlyInReference()));
    }
    return notes;
  }

  private static String headline(ShadowReport report) {
    return "%s: %s against %s at cut %s"
        .formatted(
            verdict(report),
            report.base(),
            report.reference(),
            report.cut() == null ? "none" : report.cut());
  }

  private static String verdict(ShadowReport report) {
    if (report.isClean()) {
      return "CLEAN";
    }
    if (report.wrong() == 0 && report.isVoid()) {
      return "NOTHING COMPARED, every row lies after the cut";
    }
    return report.wrong() == 0
        ? report.unexplained() + " BUCKETS DIFFER WITHOUT A KEY"
        : report.wrong() + " WRONG KEYS";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
