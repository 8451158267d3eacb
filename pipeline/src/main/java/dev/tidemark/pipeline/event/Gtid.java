package dev.tidemark.pipeline.event;

import java.io.Serializable;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A MariaDB global transaction id, {@code domain-server-sequence}. Within one domain the sequence
 * orders transactions; sequences of different domains say nothing about each other.
 *
 * @param domain 0 to 2^32-1
 * @param server 0 to 2^32-1; no part of the order
 * @param sequence an unsigned 64-bit number, never 0
 */
public record Gtid(long domain, long server, long sequence) implements Serializable {
  private static final Pattern FORM = Pattern.compile("(\\d{1,10})-(\\d{1,10})-(\\d{1,20})");
  private static final long MAX_UNSIGNED_INT = 0xFFFF_FFFFL;

  public Gtid {
    if (domain < 0 || domain > MAX_UNSIGNED_INT || server < 0 || server > MAX_UNSIGNED_INT) {
      throw new IllegalArgumentException(
          "GTID domain and server: %d, %d (expected: 0 to 4294967295)".formatted(domain, server));
    }
    if (sequence == 0) {
      throw new IllegalArgumentException("GTID sequence: 0 (expected: >= 1)");
    }
  }

  /** The GTID that {@code text} spells; empty when it is no MariaDB GTID. */
  public static Optional<Gtid> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Gtid(
              Long.parseLong(matcher.group(1)),
              Long.parseLong(matcher.group(2)),
              Long.parseUnsignedLong(matcher.group(3))));
    } catch (IllegalArgumentException outOfRange) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return domain + "-" + server + "-" + Long.toUnsignedString(sequence);
  }
}
