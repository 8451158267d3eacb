package dev.tidemark.pinot.segment;

import java.io.IOException;
import java.util.List;
import org.apache.pinot.segment.local.segment.creator.impl.fwd.SingleValueVarByteRawIndexCreator;
import org.apache.pinot.segment.spi.index.IndexCreator;
import org.apache.pinot.segment.spi.index.creator.ForwardIndexCreator;
import org.jspecify.annotations.Nullable;

/**
 * Gives the values of a column, in the order of its rows, to its indexes. A forward index that is
 * alone is fed with primitives.
 */
final class ColumnFeed {
  private final ColumnBuffer column;
  private final @Nullable Ranking ranking;

  /**
   * @param ranking whose ranks are the dictionary's ids; null without a dictionary
   */
  ColumnFeed(ColumnBuffer column, @Nullable Ranking ranking) {
    this.column = column;
    this.ranking = ranking;
  }

  void feed(List<IndexCreator> creators) throws IOException {
    ForwardIndexCreator alone =
        creators.size() == 1 && creators.get(0) instanceof ForwardIndexCreator forward
            ? forward
            : null;
    if (alone != null && ranking != null) {
      feedIds(alone, ranking.rankOf());
    } else if (alone != null && canFeedRaw(alone)) {
      feedRaw(alone);
    } else {
      feedObjects(creators);
    }
  }

  private void feedIds(ForwardIndexCreator forward, int[] ids) {
    IntValues counts = column.counts();
    int values = column.valueCount();
    if (counts == null) {
      for (int i = 0; i < values; i++) {
        forward.putDictId(ids[column.entryOf(i)]);
      }
      return;
    }
    int value = 0;
    for (int row = 0; row < column.rows(); row++) {
      int[] several = new int[counts.get(row)];
      for (int i = 0; i < several.length; i++) {
        several[i] = ids[column.entryOf(value++)];
      }
      forward.putDictIdMV(several);
    }
  }

  private boolean canFeedRaw(ForwardIndexCreator forward) {
    return column.counts() == null
        && (column.storedType().isFixedWidth()
            || forward instanceof SingleValueVarByteRawIndexCreator);
  }

  private void feedRaw(ForwardIndexCreator forward) {
    int values = column.valueCount();
    switch (column.storedType()) {
      case INT -> {
        for (int i = 0; i < values; i++) {
          forward.putInt(column.ints().get(i));
        }
      }
      case FLOAT -> {
        for (int i = 0; i < values; i++) {
          forward.putFloat(Float.intBitsToFloat(column.ints().get(i)));
        }
      }
      case LONG -> {
        for (int i = 0; i < values; i++) {
          forward.putLong(column.longs().get(i));
        }
      }
      case DOUBLE -> {
        for (int i = 0; i < values; i++) {
          forward.putDouble(Double.longBitsToDouble(column.longs().get(i)));
        }
      }
      default -> {
        for (int i = 0; i < values; i++) {
          forward.putBytes(column.bytes().get(i));
        }
      }
    }
  }

  private void feedObjects(List<IndexCreator> creators) throws IOException {
    RowValues values = new RowValues(column);
    int value = 0;
    for (int row = 0; row < column.rows(); row++) {
      Object object = values.next();
      if (object instanceof Object[] several) {
        int[] ids = ids(value, several.length);
        for (IndexCreator creator : creators) {
          creator.add(several, ids);
        }
        value += several.length;
      } else {
        int id = ranking == null ? -1 : ranking.rankOf()[column.entryOf(value++)];
        for (IndexCreator creator : creators) {
          creator.add(object, id);
        }
      }
    }
  }

  private int @Nullable [] ids(int from, int count) {
    if (ranking == null) {
      return null;
    }
    int[] ids = new int[count];
    for (int i = 0; i < count; i++) {
      ids[i] = ranking.rankOf()[column.entryOf(from + i)];
    }
    return ids;
  }
}
