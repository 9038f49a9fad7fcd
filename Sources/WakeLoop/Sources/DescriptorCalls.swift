import LoopCore

/// How the calls of a descriptor source's handler follow each other: when to ask the kernel what is behind its
/// readiness, and whether its handler reads.
struct DescriptorCalls {
  /// Nanoseconds between two calls after which they are not counted as following each other.
  private static let pause: Int64 = 10_000_000
  /// Longest row of calls without a question.
  private static let longestRow: UInt32 = 32

  /// Passes in a row that found the descriptor ready.
  private var row: UInt32 = 0
  /// The stamp of the pass of the last call.
  private var lastCall = Int64.min
  /// Bytes left to read when the kernel was last asked, -1 for never.
  private var unread = -1
  private var wasCalledSince = false

  /// Whether the other side was found to have ended while there was something left to read.
  var hasState: Bool { unread >= 0 }

  /// Counts a pass that finds the descriptor ready; returns whether to ask the kernel about it.
  ///
  /// The first time, then at the 2nd, 4th, 8th, … in a row: a busy descriptor costs nearly nothing, and one that
  /// is reported for ever because its other side has gone, or it was closed, is found out soon.
  mutating func countReadiness() -> Bool {
    row &+= 1
    return row & (row &- 1) == 0 || row % Self.longestRow == 0
  }

  /// Takes note of a call in the pass of that stamp.
  mutating func begin(at stamp: Int64) {
    wasCalledSince = true
    if saturatingSubtract(stamp, lastCall) > Self.pause { row = 0 }
    lastCall = stamp
  }

  /// Starts a new row.
  mutating func forget() { row = 0 }

  /// Whether there is still something to read and, if the handler was called since the last question, it has read.
  mutating func makesProgress(unreadBytes: Int) -> Bool {
    let isFirst = unread < 0
    let hasRead = unreadBytes < unread
    let wasCalled = wasCalledSince
    unread = max(unreadBytes, 0)
    wasCalledSince = false
    return unreadBytes > 0 && (isFirst || hasRead || !wasCalled)
  }
}
