import LoopCore
import LoopPlatform

extension Loop {
  /// The beats of a timer, one after the other, for a task.
  ///
  /// Only the latest beat is kept: those that came before it, and that no task has taken, are dropped, and the
  /// `missed` of the one that is taken counts them. So `missed + 1`, added up over the elements, is the number of
  /// beats that have passed until the last of them. The timer keeps its grid, however slow the task is.
  ///
  /// Each iteration has a timer of its own, which begins and ends with it. Cancelling the task ends both.
  ///
  /// ```swift
  /// for await pass in loop.beats(every: .seconds(1)) {
  ///   await view.show(pass.date)
  /// }
  /// ```
  public struct Beats: AsyncSequence, Sendable {
    /// What a timer's handler is told of the pass; `missed` counts the beats that were dropped, too.
    public typealias Element = Pass
    /// It never throws.
    public typealias Failure = Never

    let mailbox: Mailbox
    let interval: Duration
    let firesNow: Bool
    let tolerance: Duration
    let clock: TimerClock
    let mode: Mode
    let origin: (fileID: StaticString, line: UInt)

    /// Begins an iteration: its timer is added to the loop, and the grid starts now.
    ///
    /// Any thread.
    public func makeAsyncIterator() -> Iterator {
      let iteration = Iteration<LatestBeat, Never>(box: LatestBeat())
      let giver = iteration.giver()
      let repetition = Timer.Repetition(interval, .skip)
      let now = mailbox.now(clock.domain)
      let timer = Timer(
        deadline: firesNow ? now : saturatingAdd(now, repetition.interval), clock: clock.domain,
        repetition: repetition, handler: .pass { giver.give($0) }, timeBase: mailbox.number,
        threadID: mailbox.thread, fileID: origin.fileID, line: origin.line)
      if tolerance > .zero { timer.madeExtras.tolerance = tolerance.clampedNanoseconds }
      iteration.begin(with: [timer], on: mailbox, in: mode)
      return Iterator(iteration: iteration)
    }

    /// One iteration over the beats.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let iteration: Iteration<LatestBeat, Never>

      /// Waits for a beat, or takes the latest; nil when the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public nonisolated(nonsending) func next() async -> Pass? {
        await iteration.next(isolation: #isolation)
      }

      /// Waits for a beat, or takes the latest; nil when the task is cancelled or the loop has ended.
      ///
      /// - Precondition: No other task waits on the same iterator.
      public func next(isolation actor: isolated (any Actor)?) async -> Pass? {
        await iteration.next(isolation: actor)
      }
    }
  }

  /// The beats of a timer, for a task; beats for which it is too slow are dropped and counted.
  ///
  /// Loop's thread only; the sequence itself goes anywhere.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms. Counts from the beginning of an iteration.
  ///   - firesNow: True makes the first beat at once: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - mode: Where the timer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func beats(
    every interval: Duration, firesNow: Bool = false, tolerance: Duration = .zero,
    clock: TimerClock = .suspending, in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Beats {
    remote.beats(
      every: interval, firesNow: firesNow, tolerance: tolerance, clock: clock, in: mode, fileID: fileID,
      line: line)
  }
}

extension Loop.Remote {
  /// The beats of a timer, for a task; beats for which it is too slow are dropped and counted.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms. Counts from the beginning of an iteration.
  ///   - firesNow: True makes the first beat at once: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - mode: Where the timer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func beats(
    every interval: Duration, firesNow: Bool = false, tolerance: Duration = .zero,
    clock: Loop.TimerClock = .suspending, in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.Beats {
    Loop.Beats(
      mailbox: mailbox, interval: interval, firesNow: firesNow, tolerance: tolerance, clock: clock,
      mode: mode, origin: (fileID, line))
  }
}

extension Loop.MainRemote {
  /// The beats of a timer of the main loop, for a task; beats for which it is too slow are dropped and counted.
  ///
  /// Any thread.
  /// - Parameters:
  ///   - interval: Between the beats; zero or less is 0.1 ms. Counts from the beginning of an iteration.
  ///   - firesNow: True makes the first beat at once: in the next pass, then every interval.
  ///   - tolerance: By how much the loop may be late, to share a wake-up; up to half the interval counts.
  ///   - clock: What the interval is measured by.
  ///   - mode: Where the timer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  public func beats(
    every interval: Duration, firesNow: Bool = false, tolerance: Duration = .zero,
    clock: Loop.TimerClock = .suspending, in mode: Loop.Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Loop.Beats {
    remote.beats(
      every: interval, firesNow: firesNow, tolerance: tolerance, clock: clock, in: mode, fileID: fileID,
      line: line)
  }
}

/// Keeps the latest beat and counts those that it has taken the place of.
private struct LatestBeat: ElementBox {
  private var beat: Loop.Pass?

  mutating func put(_ beat: Loop.Pass, isAwaited: Bool) {
    var beat = beat
    // Saturating, since beats of a nanosecond may have been missed for centuries.
    if let dropped = self.beat {
      let (sum, overflow) = beat.missed.addingReportingOverflow(dropped.missed)
      beat.missed = overflow || sum == .max ? .max : sum + 1
    }
    self.beat = beat
  }

  mutating func take() -> Loop.Pass? { beat.take() }
}
