public import FoundationEssentials
import LoopCore
import LoopPlatform

extension Loop.Timer {
  /// Calls the handler now, out of turn, as Foundation's.
  ///
  /// A repeating timer's schedule stays as it is; a one-shot has fired with it and is invalid. It works on a timer
  /// that is in no loop. A handler that is on the stack is not called again. The timer's thread only.
  public func fire() {
    checkThread()
    if !isValid || local.contains(.isOnStack) { return }
    let stamp = loop?.stamp ?? Loop.here.stamp
    if repetition == nil { loop?.detach(self) }
    let before = (deadline, isPaused)
    call(Loop.Pass(stamp, missed: 0, late: 0, timer: self))
    if repetition == nil || isTargetGone { return endNow() }
    if isEnded { return }
    // What the handler has changed reaches the queues now; a beat that a pass has collected stays with it else.
    if (deadline, isPaused) != before { requeue() } else if collectedIn == 0 || isQueued { place() }
  }

  /// When the timer fires next, or has fired last.
  ///
  /// It reads back what was set, to the bit, and then goes on by whole intervals. Setting it moves the next fire
  /// and with it the grid of a repeating timer; set inside the timer's own handler, it wins over the grid. A date
  /// is converted to the timer's clock when it is set; `Date.distantFuture` is never, a date that has passed is
  /// the next pass. The timer's thread only.
  public var fireDate: Date {
    get {
      checkThread()
      let loop = loop ?? Loop.here
      let isKept = local.contains(.followsDate) || clock == .wall || wallSteps == loop.wallSteps
      if let date = spelledFireDate, isKept { return Date(timeIntervalSinceReferenceDate: date) }
      let date = loop.date(of: deadline, on: clock)
      // Kept, so that it reads the same until the timer has moved or the wall clock is set.
      if deadline != .max && deadline != .min {
        spell(date.timeIntervalSinceReferenceDate)
        wallSteps = loop.wallSteps
      }
      return date
    }
    set {
      checkThread()
      if isEnded { return }
      setDeadline(for: newValue, by: loop ?? Loop.here)
      requeue()
    }
  }

  /// Sets the deadline to a date and keeps the date.
  func setDeadline(for date: Date, by loop: Loop) {
    if clock == .wall {
      guard
        let target = TimeConversion.wallNanoseconds(
          fromReferenceSeconds: date.timeIntervalSinceReferenceDate)
      else { preconditionFailure("the fire date is not a number: \(date.timeIntervalSinceReferenceDate)") }
      deadline = target
    } else {
      deadline = loop.suspendingInstant(of: date)
      if clock == .continuous && deadline != .max && deadline != .min {
        deadline = saturatingAdd(
          loop.backend.now(.continuous), saturatingSubtract(deadline, loop.backend.now(.suspending)))
      }
      local.insert(.followsDate)
      wallSteps = loop.wallSteps
    }
    if date >= .distantFuture { deadline = .max }
    spell(date.timeIntervalSinceReferenceDate)
    // A date that has passed when it is set is no beat of the pause, but the next pass.
    if isPaused { notePause(anew: true) }
  }

  /// Has the timer fire a delay from now, in place of when it would have.
  ///
  /// For what waits until it has been quiet for a while: an idle timeout is restarted by everything that comes, a
  /// save by each key that is pressed. The grid of a repeating timer begins anew with it; a one-shot that has fired
  /// stays what it is. The timer's thread only.
  /// - Parameter delay: On the timer's own clock, from the true time of the call; negative is zero, which is the
  ///   next pass.
  /// - Complexity: O(log n) in the number of timers on the loop; it allocates nothing.
  public func restart(after delay: Duration) {
    checkThread()
    if isEnded { return }
    let loop = loop ?? Loop.here
    timeBase = loop.mailbox.number
    deadline = saturatingAdd(loop.backend.now(clock), max(0, delay.clampedNanoseconds))
    if spelledFireDate != nil { leaveDates() }
    if isPaused { notePause(anew: true) }
    requeue()
  }

