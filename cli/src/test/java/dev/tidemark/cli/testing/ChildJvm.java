package dev.tidemark.cli.testing;

import java.util.List;

/** Processes of tests that are a JVM, or start one. */
public final class ChildJvm {
  private ChildJvm() {}

  /** A JVM says on stderr that it picked up these variables, where they are set. */
  public static ProcessBuilder withoutOptionsOfOthers(ProcessBuilder process) {
    process.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return process;
  }
}
