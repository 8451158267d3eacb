package dev.tidemark.quickstart.program;

import java.util.concurrent.Callable;

/** Runs programs to the end of their JVM. */
public final class Programs {
  private Programs() {}

  /**
   * Ends the JVM with 0 if the program says that all is as it should be, else with 1.
   *
   * @param name for the line about a failure
   */
  public static void runAndExit(String name, Callable<Boolean> program) {
    int exit;
    try {
      exit = program.call() ? 0 : 1;
    } catch (Exception e) {
      System.err.println("Program " + name + " failed: " + e);
      e.printStackTrace();
      exit = 1;
    }
    System.exit(exit);
  }
}
