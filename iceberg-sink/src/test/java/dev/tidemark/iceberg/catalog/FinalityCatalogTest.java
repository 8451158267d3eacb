package dev.tidemark.iceberg.catalog;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.iceberg.EmbeddedCatalog;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

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

  @Test
  void missingCatalogInsideIsRefused() {
    assertThatThrownBy(() -> new FinalityCatalog().initialize("lake", Map.of("uri", "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lake")
        .hasMessageContaining("expected: exactly one of them");
  }

  @Test
  void twoCatalogsInsideAreRefused() {
    Map<String, String> both =
        Map.of("finality.type", "hadoop", "finality.catalog-impl", "some.Catalog");
    assertThatThrownBy(() -> new FinalityCatalog().initialize("lake", both))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("some.Catalog")
        .hasMessageContaining("finality.type=hadoop");
  }

  @Test
  void catalogThatWasNotInitializedSaysSo() {
    assertThatThrownBy(() -> new FinalityCatalog().loadTable(EmbeddedCatalog.identifier("events")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("initialize");
  }
}
