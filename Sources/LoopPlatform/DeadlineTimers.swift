import CLoopShims
import LoopCore

/// One absolute kernel timer a clock, watched edge-triggered in each mode of a loop.
///
/// They are set before a blocking wait only, and only when what is wanted is not what is armed. Setting or
/// disarming one makes it silent in every mode at once, so that no expired timer wakes a wait that does not
/// want it.
struct DeadlineTimers {
  /// What became of a request to wake at certain instants.
  enum Armed {
    /// The wait may block.
    case set
    /// An instant has come already: poll.
    case due
  }

  private struct Timer {
    /// -1 until it is needed.
    var descriptor: Int32 = -1
    /// The instant at which it becomes readable; `.max` is never.
    var deadline: Int64 = .max
    /// It was reported: its edge is used up, and it says nothing more until it is set again.
    var hasExpired = false
  }

  private var timers = (Timer(), Timer(), Timer())

  /// Where a kernel timer can't be had, a wait ends after this long at the latest, in nanoseconds.
  private static let longestUntimedWait: Int64 = 1_000_000_000

  /// The bit by which a mode's base reports the timer of `clock`.
  static func bit(_ clock: ClockDomain) -> UInt32 { 1 << UInt32(clock.rawValue) }

  /// All such bits.
  static let bits: UInt32 = 0b111

  /// The timers made so far.
  var descriptors: [(clock: ClockDomain, descriptor: Int32)] {
    ClockDomain.allCases.compactMap { clock in
      self[clock].descriptor >= 0 ? (clock, self[clock].descriptor) : nil
    }
  }

  /// Makes the timer of `clock` unless it is there; the errno value of a refusal, else 0.
  ///
  /// `watch` registers a new one in the modes there are; refused by any, it is not kept.
  mutating func make(_ clock: ClockDomain, watch: (Int32) -> Int32) -> Int32 {
    guard self[clock].descriptor < 0 else { return 0 }
    let descriptor = wl_timer_create(Int32(clock.rawValue))
    guard descriptor >= 0 else { return -descriptor }
    let error = watch(descriptor)
    guard error == 0 else {
      wl_descriptor_close(descriptor)
      return error
    }
    self[clock] = Timer(descriptor: descriptor)
    return 0
  }

  /// Notes what a base reported.
  mutating func noteExpired(_ reported: UInt32) {
    guard reported & Self.bits != 0 else { return }
    for clock in ClockDomain.allCases where reported & Self.bit(clock) != 0 {
      self[clock].hasExpired = true
    }
  }

  /// Makes the timers wake the next wait at `deadlines` and at no other time.
  mutating func arm(_ deadlines: WaitDeadlines, watch: (ClockDomain, Int32) -> Int32) -> Armed {
    var suspending = deadlines.suspending
    guard
      arm(.continuous, deadlines.continuous, orElse: &suspending, watch: watch) == .set,
      arm(.wall, deadlines.wall, orElse: &suspending, watch: watch) == .set
    else { return .due }
    guard needsSetting(.suspending, suspending) else { return .set }
    // Setting a timer to the past costs the kernel more than a look at the clock does.
    if suspending != .max, suspending <= SystemClock.now(.suspending) { return .due }
    set(.suspending, suspending)
    return .set
  }

  /// Arms a timer that may not be there yet; where it can't be made, `suspending` bounds the wait instead.
  private mutating func arm(
    _ clock: ClockDomain, _ deadline: Int64, orElse suspending: inout Int64,
    watch: (ClockDomain, Int32) -> Int32
  ) -> Armed {
    guard needsSetting(clock, deadline) else { return .set }
    if deadline != .max {
      let now = SystemClock.now(clock)
      if deadline <= now { return .due }
      guard make(clock, watch: { watch(clock, $0) }) == 0 else {
        // Out of descriptors, say. The loop looks again now and then, until the timer can be made.
        let patience = min(deadline &- now, Self.longestUntimedWait)
        suspending = min(suspending, SystemClock.now(.suspending) &+ patience)
        return .set
      }
    }
    set(clock, deadline)
    return .set
  }

  /// Closes the descriptors, which in a forked child leaves the parent's timers as they are.
  mutating func close() {
    for (clock, descriptor) in descriptors {
      wl_descriptor_close(descriptor)
      self[clock] = Timer()
    }
  }

  private func needsSetting(_ clock: ClockDomain, _ deadline: Int64) -> Bool {
    let timer = self[clock]
    return timer.deadline != deadline || timer.hasExpired
  }

  private mutating func set(_ clock: ClockDomain, _ deadline: Int64) {
    let descriptor = self[clock].descriptor
    assert(descriptor >= 0, "the timer of \(clock) is set before it is made")
    wl_timer_set(descriptor, deadline)
    self[clock].deadline = deadline
    self[clock].hasExpired = false
  }

  private subscript(clock: ClockDomain) -> Timer {
    get {
      switch clock {
      case .suspending: timers.0
      case .continuous: timers.1
      case .wall: timers.2
      }
    }
    _modify {
      switch clock {
      case .suspending: yield &timers.0
      case .continuous: yield &timers.1
      case .wall: yield &timers.2
      }
    }
  }
}
