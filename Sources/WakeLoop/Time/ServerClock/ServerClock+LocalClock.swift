import LoopCore

extension ServerClock {
  /// By how much the local wall clock is ahead of the server's time, negative if behind; nil before the first
  /// sample.
  ///
  /// As exact as `reading`'s bound.
  public var localError: Duration? {
    guard let reading else { return nil }
    noteWall()
    return .nanoseconds(saturatingSubtract(loop.backend.now(.wall), reading.nanosecondsSince1970))
  }

  /// Whether the local wall clock was seen to be set since the last sample, or since the clock was made.
  ///
  /// Compared with the continuous clock whenever this clock is asked about the wall or takes a sample. What a kernel
  /// may slew a clock by since the last look (500 parts in a million, and a millisecond) is no step. Asked in
  /// `onSample`, it tells of the time before that sample.
  public var wasStepped: Bool {
    noteWall()
    return wallSteps.count > 0
  }

  /// By how much the local wall clock was set since the last sample in total, forward positive; zero if it was
  /// not.
  public var localStep: Duration {
    noteWall()
    return .nanoseconds(wallSteps.total)
  }

  /// Looks whether the wall clock was set.
  func noteWall() {
    let before = continuousNow
    let wall = loop.backend.now(.wall)
    wallSteps.note(before: before, wall: wall, after: loop.backend.now(.continuous))
  }
}
