package dev.tidemark.spark.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A server that answers one question: SHOW GLOBAL VARIABLES, with what it says of its binlog.
 * Whatever else is asked of it fails. Reached by {@link #url} until it is closed.
 */
public final class ServerVariables extends TestDriver implements AutoCloseable {
  private final Map<String, String> variables;

  private ServerVariables(Map<String, String> variables) {
    this.variables = variables;
  }

  /** One that keeps its binlog for a time. */
  public static ServerVariables of(Duration retention) throws SQLException {
    ServerVariables server =
        new ServerVariables(
            Map.of(
                "log_bin",
                "ON",
                "binlog_expire_logs_seconds",
                Long.toString(retention.toSeconds())));
    DriverManager.registerDriver(server);
    return server;
  }

  /** Where it is reached. */
  public String url() {
    return "jdbc:variables:" + System.identityHashCode(this);
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.equals(url());
  }

  @Override
  public Connection connect(String url, Properties info) {
    return standIn(
        Connection.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "createStatement" -> statement();
              case "close" -> null;
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  private Statement statement() {
    return standIn(
        Statement.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "executeQuery" -> answer((String) arguments[0]);
              case "close" -> null;
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  private ResultSet answer(String query) {
    if (!query.startsWith("SHOW GLOBAL VARIABLES ")) {
      throw new UnsupportedOperationException(query);
    }
    Iterator<Map.Entry<String, String>> rows = variables.entrySet().iterator();
    Row row = new Row();
    return standIn(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "next" -> row.moved(rows);
              case "getString" -> row.values.get((Integer) arguments[0] - 1);
              case "close" -> null;
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  /** The row that a result stands at. */
  private static final class Row {
    private List<String> values = List.of();

    boolean moved(Iterator<Map.Entry<String, String>> rows) {
      if (!rows.hasNext()) {
        return false;
      }
      Map.Entry<String, String> next = rows.next();
      values = List.of(next.getKey(), next.getValue());
      return true;
    }
  }

  private static <T> T standIn(Class<T> type, InvocationHandler answers) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
  }

  @Override
  public void close() throws SQLException {
    DriverManager.deregisterDriver(this);
  }
}
