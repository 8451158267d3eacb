package dev.tidemark.cli.serve;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** Short names for long contents. */
final class Digest {
  private static final int LENGTH = 22;

  private Digest() {}

  static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The first 132 bits of the SHA-256, in characters that an entity tag may have. */
  static String of(byte[] content) {
    return Base64.getUrlEncoder().encodeToString(sha256(content)).substring(0, LENGTH);
  }

  static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
