package dev.tidemark.pipeline.ledger;

import dev.tidemark.pipeline.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.codec.digest.MurmurHash3;
import org.jspecify.annotations.Nullable;

/**
 * A primary key as text, and the 64-bit hash of it.
 *
 * <p>The text is the canonical JSON array of the key's values in the order of the ledger, say
 * {@code [50,"T1"]}. The hash is the first half of MurmurHash3 x64 128 with seed 0 over its UTF-8
 * bytes, h1: the same in every language and release, and pinned by a test.
 */
public final class PrimaryKeyHash {
  private PrimaryKeyHash() {}

  /** The text of a key. */
  public static String text(List<? extends @Nullable Object> values) {
    return JsonText.of(values);
  }

  /** The hash of a key's text. */
  public static long hash(String text) {
    return MurmurHash3.hash128x64(text.getBytes(StandardCharsets.UTF_8))[0];
  }
}
