package dev.tidemark.spark.plan;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a session for as long as something runs. They hold for the whole session: use one
 * from one thread at a time.
 */
public final class SessionSettings {
  private SessionSettings() {}

  /** Runs with settings, and puts back what was there before. */
  public static <T> T run(SparkSession spark, Map<String, String> settings, Supplier<T> action) {
    Map<String, @Nullable String> before = new HashMap<>();
    settings.keySet().forEach(key -> before.put(key, current(spark, key)));
    try {
      settings.forEach((key, value) -> spark.conf().set(key, value));
      return action.get();
    } finally {
      before.forEach((key, value) -> restore(spark, key, value));
    }
  }

  private static @Nullable String current(SparkSession spark, String key) {
    // Not getOption: that gives the default of a setting which nobody has set.
    return spark.conf().getAll().get(key).getOrElse(() -> null);
  }

  private static void restore(SparkSession spark, String key, @Nullable String value) {
    if (value == null) {
      spark.conf().unset(key);
    } else {
      spark.conf().set(key, value);
    }
  }
}
