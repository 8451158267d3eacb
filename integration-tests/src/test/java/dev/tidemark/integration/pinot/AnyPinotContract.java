package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.PinotTables;
import org.junit.jupiter.api.Test;

/**
 * What holds on every Pinot: the embedded one, one that is found by its address, the image in
 * Docker. Nothing here restarts a part of it, and every table has a name of its own.
 */
abstract class AnyPinotContract {

  /** The Pinot under test. */
  abstract PinotCluster pinot();

  @Test
  void tableIsCreatedQueriedAndDropped() {
    String name = "contract_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
    String schema =
        """
        {"schemaName": "%s", "dimensionFieldSpecs": [{"name": "id", "dataType": "INT"}]}
        """
            .formatted(name);
    String config =
        """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "1"}, "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
            .formatted(name);
    PinotTables tables = pinot().tables();
    tables.create(schema, config);
    assertThat(pinot().queries().count(name)).isZero();
    tables.drop(name + "_OFFLINE");
    tables.create(schema, config);
    tables.drop(name + "_OFFLINE");
  }
}
