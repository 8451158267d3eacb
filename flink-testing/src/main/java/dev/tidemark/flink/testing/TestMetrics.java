package dev.tidemark.flink.testing;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Keeps every metric that jobs of the shared cluster registered, also after their end. Thread-safe.
 */
public final class TestMetrics implements MetricReporter {
  private static final List<Registered> ALL = new CopyOnWriteArrayList<>();

  private record Registered(Metric metric, String job, String name) {}

  /** Found by Flink as a service. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new TestMetrics();
    }
  }

  /** The sum of a counter over all subtasks and attempts of a job. */
  public static long counter(RunningJob job, String name) {
    return find(job, name).stream()
        .map(Registered::metric)
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  /** The greatest value of a gauge over all subtasks and attempts of a job. */
  public static long gauge(RunningJob job, String name) {
    return find(job, name).stream()
        .map(Registered::metric)
        .mapToLong(metric -> (Long) ((Gauge<?>) metric).getValue())
        .max()
        .orElseThrow();
  }

  private static List<Registered> find(RunningJob job, String name) {
    List<Registered> found =
        ALL.stream()
            .filter(metric -> metric.job().equals(job.id()) && metric.name().equals(name))
            .toList();
    if (found.isEmpty()) {
      throw new AssertionError("No metric " + name + " of job " + job.id());
    }
    return found;
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {}

  @Override
  public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
    String job = group.getAllVariables().get("<job_id>");
    String scope = group.getMetricIdentifier(name);
    if (job != null && group.getAllVariables().containsKey("<operator_id>")) {
      ALL.add(new Registered(metric, job, scope.contains(".pinot.") ? "pinot." + name : name));
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}
}
