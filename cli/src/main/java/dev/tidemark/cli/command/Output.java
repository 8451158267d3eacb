package dev.tidemark.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine.Model.CommandSpec;

/** Where a command prints to: text for people, or one JSON document. */
final class Output {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private final PrintWriter out;

  private Output(PrintWriter out) {
    this.out = out;
  }

  static Output of(CommandSpec spec) {
    return new Output(spec.commandLine().getOut());
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  void json(JsonNode node) {
    try {
      line(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
