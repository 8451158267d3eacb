package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.controller.SegmentUpload;
import java.util.HashMap;
import java.util.Map;

/**
 * What the segments of a commit bear in their custom maps.
 *
 * @param pointer on each: which commit it belongs to, and its carrier
 * @param carrier on the carrier: record, facts and opinion too
 */
record Labels(Map<String, String> pointer, Map<String, String> carrier) {

  /**
   * Labels that Pinot takes. Where there is too much of it, the late rows of each hour are left
   * out: their listeners hear of them all the same, unless the commit is delivered again.
   *
   * @throws IllegalArgumentException if that is not enough
   */
  static Labels fitting(Map<String, String> pointer, Map<String, String> carrier) {
    Map<String, String> kept = new HashMap<>(carrier);
    if (!new SegmentUpload.CustomMap(kept).fits()) {
      kept.remove(FinalizationProperties.LATE);
    }
    Labels labels = new Labels(pointer, kept);
    labels.onCarrier().requireFits();
    return labels;
  }

  SegmentUpload.CustomMap onEach() {
    return new SegmentUpload.CustomMap(pointer);
  }

  SegmentUpload.CustomMap onCarrier() {
    return new SegmentUpload.CustomMap(carrier);
  }

  /**
   * On a carrier that an earlier attempt has marked: what that wrote and this does not is blanked.
   */
  SegmentUpload.CustomMap onCarrier(Map<String, String> there, String ownPrefix) {
    Map<String, String> map = new HashMap<>(carrier);
    there.keySet().stream()
        .filter(key -> key.startsWith(ownPrefix))
        .forEach(key -> map.putIfAbsent(key, ""));
    return new SegmentUpload.CustomMap(map);
  }
}
