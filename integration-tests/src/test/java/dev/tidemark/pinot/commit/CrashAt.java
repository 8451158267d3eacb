package dev.tidemark.pinot.commit;

import java.util.ArrayList;
import java.util.List;

/** Lets a commit crash before its n-th step, the first being 1; 0 for never. */
final class CrashAt implements CommitSteps {
  private final int crash;
  private final List<CommitStep> passed = new ArrayList<>();

  /** The process is gone. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash(CommitStep step) {
      super("crashed before " + step);
    }
  }

  CrashAt(int step) {
    this.crash = step;
  }

  @Override
  public void before(CommitStep step) {
    passed.add(step);
    if (passed.size() == crash) {
      throw new Crash(step);
    }
  }

  List<CommitStep> passed() {
    return passed;
  }
}
