package dev.tidemark.iceberg.catalog;

import java.util.Map;
import org.junit.jupiter.api.Nested;

class FinalityCatalogTest {
  @Nested
  class AroundJdbc extends FinalityCatalogContract {
    @Override
    Map<String, String> properties() {
      return Map.of(
          "catalog-impl",
          FinalityCatalog.class.getName(),
          "finality.catalog-impl",
          "org.apache.iceberg.jdbc.JdbcCatalog",
          "uri",
          "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
          "warehouse",
          directory.resolve("warehouse").toString(),
          "io-impl",
          "org.apache.iceberg.hadoop.HadoopFileIO",
          "jdbc.schema-version",
          "V1");
    }
  }

  @Nested
  class AroundHadoop extends FinalityCatalogContract {
    @Override
    Map<String, String> properties() {
      return Map.of("finality.type", "hadoop", "warehouse", directory.toUri().toString());
    }
  }
}
