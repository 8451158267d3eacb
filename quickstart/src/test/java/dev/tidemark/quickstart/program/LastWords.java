package dev.tidemark.quickstart.program;

import java.util.concurrent.CountDownLatch;

/** A program that prints and complains, and then fails, or waits for ever. */
final class LastWords {
  private LastWords() {}

  public static void main(String[] args) throws InterruptedException {
    System.out.println("pid " + ProcessHandle.current().pid());
    for (int i = 1; i <= 100; i++) {
      System.err.println("complaint " + i);
    }
    new IllegalStateException("no room left").printStackTrace();
    System.out.println("begun");
    if (args[0].equals("hang")) {
      new CountDownLatch(1).await();
    }
    System.exit(Integer.parseInt(args[0]));
  }
}
