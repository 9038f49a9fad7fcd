import LoopCore

extension Loop {
  /// Tells whether a run in a mode would call something at once that does not come from the kernel: jobs, performs,
  /// due timers, signalled sources.
  ///
  /// For virtual time, which goes on only when nothing is left to do. Loop's thread only.
  package func hasWorkForNow(in mode: Mode) -> Bool {
    checkThread()
    takeMail(hasSlept: false)
    guard let record = existingRecord(of: mode) else { return false }
    if record.isCommon && !jobs.isEmpty && serialDepth == 0 { return true }
    for looked in record.isCommon ? [record, common] : [record] {
      if !looked.performs.isEmpty { return true }
      for clock in ClockDomain.allCases {
        let wake = looked.earliestWake(clock)
        if wake != .max && wake <= backend.now(clock) { return true }
      }
    }
    return signalled.contains { source in
      source.isSignalled && source.isCallable
        && source.memberships.contains {
          $0.mode == Int32(record.index)
            || (record.isCommon && $0.mode == Int32(ModeRecord.commonIndex))
        }
    }
  }
}
