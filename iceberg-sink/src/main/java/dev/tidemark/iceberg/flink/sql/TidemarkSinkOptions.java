package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import dev.tidemark.iceberg.commit.MirrorMode;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;

/**
 * The table options that configure our sink in SQL: those of {@link FinalizationOptions}, and what
 * only Iceberg's has. With none of them an INSERT is one of the stock sink; with any, finalization
 * is on.
 */
public final class TidemarkSinkOptions {
  /** When the table property that mirrors the watermark is written. */
  public static final ConfigOption<MirrorMode> MIRROR_MODE =
      ConfigOptions.key(FinalizationOptions.PREFIX + "mirror-mode")
          .enumType(MirrorMode.class)
          .defaultValue(MirrorMode.SAME_COMMIT)
          .withDescription(
              "When the table properties finalization.* are written: in the same_commit as the data,"
                  + " or post_commit, in one of their own.");

  /** All of them. */
  static final List<ConfigOption<?>> ALL =
      Stream.<ConfigOption<?>>concat(FinalizationOptions.ALL.stream(), Stream.of(MIRROR_MODE))
          .toList();

  private TidemarkSinkOptions() {}
}
