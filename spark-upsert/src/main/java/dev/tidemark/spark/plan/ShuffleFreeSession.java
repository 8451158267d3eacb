package dev.tidemark.spark.plan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;

/**
 * Runs something with the session settings that let Spark join two tables bucket by bucket, and
 * those under which the texts of a merge mean what they say, and puts the session back as it was.
 * Settings are those of the session: use a session from one thread at a time.
 */
public final class ShuffleFreeSession {
  /** Joins keys per (hour, bucket) instead of per bucket: latest rows are then wrong, silently. */
  static final String SUBSET_OF_KEYS =
      "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled";

  /** Iceberg's write-audit-publish. */
  private static final List<String> AUDIT = List.of("spark.wap.branch", "spark.wap.id");

  /** Spark's default and greatest: exchanges are counted in the text of a plan, to its end. */
  private static final int WHOLE_PLAN = Integer.MAX_VALUE - 15;

  private static final Map<String, String> SETTINGS = settings();

  private ShuffleFreeSession() {}

  /**
   * Refuses a session whose settings give wrong results.
   *
   * @throws IllegalStateException naming the setting
   */
  public static void check(SparkSession spark) {
    if (Boolean.parseBoolean(spark.conf().get(SUBSET_OF_KEYS, "false"))) {
      throw new IllegalStateException(
          "Cannot merge: "
              + SUBSET_OF_KEYS
              + "=true (expected: false). With it Spark picks the latest change per hour and bucket"
              + " instead of per key, and rows come out wrong or twice (SPARK-58968). Unset it.");
    }
    for (String setting : AUDIT) {
      String value = spark.conf().getAll().get(setting).getOrElse(() -> null);
      if (value != null) {
        throw new IllegalStateException(
            "Cannot merge: %s=%s (expected: not set). Commits would go past the main branch, where the state of merges and the watermark are, and the next merge would bring all rows again. Unset it."
                .formatted(setting, value));
      }
    }
  }

  /**
   * Runs with the settings, and with more of the caller's.
   *
   * @throws IllegalStateException if {@link #check} refuses the session
   */
  public static <T> T run(SparkSession spark, Map<String, String> more, Supplier<T> action) {
    check(spark);
    Map<String, String> all = new LinkedHashMap<>(SETTINGS);
    all.putAll(more);
    return SessionSettings.run(spark, all, action);
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.sql.sources.v2.bucketing.enabled", "true");
    settings.put("spark.sql.sources.v2.bucketing.pushPartValues.enabled", "true");
    settings.put("spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled", "false");
    settings.put("spark.sql.requireAllClusterKeysForCoPartition", "false");
    settings.put("spark.sql.iceberg.planning.preserve-data-grouping", "true");
    settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    settings.put("spark.sql.maxPlanStringLength", Integer.toString(WHOLE_PLAN));
    settings.put("spark.sql.session.timeZone", "UTC");
    settings.put("spark.sql.datetime.java8API.enabled", "false"); // as tasks of no SQL have it
    settings.put("spark.sql.ansi.enabled", "true");
    settings.put("spark.sql.ansi.doubleQuotedIdentifiers", "false");
    settings.put("spark.sql.legacy.timeParserPolicy", "CORRECTED"); // LEGACY has no microseconds
    return Map.copyOf(settings);
  }
}
