package dev.tidemark.finalization.eventtime;

/** Counts the records that do not count for the watermark. Used by one thread. */
final class SetAsideCounter {
  private long nullCount;
  private long invalidCount;
  private long invalidMin;
  private long invalidMax;
  private long snapshotCount;
  private long backfillCount;

  SetAsideCounter() {
    reset();
  }

  void addNull() {
    nullCount++;
  }

  void addInvalid(long timeMillis) {
    invalidCount++;
    invalidMin = Math.min(invalidMin, timeMillis);
    invalidMax = Math.max(invalidMax, timeMillis);
  }

  /** Adds a record that is not of the stream. */
  void addRole(RecordRole role) {
    if (role == RecordRole.SNAPSHOT) {
      snapshotCount++;
    } else {
      backfillCount++;
    }
  }

  SetAside counted() {
    return new SetAside(
        nullCount, invalidCount, invalidMin, invalidMax, snapshotCount, backfillCount);
  }

  void reset() {
    nullCount = 0;
    invalidCount = 0;
    invalidMin = SetAside.NONE.invalidMinMillis();
    invalidMax = SetAside.NONE.invalidMaxMillis();
    snapshotCount = 0;
    backfillCount = 0;
  }
}
