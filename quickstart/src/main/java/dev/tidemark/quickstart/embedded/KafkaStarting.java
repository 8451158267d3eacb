package dev.tidemark.quickstart.embedded;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;

/**
 * Formats and starts a Kafka node inside this JVM. A node that cannot start would end the JVM: here
 * it throws. While it starts, this changes what Kafka does in place of {@link System#exit}, for the
 * whole JVM, so one node starts at a time.
 */
final class KafkaStarting {
  private KafkaStarting() {}

  /** Writes the metadata that an empty log directory needs. */
  static void format(Path settings) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    String[] arguments = {
      "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", settings.toString()
    };
    int status =
        StorageTool.execute(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));
    if (status != 0) {
      throw new IllegalStateException(
          "Cannot format the log directory of Kafka, see %s: %s"
              .formatted(settings, output.toString(StandardCharsets.UTF_8)));
    }
  }

  /** Starts a node and waits until it serves requests. */
  static synchronized KafkaRaftServer start(Properties settings) {
    Exit.setExitProcedure(KafkaStarting::refuse);
    Exit.setHaltProcedure(KafkaStarting::refuse);
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
    try {
      server.startup();
      return server;
    } catch (RuntimeException e) {
      server.shutdown();
      throw new IllegalStateException("Cannot start Kafka on " + settings.get("listeners"), e);
    } finally {
      Exit.resetExitProcedure();
      Exit.resetHaltProcedure();
    }
  }

  private static void refuse(int status, String message) {
    throw new IllegalStateException("Kafka gave up with status " + status + ": " + message);
  }
}
