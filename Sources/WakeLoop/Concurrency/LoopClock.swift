import LoopCore
import LoopPlatform
import Synchronization

/// The suspending clock as one loop serves it: its sleeps are timers of that loop.
///
/// `Task.sleep(for:clock:)`, `clock.sleep(until:)` and whatever takes a clock can use it. With a virtual loop's
/// clock a sleep takes no real time. A sleeper goes on where its actor or executor is: on the loop's own, in the
/// pass after the one that found it due. Sleeps act in the common modes.
public struct LoopClock: Clock, Sendable {
  /// The clock's moments, those of `Loop.wakeInstant`.
  public typealias Instant = Loop.Instant

  let mailbox: Mailbox

  /// The present by the loop's clock: real, or virtual where the loop is.
  ///
  /// Any thread. Inside a pass, `Loop.wakeInstant` is the now that all handlers share.
  public var now: Loop.Instant { Loop.Instant(nanoseconds: mailbox.now(.suspending)) }

  /// The smallest step between two moments: one nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until a moment has come, never less.
  ///
  /// Cancelled, it ends at once, and its timer goes with the pass that the cancel wakes. A moment that has passed
  /// does not suspend.
  /// - Parameters:
  ///   - deadline: On this clock; `.distantFuture` is never.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; nil is none.
  /// - Throws: `CancellationError` if the task was cancelled, or if the loop ended before the moment.
  public func sleep(until deadline: Loop.Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    if deadline <= now { return }
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        sleeper.begin(continuation, in: Loop.Remote(mailbox: mailbox), until: deadline, tolerance: tolerance)
      }
    } onCancel: {
      sleeper.cancel()
    }
  }
}

extension Loop {
  /// The clock whose sleeps are this loop's timers.
  ///
  /// Loop's thread only; the clock itself goes anywhere.
  public var clock: LoopClock { remote.clock }
}

extension Loop.Remote {
  /// The clock whose sleeps are the loop's timers.
  ///
  /// Any thread.
  public var clock: LoopClock { LoopClock(mailbox: mailbox) }
}

extension Loop.MainRemote {
  /// The clock whose sleeps are the main loop's timers.
  ///
  /// Any thread.
  public var clock: LoopClock { remote.clock }
}

/// One sleep: whoever first moves it to its end, the timer, the cancellation or the loop's end, resumes the task.
// Sendable is unchecked because the continuation is written before `asleep` and the timer before `timed`, and
// each is read only by who has found that state: the atomic orders them.
private final class Sleeper: @unchecked Sendable {
  private enum State {
    /// The continuation is not there yet.
    static let starting: UInt8 = 0
    /// The continuation is there, the timer is not.
    static let asleep: UInt8 = 1
    /// Both are there.
    static let timed: UInt8 = 2
    static let ended: UInt8 = 3
  }

  private let state = Atomic<UInt8>(State.starting)
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var timer: Loop.Timer?

  func begin(
    _ continuation: UnsafeContinuation<Void, any Error>, in remote: Loop.Remote,
    until deadline: Loop.Instant, tolerance: Duration?
  ) {
    self.continuation = continuation
    if !move(from: State.starting, to: State.asleep) {
      // Cancelled before it could begin.
      continuation.resume(throwing: CancellationError())
      return
    }
    let timer = remote.sleepTimer(
      until: deadline, tolerance: tolerance ?? .zero, wake: { _ in self.end(throwing: nil) },
      ended: { self.end(throwing: CancellationError()) })
    self.timer = timer
    // Ended meanwhile, by a cancel that could not see the timer or by the timer itself.
    if !move(from: State.asleep, to: State.timed) { timer.invalidate() }
  }

  func cancel() {
    let before = end(throwing: CancellationError())
    if before == State.timed { timer?.invalidate() }
  }

  /// Resumes the task unless that has been done; returns the state before.
  @discardableResult
  private func end(throwing error: (any Error)?) -> UInt8 {
    let before = state.exchange(State.ended, ordering: .acquiringAndReleasing)
    guard before == State.asleep || before == State.timed, let continuation else { return before }
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    return before
  }

  private func move(from: UInt8, to: UInt8) -> Bool {
    state.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
  }
}

extension Loop.Remote {
  /// Makes the timer of a sleep; `ended` is called if it ends, having called `wake` or not.
  fileprivate func sleepTimer(
    until deadline: Loop.Instant, tolerance: Duration, wake: @escaping @Sendable (Loop.Pass) -> Void,
    ended: @escaping @Sendable () -> Void
  ) -> Loop.Timer {
    send(
      at: deadline.nanoseconds, clock: .suspending, repetition: nil, tolerance: tolerance, mode: .common,
      body: wake, cancelHandler: ended, fileID: #fileID, line: #line)
  }
}
