/// The offset that is shown: it follows the estimated one so that the time read never goes back.
///
/// A correction is spread out: time read runs between half and one and a half times as fast until it is made.
/// A correction forward of more than a second is made at once, since nothing goes back by it.
package struct SlewedOffset: Equatable, Sendable {
  /// Corrections forward beyond so many nanoseconds are made at once.
  package static let longestForwardSlew: Int64 = 1_000_000_000

  private var anchor: Int64
  private var anchorOffset: Int64
  /// Where the shown offset is going.
  package private(set) var target: Int64

  package init(_ offset: Int64, at instant: Int64) {
    anchor = instant
    anchorOffset = offset
    target = offset
  }

  /// The offset shown at an instant of the continuous clock.
  package func offset(at instant: Int64) -> Int64 {
    let allowed = max(0, instant - anchor) / 2
    let gap = target - anchorOffset
    return anchorOffset + (gap >= 0 ? min(gap, allowed) : max(gap, -allowed))
  }

  /// The server's time shown at an instant of the continuous clock: never less at a later one.
  package func time(at instant: Int64) -> Int64 { instant + offset(at: instant) }

  /// Goes for another offset from an instant on, which is not before the last one.
  package mutating func retarget(_ target: Int64, at instant: Int64) {
    let instant = max(anchor, instant)
    let shown = offset(at: instant)
    anchor = instant
    anchorOffset = target - shown > Self.longestForwardSlew ? target : shown
    self.target = target
  }

  /// The first instant of the continuous clock at which a server time is shown; it may have passed.
  package func instant(showing time: Int64) -> Int64 {
    if time == .max { return .max }
    let unslewed = time.addingSaturated(-anchorOffset)
    if unslewed <= anchor { return unslewed }
    let gap = Int128(target) - Int128(anchorOffset)
    let end = Int64(clamping: Int128(anchor) + 2 * Int128(gap.magnitude))
    let slewed = time.addingSaturated(-target)
    if slewed >= end { return slewed }
    // The slew rounds to whole nanoseconds: searched rather than solved.
    var early = anchor
    var late = end
    while late - early > 1 {
      let middle = early + (late - early) / 2
      if self.time(at: middle) >= time { late = middle } else { early = middle }
    }
    return late
  }
}
