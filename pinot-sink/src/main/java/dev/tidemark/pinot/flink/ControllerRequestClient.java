package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import java.io.IOException;
import org.apache.pinot.common.utils.http.HttpClient;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.JsonUtils;
import org.apache.pinot.spi.utils.builder.ControllerRequestURLBuilder;

/**
 * Stands in for the class of this name in Pinot's controller, as far as programs for the connector
 * that Pinot ships use it: to fetch a schema and a table config. New programs need it not.
 */
public final class ControllerRequestClient {
  private final ControllerSettings settings;
  private final ControllerClient controller;

  /**
   * A client of the controller behind this builder's base URL.
   *
   * @param httpClient not used: the sink has an HTTP client of its own
   */
  public ControllerRequestClient(
      ControllerRequestURLBuilder controllerRequestUrlBuilder, HttpClient httpClient) {
    this(ControllerSettings.of(controllerRequestUrlBuilder.getBaseUrl()));
  }

  /** A client with authentication or TLS. */
  public ControllerRequestClient(ControllerSettings settings) {
    this.settings = settings;
    this.controller = ControllerClient.of(settings);
  }

  /**
   * The schema of a table.
   *
   * @throws IOException if there is none
   */
  public Schema getSchema(String tableName) throws IOException {
    return Schema.fromString(
        controller.schema(tableName).orElseThrow(() -> missing("schema", tableName)).toString());
  }

  /**
   * The config of a table.
   *
   * @throws IOException if there is none
   */
  public TableConfig getTableConfig(String tableName, TableType tableType) throws IOException {
    PinotTable table = new PinotTable(tableName, PinotTable.Type.valueOf(tableType.name()));
    return JsonUtils.jsonNodeToObject(
        controller.tableConfig(table).orElseThrow(() -> missing("config", table.nameWithType())),
        TableConfig.class);
  }

  /** Where the controller is. */
  String url() {
    return settings.url();
  }

  private IOException missing(String what, String table) {
    return new IOException(
        "Missing "
            + what
            + " of table "
            + table
            + " (expected: the controller "
            + settings
            + " to know it)");
  }
}
