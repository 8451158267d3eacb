/** Publishes staged segments exactly once and keeps facts and opinion in Pinot. Free of Flink. */
@NullMarked
package dev.tidemark.pinot.commit;

import org.jspecify.annotations.NullMarked;
