package dev.tidemark.quickstart.embedded.pinot;

import org.apache.helix.NotificationContext;
import org.apache.helix.model.Message;
import org.apache.helix.participant.statemachine.StateModel;
import org.apache.helix.participant.statemachine.StateModelFactory;
import org.apache.helix.participant.statemachine.StateModelInfo;
import org.apache.helix.participant.statemachine.Transition;
import org.apache.pinot.core.data.manager.InstanceDataManager;
import org.apache.pinot.segment.local.data.manager.TableDataManager;

/** What a server does when Helix moves a segment from one state to another. */
final class SegmentStates extends StateModelFactory<StateModel> {
  static final String MODEL = "SegmentOnlineOfflineStateModel";

  private final InstanceDataManager tables;

  SegmentStates(InstanceDataManager tables) {
    this.tables = tables;
  }

  @Override
  public StateModel createNewStateModel(String table, String segment) {
    return new OneSegment(tables, table, segment);
  }

  /** Public with public methods, because Helix calls them by reflection. */
  @StateModelInfo(initialState = "OFFLINE", states = "{'OFFLINE','ONLINE','CONSUMING','DROPPED'}")
  public static final class OneSegment extends StateModel {
    private final InstanceDataManager tables;
    private final String table;
    private final String segment;

    private OneSegment(InstanceDataManager tables, String table, String segment) {
      this.tables = tables;
      this.table = table;
      this.segment = segment;
    }

    @Transition(from = "OFFLINE", to = "ONLINE")
    public void load(Message message, NotificationContext context) throws Exception {
      tables.addOnlineSegment(table, segment);
    }

    @Transition(from = "OFFLINE", to = "CONSUMING")
    public void consume(Message message, NotificationContext context) throws Exception {
      tables.addConsumingSegment(table, segment);
    }

    @Transition(from = "CONSUMING", to = "ONLINE")
    public void seal(Message message, NotificationContext context) throws Exception {
      tables.addOnlineSegment(table, segment);
    }

    @Transition(from = "ONLINE", to = "OFFLINE")
    public void unload(Message message, NotificationContext context) throws Exception {
      tables.offloadSegment(table, segment);
    }

    @Transition(from = "CONSUMING", to = "OFFLINE")
    public void stopConsuming(Message message, NotificationContext context) throws Exception {
      tables.offloadSegment(table, segment);
      TableDataManager manager = tables.getTableDataManager(table);
      if (manager != null) {
        manager.onConsumingToOffline(segment);
      }
    }

    @Transition(from = "OFFLINE", to = "DROPPED")
    public void drop(Message message, NotificationContext context) throws Exception {
      tables.deleteSegment(table, segment);
    }

    @Transition(from = "ONLINE", to = "DROPPED")
    public void dropLoaded(Message message, NotificationContext context) throws Exception {
      tables.offloadSegment(table, segment);
      tables.deleteSegment(table, segment);
    }

    @Transition(from = "CONSUMING", to = "DROPPED")
    public void dropConsuming(Message message, NotificationContext context) throws Exception {
      tables.offloadSegment(table, segment);
      tables.deleteSegment(table, segment);
      TableDataManager manager = tables.getTableDataManager(table);
      if (manager != null) {
        manager.onConsumingToDropped(segment);
      }
    }

    @Transition(from = "ERROR", to = "OFFLINE")
    public void forgetError(Message message, NotificationContext context) {}

    @Transition(from = "ERROR", to = "DROPPED")
    public void dropFailed(Message message, NotificationContext context) throws Exception {
      tables.deleteSegment(table, segment);
    }
  }
}
