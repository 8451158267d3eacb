package dev.tidemark.finalization.eventtime;

/** Why a record is in a stream; decided per record, since one commit may hold all three. */
public enum RecordRole {
  /** Live data: enters min, max and the sketch, and moves the watermark. */
  STREAM,
  /** A row of a bootstrap's snapshot: counted apart. */
  SNAPSHOT,
  /** Old data loaded on purpose: counted apart. */
  BACKFILL
}
