package dev.tidemark.pinot.row;

import java.util.HashMap;
import java.util.Map;
import org.apache.pinot.spi.data.readers.GenericRow;

/** Converts maps from the names of fields to their values. */
public class MapGenericRowConverter implements PinotGenericRowConverter<Map<String, Object>> {
  private static final long serialVersionUID = 1L;

  @Override
  public GenericRow convertToRow(Map<String, Object> value) {
    GenericRow row = new GenericRow();
    value.forEach(row::putValue);
    return row;
  }

  @Override
  public Map<String, Object> convertFromRow(GenericRow row) {
    Map<String, Object> value = new HashMap<>(row.getFieldToValueMap());
    row.getNullValueFields().forEach(field -> value.put(field, null));
    return value;
  }
}
