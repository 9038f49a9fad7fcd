import LoopCore

extension TimerQueue {
  /// Checks the queue's invariants where they are compiled: debug builds, others with `-D LOOPCORE_CHECKS`.
  func verify() {
    #if DEBUG || LOOPCORE_CHECKS
      checkInvariants()
    #endif
  }
}
