package dev.tidemark.quickstart.embedded;

import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * The reader of MariaDB's binary log writes to java.util.logging, whose default prints every line.
 */
public final class QuietLogging {
  private QuietLogging() {}

  /** Sends java.util.logging to SLF4J, for the whole JVM, once. */
  public static synchronized void routeJavaUtilLogging() {
    if (!SLF4JBridgeHandler.isInstalled()) {
      SLF4JBridgeHandler.removeHandlersForRootLogger();
      SLF4JBridgeHandler.install();
    }
  }
}
