package dev.tidemark.pinot.controller;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The body of one request while it is sent. The client closes what it has read to the end; what it
 * has not, because the request broke off, is closed here.
 */
final class OpenedBody implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenedBody.class);

  private final @Nullable RequestBody body;
  private final Queue<InputStream> streams = new ConcurrentLinkedQueue<>();
  private volatile @Nullable IOException unreadable;

  OpenedBody(@Nullable RequestBody body) {
    this.body = body;
  }

  HttpRequest.BodyPublisher publisher() {
    RequestBody sent = body;
    if (sent == null) {
      return HttpRequest.BodyPublishers.noBody();
    }
    if (sent.length() == 0) {
      return HttpRequest.BodyPublishers.ofByteArray(new byte[0]);
    }
    return HttpRequest.BodyPublishers.fromPublisher(
        HttpRequest.BodyPublishers.ofInputStream(() -> open(sent)), sent.length());
  }

  /** Why it could not be opened; null if it could. */
  @Nullable IOException unreadable() {
    return unreadable;
  }

  private InputStream open(RequestBody sent) {
    try {
      InputStream stream = sent.open();
      streams.add(stream);
      return stream;
    } catch (IOException e) {
      unreadable = e;
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (InputStream stream : streams) {
      try {
        stream.close();
      } catch (IOException e) {
        LOG.debug("Could not close a body that was sent", e);
      }
    }
  }
}
