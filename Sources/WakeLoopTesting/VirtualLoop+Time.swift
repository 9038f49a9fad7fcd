internal import LoopCore
public import WakeLoop

// MARK: - Playing time

extension VirtualLoop {
  /// Runs the loop through so much virtual time, and not a nanosecond more.
  ///
  /// First all that is runnable now, then each instant at which something is due in a pass of its own, the last
  /// one included. Time that is left when the loop has nothing (more) to do passes as well, and what the script
  /// does then may give it work again. What a handler of the very last instant schedules for now is run, too.
  ///
  /// A `stop()` in a handler ends it early, as it ends the app's run: time stays where it was. A handler that
  /// blocks, or runs the loop, beyond the end makes it end late.
  ///
  /// - Parameters:
  ///   - duration: zero or more; zero runs what is runnable now.
  ///   - mode: the mode to run in.
  /// - Returns: whether it was stopped; otherwise the end of the time was reached.
  @discardableResult
  public func advance(by duration: Duration, mode: Loop.Mode = .default) -> Advance {
    let end = backend.clocks.exactSuspending.addingSaturated(nanoseconds(duration, "duration"))
    return advance(toNanoseconds: end, mode: mode)
  }

  /// Runs the loop until virtual time comes to an instant; see ``advance(by:mode:)``.
  ///
  /// An instant that has passed is now: what is runnable runs.
  @discardableResult
  public func advance(to instant: Loop.Instant, mode: Loop.Mode = .default) -> Advance {
    advance(toNanoseconds: instant.nanoseconds, mode: mode)
  }

  /// How an advance ended.
  public enum Advance: Hashable, Sendable {
    /// Virtual time came to the end asked for, or beyond where a handler took it there.
    case reachedEnd
    /// A handler or another thread stopped the run before.
    case stopped
  }

  /// Lets so much time pass in one go, as a handler that works so long: nothing runs meanwhile.
  ///
  /// Inside a handler that handler takes the time, outside the thread is busy elsewhere. The script goes on:
  /// descriptors become ready at their instants and are found by the next pass.
  ///
  /// - Parameter duration: zero or more.
  public func block(for duration: Duration) {
    backend.elapse(for: nanoseconds(duration, "duration"))
  }

  private func advance(toNanoseconds end: Int64, mode: Loop.Mode) -> Advance {
    while true {
      let left = end.subtractingReportingOverflow(backend.clocks.exactSuspending).partialValue
      let result = loop.run(mode: mode, for: .nanoseconds(max(left, 0)))
      if result == .stopped { return .stopped }
      if backend.clocks.exactSuspending < end {
        // Nothing keeps the run alive. Time passes; if the script has something to say, the loop is asked again.
        guard let event = backend.nextEventInstant, event <= end else {
          backend.elapse(until: end)
          return .reachedEnd
        }
        backend.elapse(until: event)
      } else if backend.clocks.exactSuspending > end || !loop.hasWorkForNow(in: mode) {
        // Beyond the end nothing more is run: handlers that take longer than their interval have always work.
        return .reachedEnd
      }
    }
  }
}

// MARK: - The clocks

extension VirtualLoop {
  /// Sets the wall clock forward, or back where negative, as a user or a time service does.
  ///
  /// - Parameters:
  ///   - duration: by how much; negative is back.
  ///   - instant: when; nil is now.
  public func stepWallClock(by duration: Duration, at instant: Loop.Instant? = nil) {
    let step = signedNanoseconds(duration)
    happen(at: instant) { $0.stepWall(by: step) }
  }

  /// Lets the machine sleep: wall and continuous clock move on, the suspending one stands still.
  ///
  /// - Parameters:
  ///   - duration: zero or more.
  ///   - instant: when; nil is now.
  public func sleepMachine(for duration: Duration, at instant: Loop.Instant? = nil) {
    let slept = nanoseconds(duration, "duration")
    happen(at: instant) { $0.sleepMachine(for: slept) }
  }

  /// Makes the wall clock run fast (positive) or slow (negative) from now on.
  ///
  /// - Parameters:
  ///   - partsPerMillion: microseconds a second, kept to a thousandth; within ±100,000.
  ///   - instant: when; nil is now.
  public func setWallDrift(partsPerMillion: Double, at instant: Loop.Instant? = nil) {
    precondition(
      partsPerMillion.magnitude <= 100_000,
      "partsPerMillion is \(partsPerMillion): more than 100,000 is no drift")
    let drift = Int64((partsPerMillion * 1_000).rounded())
    happen(at: instant) { $0.setWallDrift(nanosecondsPerSecond: drift) }
  }
}
