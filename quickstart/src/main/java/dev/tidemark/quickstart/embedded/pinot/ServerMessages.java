package dev.tidemark.quickstart.embedded.pinot;

import java.util.Objects;
import org.apache.helix.NotificationContext;
import org.apache.helix.messaging.handling.HelixTaskResult;
import org.apache.helix.messaging.handling.MessageHandler;
import org.apache.helix.messaging.handling.MessageHandlerFactory;
import org.apache.helix.model.Message;
import org.apache.pinot.common.messages.ForceCommitMessage;
import org.apache.pinot.common.messages.SegmentRefreshMessage;
import org.apache.pinot.common.messages.SegmentReloadMessage;
import org.apache.pinot.common.messages.TableConfigSchemaRefreshMessage;
import org.apache.pinot.common.messages.TableDeletionMessage;
import org.apache.pinot.core.data.manager.InstanceDataManager;
import org.apache.pinot.segment.local.data.manager.TableDataManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server does when the controller tells it something about a table or a segment. */
final class ServerMessages implements MessageHandlerFactory {
  static final String TYPE = Message.MessageType.USER_DEFINE_MSG.toString();
  private static final Logger LOG = LoggerFactory.getLogger(ServerMessages.class);

  private final InstanceDataManager tables;

  ServerMessages(InstanceDataManager tables) {
    this.tables = tables;
  }

  @Override
  public String getMessageType() {
    return TYPE;
  }

  @Override
  public void reset() {}

  @Override
  public MessageHandler createHandler(Message message, NotificationContext context) {
    return new OneMessage(message, context);
  }

  private void obey(Message message) throws Exception {
    switch (message.getMsgSubType()) {
      case SegmentRefreshMessage.REFRESH_SEGMENT_MSG_SUB_TYPE ->
          tables.replaceSegment(message.getResourceName(), message.getPartitionName());
      case SegmentReloadMessage.RELOAD_SEGMENT_MSG_SUB_TYPE ->
          reload(new SegmentReloadMessage(message));
      case TableDeletionMessage.DELETE_TABLE_MSG_SUB_TYPE ->
          tables.deleteTable(message.getResourceName(), message.getCreateTimeStamp());
      case ForceCommitMessage.FORCE_COMMIT_MSG_SUB_TYPE ->
          forceCommit(new ForceCommitMessage(message));
      case TableConfigSchemaRefreshMessage.REFRESH_TABLE_CONFIG_AND_SCHEMA ->
          refreshConfig(message.getResourceName());
      default -> LOG.debug("Nothing to do on a message {}", message.getMsgSubType());
    }
  }

  private void reload(SegmentReloadMessage message) throws Exception {
    String table = message.getResourceName();
    boolean download = message.shouldForceDownload();
    String job = Objects.requireNonNullElse(message.getReloadJobId(), "");
    if (message.getSegmentList() != null && !message.getSegmentList().isEmpty()) {
      tables.reloadSegments(table, message.getSegmentList(), download, job);
    } else if (message.getPartitionName() != null && !message.getPartitionName().isEmpty()) {
      tables.reloadSegment(table, message.getPartitionName(), download, job);
    } else {
      tables.reloadAllSegments(table, download, job);
    }
  }

  private void forceCommit(ForceCommitMessage message) {
    tables.forceCommit(message.getTableName(), message.getSegmentNames());
  }

  private void refreshConfig(String table) {
    TableDataManager manager = tables.getTableDataManager(table);
    if (manager != null) {
      manager.fetchIndexLoadingConfig();
    }
  }

  private final class OneMessage extends MessageHandler {
    OneMessage(Message message, NotificationContext context) {
      super(message, context);
    }

    @Override
    public HelixTaskResult handleMessage() {
      HelixTaskResult result = new HelixTaskResult();
      try {
        obey(_message);
        result.setSuccess(true);
      } catch (Exception e) {
        LOG.error("Cannot obey {}", _message, e);
        result.setException(e);
      }
      return result;
    }

    @Override
    public void onError(Exception error, ErrorCode code, ErrorType type) {
      LOG.error("Cannot obey {}: {} {}", _message, type, code, error);
    }
  }
}
