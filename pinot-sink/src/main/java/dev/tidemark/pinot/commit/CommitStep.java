package dev.tidemark.pinot.commit;

/** The steps of a commit, in their order; a crash may fall before each of them. */
enum CommitStep {
  LOOK_UP,
  DECIDE,
  START,
  PUSH,
  AWAIT_REPLICAS,
  END,
  AWAIT_BROKERS,
  MARK,
  MIRROR,
  CLEAN,
  TELL
}
