extension Loop {
  /// What the trace seam tells of.
  package enum TraceKind: Sendable {
    case runBegan, runEnded, stamped, observed, mainQueueDrained, timerCalled, sourceCalled, performCalled,
      jobCalled
    case frameCalled
  }
}

/// What follows a loop's work from outside: models, counters, recorders and watchdogs.
///
/// Called on the loop's thread, just before the handler that it tells of.
package protocol LoopTrace: AnyObject {
  func event(_ kind: Loop.TraceKind, item: Loop.Item?, stamp: Loop.Stamp)
}
