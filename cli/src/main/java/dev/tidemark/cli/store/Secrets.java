package dev.tidemark.cli.store;

import java.util.regex.Pattern;

/** Messages of stores repeat what they were configured with; this takes the secrets out of them. */
public final class Secrets {
  private static final String HIDDEN = "***";

  /** {@code ://user:password@}. */
  private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/@\\s\"']+(?=@)");

  /** {@code jdbc:oracle:thin:user/password@}. */
  private static final Pattern ORACLE =
      Pattern.compile("(?<=jdbc:oracle:[a-z]{1,6}:)[^@\\s]+(?=@)");

  /** {@code password=…}, {@code "s3.secret-access-key": "…"}, up to the next separator. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)([\\w.-]*(?:password|passwd|passphrase|pwd|token|secret|credential|signature"
              + "|access[-_.]?key|api[-_.]?key)[\\w.-]*\"?(?:=|\\s*:\\s*(?=\")))"
              + "(\"[^\"]*\"|[^\\s&;,)\\]}\"']+)");

  private Secrets() {}

  /**
   * The text with stars for user-info in URLs, and for the values of passwords, tokens and keys.
   */
  public static String hide(String text) {
    String named = NAMED.matcher(text).replaceAll("$1" + HIDDEN);
    return ORACLE.matcher(USER_INFO.matcher(named).replaceAll(HIDDEN)).replaceAll(HIDDEN);
  }
}
