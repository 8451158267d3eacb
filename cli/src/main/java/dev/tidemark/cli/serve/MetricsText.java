package dev.tidemark.cli.serve;

import java.math.BigDecimal;
import java.util.Map;

/** Prometheus' text exposition format, version 0.0.4. */
final class MetricsText {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder text = new StringBuilder();

  /** Begins a family; its samples follow. */
  MetricsText family(String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  /** One sample; labels in the order given. */
  MetricsText sample(String name, Map<String, String> labels, double value) {
    text.append(name);
    if (!labels.isEmpty()) {
      text.append('{');
      String separator = "";
      for (Map.Entry<String, String> label : labels.entrySet()) {
        text.append(separator).append(label.getKey()).append("=\"");
        text.append(escaped(label.getValue())).append('"');
        separator = ",";
      }
      text.append('}');
    }
    text.append(' ').append(number(value)).append('\n');
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private static String number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
