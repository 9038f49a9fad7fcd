import LoopCore

/// How the reports of a descriptor follow each other: when to ask the kernel what is behind its readiness, and whether
/// the handler reads.
struct DescriptorCalls {
  /// Nanoseconds between two calls after which a row starts anew.
  private static let pause: Int64 = 10_000_000
  /// Passes between two reports that still count as following each other, since nested runs have passes too.
  private static let nearby: UInt32 = 4
  /// Most reports without a question, however far apart.
  private static let mostUnasked: UInt32 = 32

  /// Reports in a row, after the first.
  private var row: UInt32 = 0
  private var unasked = Self.mostUnasked
  private var lastPass: UInt32 = 0
  /// The stamp of the pass of the last call.
  private var lastCall = Int64.min
  /// Bytes left to read when the kernel was last asked, -1 for never.
  private var unread = -1
  private var wasCalledSince = false

  /// Whether the other side was found to have ended while there was something left to read.
  var hasState: Bool { unread >= 0 }

  /// Counts a pass that finds the descriptor ready; returns whether to ask the kernel about it.
  ///
  /// At the first report, and when it is ready again right after a call: the 1st, 2nd, 4th, 8th, … such time. So a busy
  /// descriptor costs nearly nothing, and one that is reported for ever because its other side has gone, or it
  /// was closed, is found out soon.
  mutating func countReadiness(pass: UInt32) -> Bool {
    row = pass &- lastPass <= Self.nearby ? row &+ 1 : 0
    lastPass = pass
    unasked += 1
    guard unasked > Self.mostUnasked || (row > 0 && row & (row &- 1) == 0) else { return false }
    unasked = 0
    return true
  }

  /// Takes note of a call in the pass of that stamp.
  mutating func begin(at stamp: Int64) {
    wasCalledSince = true
    if saturatingSubtract(stamp, lastCall) > Self.pause { row = 0 }
    lastCall = stamp
  }

  /// Has the next report asked about.
  mutating func forget() {
    row = 0
    unasked = Self.mostUnasked
  }

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
