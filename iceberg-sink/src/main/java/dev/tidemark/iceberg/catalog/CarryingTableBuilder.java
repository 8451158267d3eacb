package dev.tidemark.iceberg.catalog;

import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog.TableBuilder;

/** A table builder whose created table carries opinions. */
final class CarryingTableBuilder implements TableBuilder {
  private final TableBuilder inside;

  CarryingTableBuilder(TableBuilder inside) {
    this.inside = inside;
  }

  @Override
  public TableBuilder withPartitionSpec(PartitionSpec spec) {
    inside.withPartitionSpec(spec);
    return this;
  }

  @Override
  public TableBuilder withSortOrder(SortOrder sortOrder) {
    inside.withSortOrder(sortOrder);
    return this;
  }

  @Override
  public TableBuilder withLocation(String location) {
    inside.withLocation(location);
    return this;
  }

  @Override
  public TableBuilder withProperties(Map<String, String> properties) {
    inside.withProperties(properties);
    return this;
  }

  @Override
  public TableBuilder withProperty(String key, String value) {
    inside.withProperty(key, value);
    return this;
  }

  @Override
  public Table create() {
    return FinalityCatalog.carrying(inside.create());
  }

  @Override
  public Transaction createTransaction() {
    return inside.createTransaction();
  }

  @Override
  public Transaction replaceTransaction() {
    return inside.replaceTransaction();
  }

  @Override
  public Transaction createOrReplaceTransaction() {
    return inside.createOrReplaceTransaction();
  }
}
