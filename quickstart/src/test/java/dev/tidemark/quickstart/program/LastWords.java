package dev.tidemark.quickstart.program;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A program that prints and complains, and then fails, waits for ever, or ends and closes a process
 * of its own while it does.
 */
final class LastWords {
  private LastWords() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    System.out.println("pid " + ProcessHandle.current().pid());
    for (int i = 1; i <= 100; i++) {
      System.err.println("complaint " + i);
    }
    new IllegalStateException("no room left").printStackTrace();
    System.out.println("begun");
    if (args[0].equals("hang")) {
      new CountDownLatch(1).await();
    }
    if (args[0].equals("close")) {
      ChildProcess own =
          ChildProcess.start(
              "one of its own", List.of("sleep", "600"), Path.of(args[1]), line -> {});
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(own)));
      System.exit(0);
    }
    System.exit(Integer.parseInt(args[0]));
  }

  private static void close(ChildProcess own) {
    own.close();
    System.out.println("closed");
  }
}
