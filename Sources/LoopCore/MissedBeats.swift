/// What becomes of the beats that passed while a repeating timer could not be told.
///
/// ```
/// beats      1     2     3     4     5     6
/// busy          ────────────────┐
/// skip       1                  2  5     6         3 and 4 are missed
/// delay      1                  2     +1    +1     a new phase: each a full interval after the late one
/// burst(2)   1                  2 3 4 5     6      3 and 4 are told late, in a pass each
/// ```
package enum MissedBeats: Sendable, Equatable {
  /// They are counted and never told.
  case skip
  /// They are counted, and the next beat is a full interval after the late one.
  case delay
  /// The latest `limit` of them are told, one a pass; those before are counted. Zero or less skips all.
  case burst(limit: Int)
}

/// When a repeating timer is due next, and what it missed.
package struct NextBeat: Sendable, Equatable {
  /// The next deadline in nanoseconds, `.max` if none is in range; one not after now is due in the next pass.
  package var deadline: Int64
  /// How many beats will never be told.
  package var missed: Int

  /// Makes a result; tests and the policy do.
  package init(deadline: Int64, missed: Int) {
    self.deadline = deadline
    self.missed = missed
  }
}

extension MissedBeats {
  /// The beat after `due`, which is being told at `now`.
  ///
  /// A `now` before `due` counts as `due`, so a clock that was set back tells no beat twice. An interval of
  /// zero or less is 0.1 ms.
  package func next(after due: Int64, interval: Int64, now: Int64) -> NextBeat {
    let interval = Grid.validInterval(interval)
    let now = max(due, now)
    let late = now.distance(after: due)
    let passed = late / UInt64(interval)
    let sinceLast = Int64(late % UInt64(interval))
    switch self {
    case .skip:
      return NextBeat(deadline: now.addingSaturated(interval - sinceLast), missed: Int(clamping: passed))
    case .delay:
      return NextBeat(deadline: now.addingSaturated(interval), missed: Int(clamping: passed))
    case .burst(let limit):
      let told = min(passed, UInt64(max(0, limit)))
      // `told` intervals before the first beat after now; the product is at most `late`.
      let back = told * UInt64(interval)
      let first = now.addingSaturated(interval - sinceLast)
      let deadline =
        told == 0
        ? first : (now &- sinceLast) &- Int64(truncatingIfNeeded: back - UInt64(interval))
      return NextBeat(deadline: deadline, missed: Int(clamping: passed - told))
    }
  }
}
