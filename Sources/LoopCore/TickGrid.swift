/// Evenly spaced ticks, numbered from 0 at `origin`, whose distance need not be a whole number of nanoseconds.
///
/// A sixtieth of a second is none. Each tick is computed from its number, so the thousandth is as exact as the
/// first: the error of any is less than a nanosecond, and none is early.
package struct TickGrid: Sendable, Equatable {
  /// The instant of tick 0, in nanoseconds.
  package let origin: Int64
  /// Nanoseconds in `divisor` ticks.
  package let span: Int64
  /// How many ticks `span` is divided into.
  package let divisor: Int64

  /// Makes a grid of `divisor` ticks in each `span` nanoseconds; ticks are at least a nanosecond apart.
  package init(origin: Int64, span: Int64, divisor: Int64 = 1) {
    precondition(divisor > 0 && span >= divisor, "\(divisor) ticks don't fit into \(span) ns")
    self.origin = origin
    self.span = span
    self.divisor = divisor
  }

  /// The instant of a tick, rounded up and clamped.
  package func instant(of tick: Int64) -> Int64 {
    let product = Int128(tick) * Int128(span)
    let (whole, rest) = product.quotientAndRemainder(dividingBy: Int128(divisor))
    return Int64(clamping: Int128(origin) + (rest > 0 ? whole + 1 : whole))
  }

  /// The last tick whose instant is not after `now`; negative before the origin.
  package func tick(atOrBefore now: Int64) -> Int64 {
    let distance = Int128(now) - Int128(origin)
    let (whole, rest) = (distance * Int128(divisor)).quotientAndRemainder(dividingBy: Int128(span))
    return Int64(clamping: rest < 0 ? whole - 1 : whole)
  }
}
