package import LoopCore

/// Three clocks that move only when told.
///
/// One of them, the continuous clock, is the time that really passes; the others are functions of it. The
/// suspending clock lacks what was slept, the wall clock has an anchor (moved by each step) and a rate (its
/// drift). All in nanoseconds; arithmetic saturates, so a clock near the end of its range stands still there.
package struct VirtualClocks: Sendable {
  /// Nanoseconds of the wall clock in a second without drift.
  private static let second: Int64 = 1_000_000_000

  /// The continuous clock, unrounded.
  private var continuous: Int64 = 5_000 * Self.second
  /// How far the suspending clock is behind.
  ///
  /// Not zero at first, so that who mixes the clocks up finds out.
  private var slept: Int64 = 4_000 * Self.second
  private var wallAnchor: Int64
  private var wallAnchorInstant: Int64
  /// Wall nanoseconds in a second of continuous time.
  private var wallRate: Int64 = Self.second
  /// All clocks tick in steps of so many nanoseconds.
  private let resolution: Int64

  /// Makes clocks of which the suspending one starts at 1,000 s and the continuous one at 5,000 s.
  ///
  /// - Parameters:
  ///   - wall: what the wall clock starts at, in nanoseconds since 1970.
  ///   - resolution: the step in which all clocks tick, in nanoseconds.
  package init(wall: Int64, resolution: Int64 = 1) {
    precondition(resolution >= 1, "a clock can't have a resolution of \(resolution) ns")
    self.resolution = resolution
    wallAnchor = wall
    wallAnchorInstant = continuous
  }

  /// Reads one clock, rounded down to the resolution.
  package func now(_ clock: ClockDomain) -> Int64 {
    let exact =
      switch clock {
      case .suspending: exactSuspending
      case .continuous: continuous
      case .wall: wall
      }
    return resolution == 1 ? exact : floor(exact)
  }

  /// Reads what a pass records.
  package var readings: ClockReadings {
    let wall = now(.wall)
    var seconds = wall / Self.second
    var rest = wall % Self.second
    if rest < 0 {
      seconds -= 1
      rest += Self.second
    }
    return ClockReadings(suspending: now(.suspending), wallSeconds: seconds, wallNanoseconds: rest)
  }

  /// The suspending clock, unrounded.
  package var exactSuspending: Int64 { continuous &- slept }

  private var wall: Int64 {
    let elapsed = continuous &- wallAnchorInstant
    if wallRate == Self.second { return wallAnchor.addingSaturated(elapsed) }
    let run = (Int128(elapsed) * Int128(wallRate)) / Int128(Self.second)
    return Int64(clamping: Int128(wallAnchor) + run)
  }

  private func floor(_ value: Int64) -> Int64 {
    let rest = value % resolution
    return value - (rest < 0 ? rest + resolution : rest)
  }
}

// MARK: - Moving

extension VirtualClocks {
  /// Moves all three clocks on to an instant of the continuous clock; one that has passed moves nothing.
  package mutating func move(toContinuous instant: Int64) {
    continuous = max(continuous, instant)
  }

  /// Moves all three clocks on to an instant of the suspending clock, unrounded.
  package mutating func move(toSuspending instant: Int64) {
    move(toContinuous: instant.addingSaturated(slept))
  }

  /// Lets the machine sleep: the suspending clock stands still for so many nanoseconds.
  package mutating func sleep(for nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "a machine can't sleep for \(nanoseconds) ns")
    let before = continuous
    continuous = continuous.addingSaturated(nanoseconds)
    slept += continuous - before
  }

  /// Sets the wall clock, as an administrator or a time service does.
  package mutating func stepWall(by nanoseconds: Int64) {
    wallAnchor = wall.addingSaturated(nanoseconds)
    wallAnchorInstant = continuous
  }

  /// Makes the wall clock run fast (positive) or slow, by so many nanoseconds a second, from now on.
  package mutating func setWallDrift(nanosecondsPerSecond drift: Int64) {
    precondition(
      abs(drift) < Self.second, "a wall clock can't drift by \(drift) ns a second: it would stand or go back")
    wallAnchor = wall
    wallAnchorInstant = continuous
    wallRate = Self.second + drift
  }
}

// MARK: - Deadlines

extension VirtualClocks {
  /// The first instant of the continuous clock at which a clock reads `deadline` or later; nil is never.
  ///
  /// It may have passed. Unless the clock is the wall's and is stepped, waiting until then is neither early
  /// nor a nanosecond too long.
  package func continuousInstant(of deadline: Int64, on clock: ClockDomain) -> Int64? {
    guard deadline != .max, let tick = ceiling(deadline) else { return nil }
    switch clock {
    case .continuous:
      return tick
    case .suspending:
      let (sum, overflow) = tick.addingReportingOverflow(slept)
      return overflow ? nil : sum
    case .wall:
      let distance = Int128(tick) - Int128(wallAnchor)
      // Behind the anchor the wall has been for as long as the anchor is there.
      if distance <= 0 { return wallAnchorInstant }
      let elapsed = (distance * Int128(Self.second) + Int128(wallRate) - 1) / Int128(wallRate)
      return Int64(exactly: Int128(wallAnchorInstant) + elapsed)
    }
  }

  /// The first instant of the continuous clock at which one of the deadlines has come; nil is never.
  package func continuousInstant(of deadlines: WaitDeadlines) -> Int64? {
    var earliest = Int64.max
    if let instant = continuousInstant(of: deadlines.suspending, on: .suspending) { earliest = instant }
    if let instant = continuousInstant(of: deadlines.continuous, on: .continuous) {
      earliest = min(earliest, instant)
    }
    if let instant = continuousInstant(of: deadlines.wall, on: .wall) { earliest = min(earliest, instant) }
    return earliest == .max ? nil : earliest
  }

  /// Whether the continuous clock, unrounded, has reached an instant of its own.
  package func hasReached(continuous instant: Int64) -> Bool { continuous >= instant }

  /// The first tick at or after a value; nil where there is none.
  private func ceiling(_ value: Int64) -> Int64? {
    if resolution == 1 { return value }
    let below = floor(value)
    if below == value { return value }
    let (sum, overflow) = below.addingReportingOverflow(resolution)
    return overflow ? nil : sum
  }
}