  /// The interval of a repeating timer in seconds, 0 for a one-shot.
  ///
  /// The timer's thread only.
  public var timeInterval: TimeInterval {
    checkThread()
    return repetition?.seconds ?? 0
  }

  /// By how many seconds the loop may be late for the timer, to share a wake-up with others.
  ///
  /// Timers whose windows overlap are called in one pass. Negative is 0; a repeating timer's counts up to half its
  /// interval, as CoreFoundation; a one-shot with an infinite one fires only when the loop is awake
  /// anyway. The timer's thread only.
  /// - Precondition: Not NaN.
  public var tolerance: TimeInterval {
    get {
      checkThread()
      let nanoseconds = extras?.tolerance ?? 0
      return nanoseconds == .max ? .infinity : Double(nanoseconds) / 1e9
    }
    set {
      checkThread()
      guard let nanoseconds = Loop.nanoseconds(of: newValue) else {
        preconditionFailure("the tolerance is not a number: \(newValue)")
      }
      setTolerance(max(0, nanoseconds))
    }
  }

  /// By how much the loop may be late for the timer; the same as `tolerance`, by Dispatch's name.
  ///
  /// The timer's thread only.
  public var leeway: Duration {
    get {
      checkThread()
      return .nanoseconds(extras?.tolerance ?? 0)
    }
    set {
      checkThread()
      setTolerance(max(0, newValue.clampedNanoseconds))
    }
  }

  func setTolerance(_ nanoseconds: Int64) {
    if nanoseconds == extras?.tolerance ?? 0 { return }
    madeExtras.tolerance = nanoseconds
    toleranceChanged()
  }

  /// Whatever the timer was given to carry; let go when the timer ends.
  ///
  /// The timer's thread only.
  public var userInfo: Any? {
    get {
      checkThread()
      return extras?.userInfo
    }
    set {
      checkThread()
      if isEnded || (newValue == nil && extras == nil) { return }
      // Let go of after the change, since what goes may ask the timer.
      let before = madeExtras.userInfo
      madeExtras.userInfo = newValue
      withExtendedLifetime(before) {}
    }
  }

  /// How many beats of a repeating timer have passed without a call, in total.
  ///
  /// The timer's thread only.
  public var missedFires: Int {
    checkThread()
    return repetition?.missed ?? 0
  }

  /// Pauses the timer, as `DispatchSource.suspend()`, but as often as one likes: it sets `isPaused`.
  ///
  /// Any thread. Beats that pass meanwhile count as missed; a one-shot whose time passes fires after resuming.
  public func suspend() { isPaused = true }

  /// Resumes the timer, as `DispatchSource.resume()`, but as often as one likes: it clears `isPaused`.
  ///
  /// Any thread.
  public func resume() { isPaused = false }

  /// Called once when the timer ends, however that comes about, on the thread of its loop.
  ///
  /// The timer's thread only; setting it on a timer that has ended does nothing.
  public var cancelHandler: (() -> Void)? {
    get {
      checkThread()
      return extras?.cancelHandler
    }
    set {
      checkThread()
      if isEnded { return }
      madeExtras.cancelHandler = newValue
    }
  }
}

extension Loop {
  /// Whole nanoseconds nearest to an interval of seconds, clamped; nil for NaN.
  ///
  /// Nearest, not rounded up: the number written 0.1 lies above a tenth by less than any clock shows, and a
  /// grid of it must have beats at whole tenths.
  static func nanoseconds(of seconds: TimeInterval) -> Int64? {
    if seconds.isNaN { return nil }
    let nanoseconds = (seconds * 1e9).rounded()
    if nanoseconds >= 0x1p63 { return .max }
    if nanoseconds <= -0x1p63 { return .min }
    return Int64(nanoseconds)
  }
}
