package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** The two tables of the public bug reports: A is OFFLINE, U is REALTIME with upserts. */
final class TestTables {
  private TestTables() {}

  static String schemaOfA(String name) {
    return """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [
           {"name": "id", "dataType": "INT"},
           {"name": "v", "dataType": "INT"},
           {"name": "tags", "dataType": "LONG", "singleValueField": false}]}
        """
        .formatted(name);
  }

  static String configOfA(String name, int replicas) {
    return """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "%d", "segmentPushType": "APPEND"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
        .formatted(name, replicas);
  }

  static String schemaOfU(String name) {
    return """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [
           {"name": "id", "dataType": "STRING"},
           {"name": "v", "dataType": "INT"}],
         "dateTimeFieldSpecs": [
           {"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH", "granularity": "1:MILLISECONDS"}],
         "primaryKeyColumns": ["id"]}
        """
        .formatted(name);
  }

  static String configOfU(String name, int replicas, Map<String, String> stream) {
    return configOfU(name, replicas, stream, "DISABLE");
  }

  /**
   * @param preload ENABLE has a server that starts read snapshots of what is valid in place of keys
   */
  static String configOfU(String name, int replicas, Map<String, String> stream, String preload) {
    return """
        {"tableName": "%s_REALTIME", "tableType": "REALTIME",
         "segmentsConfig": {"replication": "%d", "timeColumnName": "ts", "retentionTimeUnit": "DAYS", "retentionTimeValue": "36500"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {},
         "routing": {"instanceSelectorType": "strictReplicaGroup"},
         "upsertConfig": {"mode": "FULL", "comparisonColumns": ["ts"], "snapshot": "%s", "preload": "%s"},
         "ingestionConfig": {"streamIngestionConfig": {"streamConfigMaps": [%s]}}}
        """
        .formatted(name, replicas, preload, preload, json(stream));
  }

  private static String json(Map<String, String> object) {
    try {
      return new ObjectMapper().writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
