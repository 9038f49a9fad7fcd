/// The clocks that a deadline may be on.
///
/// Raw values index small fixed arrays and are passed through the seam.
package enum ClockDomain: UInt8, Sendable, CaseIterable {
  /// CLOCK_MONOTONIC: stands still while the machine sleeps.
  case suspending = 0
  /// CLOCK_BOOTTIME: counts sleep.
  case continuous = 1
  /// CLOCK_REALTIME: follows every setting of the clock at once.
  case wall = 2
}

/// What a pass reads when it wakes: the monotonic clock first, then the wall.
package struct ClockReadings: Sendable {
  /// Nanoseconds of the suspending clock.
  package var suspending: Int64
  /// Whole seconds since 1970 of the wall clock.
  package var wallSeconds: Int64
  /// Nanoseconds, 0 ..< 1_000_000_000, to add to `wallSeconds`.
  package var wallNanoseconds: Int64

  package init(suspending: Int64, wallSeconds: Int64, wallNanoseconds: Int64) {
    self.suspending = suspending
    self.wallSeconds = wallSeconds
    self.wallNanoseconds = wallNanoseconds
  }

  /// The wall clock in nanoseconds since 1970.
  package var wall: Int64 { wallSeconds &* 1_000_000_000 &+ wallNanoseconds }
}

/// What a descriptor is watched for, and what was reported of it.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Makes the union of some.
  // Written out, since other modules would call the standard one by way of the protocol, unspecialised: half the
  // instructions of a ready descriptor were its.
  package init(arrayLiteral elements: Readiness...) {
    rawValue = elements.reduce(0) { $0 | $1.rawValue }
  }

  package static let read = Readiness(rawValue: 1)
  package static let write = Readiness(rawValue: 2)
  /// Reported only, of sockets watched for reading: the peer has closed its writing side (EPOLLRDHUP).
  package static let closed = Readiness(rawValue: 4)
}

/// One watched descriptor that the kernel reported.
package struct ReadyEvent: Sendable {
  /// What was given to `watch`.
  package var token: UInt
  package var readiness: Readiness

  package init(token: UInt, readiness: Readiness) {
    self.token = token
    self.readiness = readiness
  }
}

/// The instants at which a wait has to end, one a clock; `.max` is never.
package struct WaitDeadlines: Sendable, Equatable {
  package var suspending: Int64
  package var continuous: Int64
  /// Nanoseconds since 1970.
  package var wall: Int64
  /// Whether the wait is to end as well when the wall clock is set or the machine wakes from sleep.
  package var endsWhenClocksAreSet: Bool

  package init(
    suspending: Int64 = .max, continuous: Int64 = .max, wall: Int64 = .max, endsWhenClocksAreSet: Bool = false
  ) {
    self.suspending = suspending
    self.continuous = continuous
    self.wall = wall
    self.endsWhenClocksAreSet = endsWhenClocksAreSet
  }

  package static var never: WaitDeadlines { WaitDeadlines() }
}

/// What a wait found besides the ready descriptors.
package struct WaitOutcome: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nothing besides; spelled out, because the empty literal is built element by element across modules.
  package static let nothing: WaitOutcome = []
  /// The main dispatch queue has blocks.
  package static let mainQueue = WaitOutcome(rawValue: 1)
  /// The kernel's batch was full: more may be ready.
  package static let batchFull = WaitOutcome(rawValue: 2)
  /// Nothing is due ever and nothing can become ready by itself: only another thread can wake the loop.
  ///
  /// A real backend sleeps in the kernel instead and never reports it; a virtual one can't sleep.
  package static let onlyForeign = WaitOutcome(rawValue: 4)
  /// The wall clock was set, or the machine has slept; told where a wait was to end for that.
  package static let clocksSet = WaitOutcome(rawValue: 8)
}

