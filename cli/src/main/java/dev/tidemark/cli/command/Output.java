package dev.tidemark.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Model.CommandSpec;

/** Where a command prints to: text for people, coloured on a terminal alone, or one document. */
final class Output {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private final PrintWriter out;
  private final PrintWriter err;
  private final Ansi ansi;

  private Output(PrintWriter out, PrintWriter err, Ansi ansi) {
    this.out = out;
    this.err = err;
    this.ansi = ansi;
  }

  static Output of(CommandSpec spec) {
    return new Output(
        spec.commandLine().getOut(),
        spec.commandLine().getErr(),
        spec.commandLine().getColorScheme().ansi());
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  /** Says something that is no result. */
  void complain(String text) {
    err.println(text);
    err.flush();
  }

  void json(JsonNode node) {
    try {
      line(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In a colour, if there is somebody to see it. */
  String paint(Style style, String text) {
    return ansi.enabled() ? style.on() + text + style.off() : text;
  }
}
