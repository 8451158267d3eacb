package dev.tidemark.spark.source;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A database and who asks it. No message and no text of it holds a password.
 *
 * @param url for JDBC, of the database or, better, of a read replica
 * @param user null if the URL names it, or none is needed
 * @param password null likewise
 */
public record SourceDatabase(String url, @Nullable String user, @Nullable String password) {
  private static final String MARIADB = "jdbc:mariadb:";
  private static final String MYSQL = "jdbc:mysql:";
  private static final String PERMIT = "permitMysqlScheme";

  /**
   * A database whose password is in the environment.
   *
   * @param variable null for no password
   * @throws IllegalArgumentException if the variable is not set
   */
  public static SourceDatabase of(String url, @Nullable String user, @Nullable String variable) {
    String password = variable == null ? null : System.getenv(variable);
    if (variable != null && password == null) {
      throw new IllegalArgumentException(
          "Cannot read the password of the source: environment variable %s is not set (expected: the password in it)"
              .formatted(variable));
    }
    return new SourceDatabase(url, user, password);
  }

  /**
   * A connection, which the caller closes.
   *
   * @throws SQLException if the database cannot be reached
   */
  public Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.putAll(login());
    try {
      Connection connection = DriverManager.getDriver(url).connect(url, properties);
      if (connection != null) {
        return connection;
      }
      throw new SQLException("no driver takes this URL");
    } catch (SQLException e) {
      // Not as the cause: drivers quote URLs, and whoever prints it prints its causes.
      throw new SQLException("Cannot connect to %s: %s".formatted(this, discreet(e)));
    }
  }

  private String discreet(SQLException e) {
    String message = Discretion.message(String.valueOf(e.getMessage()).replace(url, toString()));
    return password == null || password.isEmpty() ? message : message.replace(password, "***");
  }

  private Map<String, String> login() {
    Map<String, String> login = new HashMap<>();
    if (user != null) {
      login.put("user", user);
    }
    if (password != null) {
      login.put("password", password);
    }
    return login;
  }

  /**
   * What Spark's JDBC source needs to read it right. Of MariaDB: names are quoted as it quotes
   * them, which Spark does for {@code jdbc:mysql:} alone (it would read {@code "id"} as a text);
   * times are in UTC, whatever zone the server and this JVM are in; a TINYINT(1) is a number, as in
   * the change events; and rows come as they are read, not all at once.
   */
  Map<String, String> sparkOptions() {
    Map<String, String> options = new HashMap<>(login());
    options.put("url", url);
    options.put("fetchsize", "10000");
    if (isMariaDb()) {
      options.put("url", forSpark());
      options.put("driver", "org.mariadb.jdbc.Driver");
      options.put("sessionInitStatement", "SET time_zone = '+00:00'");
      options.put("connectionTimeZone", "UTC");
      options.put("preserveInstants", "true");
      options.put("tinyInt1isBit", "false");
      options.put("yearIsDateType", "false");
    }
    return options;
  }

  private boolean isMariaDb() {
    return url.startsWith(MARIADB) || (url.startsWith(MYSQL) && url.contains(PERMIT));
  }

  private String forSpark() {
    if (url.startsWith(MYSQL)) {
      return url;
    }
    return MYSQL + url.substring(MARIADB.length()) + (url.contains("?") ? "&" : "?") + PERMIT;
  }

  /** The URL without its options and without a login, either of which may hold a password. */
  @Override
  public String toString() {
    return Discretion.url(url);
  }
}
