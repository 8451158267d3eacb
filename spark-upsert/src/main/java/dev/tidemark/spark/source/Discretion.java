package dev.tidemark.spark.source;

/** Addresses and messages without the logins that stand in them. */
public final class Discretion {
  private Discretion() {}

  /**
   * An address without user and password: {@code //user:secret@host}, Oracle's {@code
   * thin:user/secret@host}, and whatever follows {@code ?} or {@code ;}.
   */
  public static String url(String url) {
    return url.replaceAll("[?;].*", "").replaceAll("//.*@", "//").replaceAll(":[^:/@]+/.*@", ":@");
  }

  /** A message without logins of the addresses that it quotes. */
  public static String message(String message) {
    return message
        .replaceAll("//[^/\\s]*@", "//")
        .replaceAll(":[^:/@\\s]+/[^@\\s]*@", ":@")
        .replaceAll("(?i)(password|passwd|pwd|token|secret)=[^&;,\\s\"')]*", "$1=***");
  }
}
