package dev.tidemark.integration.iceberg;

import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.late.LateDataReport;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that keeps what it heard in the test's JVM. */
final class LateLog implements LateDataListener {
  private static final long serialVersionUID = 1L;
  private static final Map<String, List<LateDataReport>> HEARD = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  List<LateDataReport> reports() {
    return HEARD.computeIfAbsent(id, key -> new CopyOnWriteArrayList<>());
  }

  @Override
  public void onLateRecords(String table, LateDataReport report) {
    reports().add(report);
  }
}
