package dev.tidemark.spark.testing;

import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.util.Properties;
import java.util.logging.Logger;

/** What a JDBC driver must say of itself beside how it connects. */
public abstract class TestDriver implements Driver {
  @Override
  public final DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public final int getMajorVersion() {
    return 1;
  }

  @Override
  public final int getMinorVersion() {
    return 0;
  }

  @Override
  public final boolean jdbcCompliant() {
    return false;
  }

  @Override
  public final Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
