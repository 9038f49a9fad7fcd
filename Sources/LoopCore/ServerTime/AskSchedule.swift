/// When to ask a server next: a few times soon at first, then at an interval, later and later while it fails.
package struct AskSchedule: Equatable, Sendable {
  /// The interval to which failures and complaints can stretch, in nanoseconds.
  package static let longest: Int64 = 1_024 * 1_000_000_000

  /// Nanoseconds between answers.
  package private(set) var interval: Int64
  /// Nanoseconds between the first asks, and before the first retry.
  let spacing: Int64
  private var soonLeft: Int
  /// Failures in a row.
  package private(set) var failures = 0

  package init(interval: Int64, spacing: Int64, asksSoon: Int) {
    precondition(interval > 0, "a server can't be asked every \(interval) ns")
    precondition(spacing > 0, "a server can't be asked again after \(spacing) ns")
    precondition(asksSoon >= 0, "a server can't be asked \(asksSoon) times")
    self.interval = interval
    self.spacing = min(spacing, interval)
    soonLeft = asksSoon
  }

  /// Nanoseconds to wait after an answer.
  package mutating func succeeded() -> Int64 {
    failures = 0
    guard soonLeft > 0 else { return interval }
    soonLeft -= 1
    return spacing
  }

  /// Nanoseconds to wait after a failure: twice as long each time, up to the interval or 1,024 s.
  package mutating func failed() -> Int64 {
    let longest = max(interval, min(Self.longest, 64 * spacing))
    let delay = failures >= 32 ? longest : min(longest, spacing.multipliedSaturated(by: 1 << failures))
    failures += 1
    return delay
  }

  /// Nanoseconds to wait after the server complained of being asked too often: from now on twice the interval.
  package mutating func slowedDown() -> Int64 {
    soonLeft = 0
    failures += 1
    interval = max(interval, min(Self.longest, interval.multipliedSaturated(by: 2)))
    return interval
  }
}

extension Int64 {
  /// The product of two positive numbers, `.max` where it is out of range.
  fileprivate func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
