package dev.tidemark.pinot.commit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** The two tables of the public bug reports, and a table with a time column. */
final class Tables {
  private Tables() {}

  static String schemaOfA(String name) {
    return """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "INT"}, {"name": "v", "dataType": "INT"}]}
        """
        .formatted(name);
  }

  static String configOfA(String name) {
    return """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "2", "segmentPushType": "APPEND"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {}}
        """
        .formatted(name);
  }

  static String schemaOfU(String name) {
    return """
        {"schemaName": "%s",
         "dimensionFieldSpecs": [{"name": "id", "dataType": "STRING"}, {"name": "v", "dataType": "INT"}],
         "dateTimeFieldSpecs": [
           {"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH", "granularity": "1:MILLISECONDS"}],
         "primaryKeyColumns": ["id"]}
        """
        .formatted(name);
  }

  static String configOfTimed(String name) {
    return """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "1", "segmentPushType": "APPEND", "timeColumnName": "ts"},
         "tenants": {}, "tableIndexConfig": {}, "metadata": {"customConfigs": {"owner": "somebody"}}}
        """
        .formatted(name);
  }

  static String configOfOfflineUpsert(String name) {
    return """
        {"tableName": "%s_OFFLINE", "tableType": "OFFLINE",
         "segmentsConfig": {"replication": "1", "segmentPushType": "APPEND", "timeColumnName": "ts"},
         "tenants": {}, "tableIndexConfig": {"segmentPartitionConfig": {"columnPartitionMap": {"id": {"functionName": "Murmur", "numPartitions": 1}}}},
         "routing": {"instanceSelectorType": "strictReplicaGroup"},
         "upsertConfig": {"mode": "FULL"}, "metadata": {}}
        """
        .formatted(name);
  }

  static String configOfU(String name, Map<String, String> stream) {
    return configOfRealtime(
        name,
        stream,
        "\"upsertConfig\": {\"mode\": \"FULL\", \"comparisonColumns\": [\"ts\"]},",
        "strictReplicaGroup");
  }

  static String configOfRealtime(
      String name, Map<String, String> stream, String upsert, String selector) {
    return """
        {"tableName": "%s_REALTIME", "tableType": "REALTIME",
         "segmentsConfig": {"replication": "2", "timeColumnName": "ts", "retentionTimeUnit": "DAYS", "retentionTimeValue": "36500"},
         "tenants": {}, "tableIndexConfig": {"nullHandlingEnabled": true}, "metadata": {},
         "routing": {"instanceSelectorType": "%s"}, %s
         "ingestionConfig": {"streamIngestionConfig": {"streamConfigMaps": [%s]}}}
        """
        .formatted(name, selector, upsert, json(stream));
  }

  private static String json(Map<String, String> object) {
    try {
      return new ObjectMapper().writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