/// The narrow seam between the loop, which decides, and what waits for it.
///
/// All calls but those of the loop's waker come from the loop's own thread. Modes are small integers that the
/// loop hands out; descriptors, tokens and nanoseconds are integers too, so that no backend knows a handler.
/// Errors are `errno` values, 0 for none. One registration a mode and descriptor: the caller unites interests.
package protocol LoopBackend: AnyObject {
  /// Reads the monotonic clock and then the wall clock.
  func readClocks() -> ClockReadings

  /// Reads one clock in nanoseconds (the wall's since 1970).
  func now(_ clock: ClockDomain) -> Int64

  /// Makes what is needed to wait in `mode`; `servesMainQueue` makes waits in it report the main queue.
  func openMode(_ mode: Int, servesMainQueue: Bool) -> Int32

  /// Lets go of `mode` and all its watches.
  func closeMode(_ mode: Int)

  /// Asks whether `descriptor` could be watched, without watching it; the answers are those of `watch`.
  func check(_ descriptor: Int32) -> Int32

  /// Starts watching `descriptor` in `mode`, which must be open. `interest` has read or write or both.
  ///
  /// The kernel is asked first: EPERM is a regular file, EBADF no descriptor, EEXIST never. Watching a number
  /// anew replaces its watch; who wants to know whether its file is still the same ends the old watch first.
  func watch(mode: Int, descriptor: Int32, interest: Readiness, token: UInt) -> Int32

  /// Changes the interest of a watched descriptor. EBADF or ENOENT: it was closed under us.
  func modify(mode: Int, descriptor: Int32, interest: Readiness) -> Int32

  /// Stops watching. EBADF or ENOENT: the descriptor was closed under us, and before the mode is next asked it
  /// is rebuilt, so that the old file can't be reported. Others that a rebuild finds closed are reported as
  /// ready by every poll until their watch ends, as a probe of them will tell.
  func unwatch(mode: Int, descriptor: Int32) -> Int32

  /// Collects what is ready without waiting.
  func poll(mode: Int, into ready: inout [ReadyEvent]) -> WaitOutcome

  /// Waits until something is ready, a deadline has come or the loop is woken, then collects.
  ///
  /// It tells the waker that the loop sleeps, and polls instead if something was raised and not taken. It may
  /// end without a cause: a wake can still be on its way when what it was raised for has been taken.
  func wait(mode: Int, until deadlines: WaitDeadlines, into ready: inout [ReadyEvent]) -> WaitOutcome

  /// Makes a descriptor for another loop to poll, readable when `mode`, which must be open, is; one a backend.
  ///
  /// The errno value of a refusal, negated; `.min` where there is no kernel to show anything.
  func openHostDescriptor(mode: Int) -> Int32

  /// Lets go of the host's descriptor.
  func closeHostDescriptor()

  /// Has the host's descriptor become readable by itself when something is ready, a deadline has come or the
  /// loop is woken, as `wait` would end; nil if it can, else what a poll is due for already.
  func hostWillWait(mode: Int, until deadlines: WaitDeadlines) -> WaitOutcome?

  /// The loop is awake: whoever raises something need not write.
  func hostDidWake()

  /// Makes the host's descriptor readable until the next poll.
  func alertHost()

  /// Passes the time until an instant of the suspending clock, a few milliseconds ahead at most, without sleep.
  func spin(until instant: Int64)

  /// Runs the main dispatch queue's blocks that were posted before the call (main thread only).
  func drainMainQueue()

  /// Asks the kernel about one descriptor now, as poll(2): its `revents` (POLLNVAL: not open).
  func probe(_ descriptor: Int32) -> Int16

  /// How many bytes could be read at once, as FIONREAD; -1 where the descriptor can't say.
  func unreadBytes(_ descriptor: Int32) -> Int

  /// Whether the number names an open file, as fcntl(F_GETFD).
  func isOpen(_ descriptor: Int32) -> Bool

  /// Lets go of everything. `inForkedChild`: only closes numbers, touching no kernel object that is shared.
  func close(inForkedChild: Bool)
}
