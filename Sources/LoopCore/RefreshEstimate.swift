/// Makes an even row of refreshes out of what a display says of its own.
///
/// Ticks may be zero, repeated, far ahead, backwards or long absent, and the advertised refresh interval may be
/// wrong. Whatever comes in, refreshes are numbered in rising order at rising instants, at least half an interval
/// apart; and a few sound ticks suffice to be right again. All times are nanoseconds of one clock.
package struct RefreshEstimate: Sendable, Equatable {
  /// The number of the latest refresh known.
  package private(set) var refresh: Int64 = 0
  /// When that is, or was.
  package private(set) var instant: Int64
  /// The time from one refresh to the next.
  package private(set) var interval: Int64

  private var advertised: Int64
  /// Whether the latest refresh is known from the interval only, and no tick has told of it.
  ///
  /// So is the first, which is but the time at which somebody began to ask.
  private var isExpected = true
  /// The last tick as it was told, nil if it made no sense.
  private var lastTick: Int64?
  private var measured = RecentIntervals()

  /// Intervals outside of these are nobody's: 2,000 Hz and 1 Hz.
  package static let soundIntervals: ClosedRange<Int64> = 500_000...1_000_000_000
  /// What is used until something better is known: 60 Hz.
  package static let usualInterval: Int64 = 16_666_667
  /// A tick that says it is older than this was read on another clock, or no clock.
  private static let greatestAge: Int64 = 1_000_000_000

  /// Whether enough ticks have been seen to know the interval from them.
  package var isMeasured: Bool { measured.estimate != nil }

  /// Makes an estimate of which nothing is known but the time, and perhaps the interval.
  package init(now: Int64, interval: Int64) {
    instant = now
    advertised = Self.soundIntervals.contains(interval) ? interval : Self.usualInterval
    self.interval = advertised
  }

  /// What became of a tick.
  package enum Outcome: Sendable {
    /// A refresh has come.
    case refreshed
    /// It is that of a refresh that had been expected and is known already.
    case confirmed
    /// It came too early for a refresh: the latest one known is still ahead, and nothing need be waited for.
    case early
  }

  /// Takes in a tick.
  ///
  /// - Parameters:
  ///   - told: when the refresh was, or will be, as the display says.
  ///   - refreshInterval: the interval that it advertises; what is not sound says nothing.
  ///   - now: when the tick arrived.
  ///   - isConsecutive: whether no refresh can have passed between the tick before and this one unnoticed.
  package mutating func tick(
    at told: Int64, refreshInterval: Int64, now: Int64, isConsecutive: Bool
  ) -> Outcome {
    if Self.soundIntervals.contains(refreshInterval), refreshInterval != advertised {
      // Another mode of the display: what was measured is of the old one.
      advertised = refreshInterval
      interval = refreshInterval
      measured.removeAll()
    }
    let isSound = told > 0 && told <= now.addingSaturated(interval) && now &- told <= Self.greatestAge
    measure(isSound ? told : nil, isConsecutive: isConsecutive)
    // One refresh is known to be ahead: more are not let in, or the row would run away.
    if instant > now { return .early }
    let arrival = isSound ? told : now
    let passed = arrival.subtractingSaturated(instant)
    if passed < interval / 2 {
      if isExpected {
        // Once a refresh, so that a display which tells the same without end is not asked without end.
        isExpected = false
        instant = max(instant, arrival)
        return .confirmed
      }
      isExpected = true
      refresh = refresh.addingSaturated(1)
      instant = instant.addingSaturated(interval)
      return instant > now ? .early : .refreshed
    }
    isExpected = false
    refresh = refresh.addingSaturated(max(1, passed.addingSaturated(interval / 2) / interval))
    instant = arrival
    return instant > now ? .early : .refreshed
  }

  private mutating func measure(_ tick: Int64?, isConsecutive: Bool) {
    if let tick, let lastTick, isConsecutive, tick > lastTick,
      Self.soundIntervals.contains(tick - lastTick)
    {
      measured.add(tick - lastTick)
      if let estimate = measured.estimate { interval = estimate }
    }
    lastTick = tick
  }

  /// Moves on to the last refresh that, going by the interval, is not after an instant.
  package mutating func moveOn(to now: Int64) {
    guard now > instant else { return }
    let passed = now.subtractingSaturated(instant) / interval
    if passed > 0 { isExpected = true }
    refresh = refresh.addingSaturated(passed)
    instant += passed * interval
  }

  /// When a refresh is to be expected, or was.
  package func instant(of refresh: Int64) -> Int64 {
    let distance = Int128(refresh) - Int128(self.refresh)
    return Int64(clamping: Int128(instant) + distance * Int128(interval))
  }

  /// The last refresh to be expected not after an instant.
  package func refresh(atOrBefore instant: Int64) -> Int64 {
    let distance = Int128(instant) - Int128(self.instant)
    let (quotient, remainder) = distance.quotientAndRemainder(dividingBy: Int128(interval))
    return Int64(clamping: Int128(refresh) + (remainder < 0 ? quotient - 1 : quotient))
  }

  /// The first refresh to be expected not before an instant.
  package func refresh(atOrAfter instant: Int64) -> Int64 {
    refresh(atOrBefore: instant.subtractingSaturated(1)) + 1
  }
}
