package dev.tidemark.quickstart.program;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Flink inside this JVM. */
public final class LocalFlink {
  private LocalFlink() {}

  /** An environment whose jobs run here, each in a cluster of its own. */
  public static StreamExecutionEnvironment environment(int parallelism) {
    Configuration configuration = new Configuration();
    configuration.setString("rest.bind-port", "0");
    return StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
  }
}
