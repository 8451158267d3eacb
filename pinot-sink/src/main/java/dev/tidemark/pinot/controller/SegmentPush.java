package dev.tidemark.pinot.controller;

import dev.tidemark.pinot.PinotTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pushes segments into one table. A new segment never refreshes one that is there: the same name
 * with the same checksum is taken for done, another checksum is refused.
 */
public final class SegmentPush {
  private static final int CONFLICT = 409;
  private static final int FORBIDDEN = 403;
  private static final String MODIFIER = "Pinot-SegmentZKMetadataCustomMapModifier";

  private final PinotTable table;
  private final ControllerClient client;
  private final ControllerSettings settings;
  private final Http http;

  SegmentPush(PinotTable table, ControllerClient client, ControllerSettings settings, Http http) {
    this.table = table;
    this.client = client;
    this.settings = settings;
    this.http = http;
  }

  /**
   * Pushes a whole segment through the controller.
   *
   * @throws PinotRefusedException if Pinot will not have it
   * @throws PinotUnavailableException if it could not be pushed within the budget
   */
  public void tar(SegmentUpload segment, SegmentUpload.CustomMap custom) {
    Call call =
        upload(
            "push segment " + segment.name() + " to " + table,
            "/v2/segments" + query(false),
            Map.of("UPLOAD_TYPE", "SEGMENT", MODIFIER, custom.header()),
            Multipart.of(segment.name(), segment.tar()));
    accept(call, http.send(call, () -> inPlace(segment), this::isPassing), segment);
  }

  /**
   * Pushes a segment by its metadata; the controller copies the tar to its deep store, since
   * servers could not load it again once the staged tar is gone.
   */
  public void metadata(SegmentUpload segment, SegmentUpload.CustomMap custom) {
    Call call =
        upload(
            "push the metadata of segment " + segment.name() + " to " + table,
            "/v2/segments" + query(false),
            Call.headers(
                "UPLOAD_TYPE",
                "METADATA",
                "DOWNLOAD_URI",
                segment.tarUri(),
                "COPY_SEGMENT_TO_DEEP_STORE",
                "true",
                MODIFIER,
                custom.header()),
            Multipart.of(segment.name(), segment.metadata()));
    accept(call, http.send(call, () -> inPlace(segment), this::isPassing), segment);
  }

  /**
   * Pushes several segments by their metadata in one request, which changes the table's ideal state
   * once. None of them may be there already.
   *
   * @param custom goes into each of them
   * @return false if one of them was there, or is being pushed: look which, and push the others
   */
  public boolean batch(List<SegmentUpload> segments, SegmentUpload.CustomMap custom) {
    Call call =
        upload(
            "push the metadata of " + segments.size() + " segments to " + table,
            "/segments/batchUpload" + query(false),
            Map.of(
                "UPLOAD_TYPE",
                "METADATA",
                "COPY_SEGMENT_TO_DEEP_STORE",
                "true",
                MODIFIER,
                custom.header()),
            Multipart.of("segments", batchTar(segments)));
    Supplier<Http.@Nullable Answer> happened =
        () ->
            segments.stream().anyMatch(segment -> client.segment(table, segment.name()).isPresent())
                ? new Http.Answer(CONFLICT, "", null)
                : null;
    Http.Answer answer = http.send(call, happened, a -> a.status() != CONFLICT && isPassing(a));
    if (answer.status() == CONFLICT) {
      return false;
    }
    if (!answer.isSuccess()) {
      throw Http.refused(call, answer, "");
    }
    return true;
  }

  /**
   * Adds to the custom map of a segment that is there, by pushing its metadata again: its creation
   * time and download URL stay as they are, nothing is loaded again.
   *
   * @throws PinotRefusedException if the segment is gone or has another checksum by now
   */
  public void mark(SegmentUpload segment, SegmentInfo there, SegmentUpload.CustomMap custom) {
    String url = Objects.requireNonNullElse(there.downloadUrl(), segment.tarUri());
    Call call =
        upload(
            "mark segment " + segment.name() + " of " + table,
            "/v2/segments" + query(true),
            Call.headers(
                "UPLOAD_TYPE",
                "METADATA",
                "DOWNLOAD_URI",
                url,
                "COPY_SEGMENT_TO_DEEP_STORE",
                "false",
                "REFRESH_ONLY",
                "true",
                "If-Match",
                Long.toString(segment.crc()),
                MODIFIER,
                custom.header()),
            Multipart.of(segment.name(), segment.metadata()));
    Http.Answer answer =
        http.send(
            call,
            () -> isMarked(segment.name(), custom) ? new Http.Answer(200, "", null) : null,
            this::isPassing);
    if (!answer.isSuccess()) {
      throw Http.refused(call, answer, "a segment that is there, with checksum " + segment.crc());
    }
  }

  private boolean isMarked(String name, SegmentUpload.CustomMap custom) {
    return client
        .segment(table, name)
        .map(info -> info.customMap().entrySet().containsAll(custom.map().entrySet()))
        .orElse(false);
  }

  private Http.@Nullable Answer inPlace(SegmentUpload segment) {
    Optional<SegmentInfo> info = client.segment(table, segment.name());
    if (info.isEmpty() || !client.isAssigned(table, segment.name())) {
      return null;
    }
    Long crc = info.get().crc();
    boolean same = crc != null && crc == segment.crc();
    return new Http.Answer(same ? 200 : CONFLICT, "its checksum there is " + crc, null);
  }

  /** A conflict passes: whoever pushes the same segment at this moment will be done. */
  private boolean isPassing(Http.Answer answer) {
    boolean limited =
        answer.status() == FORBIDDEN && answer.body().contains("Resource utilization limit");
    return answer.isPassing() || answer.status() == CONFLICT || limited;
  }

  private static void accept(Call call, Http.Answer answer, SegmentUpload segment) {
    if (!answer.isSuccess()) {
      String advice =
          answer.status() == CONFLICT
              ? "no segment of this name, or one with checksum "
                  + segment.crc()
                  + "; somebody else uses the same names"
              : "";
      throw Http.refused(call, answer, advice);
    }
  }

  private Call upload(String what, String path, Map<String, String> headers, Multipart body) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Content-Type", Multipart.CONTENT_TYPE);
    return new Call(what, "POST", settings.url() + path, all, body, settings.uploadTimeout());
  }

  private String query(boolean refreshes) {
    return Call.query(
        "tableName",
        table.rawName(),
        "tableType",
        table.type().name(),
        "enableParallelPushProtection",
        "true",
        "allowRefresh",
        Boolean.toString(refreshes));
  }

  private static RequestBody batchTar(List<SegmentUpload> segments) {
    try {
      return Multipart.bytes(BatchTar.of(segments));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the staged metadata of segments", e);
    }
  }
}
