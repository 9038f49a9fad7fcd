public import FoundationEssentials
import LoopCore
import LoopPlatform

/// Runs: each is one entry, passes, and one exit.
extension Loop {
  /// Runs in the default mode until it is stopped or nothing is left that could act.
  ///
  /// `Loop.main.run()` does not end by itself: the main queue counts as something that could act. Loop's
  /// thread only.
  @available(*, noasync, message: "a run blocks its thread")
  public func run() {
    _ = run(in: .default, limit: .max)
  }

  /// Runs in the default mode until a date, unless it is stopped or finished before.
  ///
  /// The date is converted to the suspending clock once, at the call; one that has passed polls once. Loop's
  /// thread only.
  @available(*, noasync, message: "a run blocks its thread")
  public func run(until limitDate: Date) {
    _ = run(in: .default, limit: suspendingInstant(of: limitDate))
  }

  /// Runs in a mode until a source has been handled or a date has come, as Foundation's.
  ///
  /// Timers fire meanwhile and don't end it. Loop's thread only.
  /// - Returns: False if the mode had nothing that could act when called; then nothing runs.
  /// - Precondition: The mode is neither `.common` nor empty.
  @available(*, noasync, message: "a run blocks its thread")
  @discardableResult
  public func run(mode: Mode, before limitDate: Date) -> Bool {
    run(in: mode, limit: suspendingInstant(of: limitDate), returnsAfterSource: true) != nil
  }

  /// Runs in a mode for a duration, as `CFRunLoopRunInMode`.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - mode: The mode; neither `.common` nor empty.
  ///   - duration: How long at most, by the suspending clock; zero or less polls once.
  ///   - returnAfterSourceHandled: Whether to return after the first pass in which a source was handled.
  /// - Returns: How the run ended.
  @available(*, noasync, message: "a run blocks its thread")
  @discardableResult
  public func run(mode: Mode, for duration: Duration, returnAfterSourceHandled: Bool = false) -> RunResult {
    checkUsable("run(mode:for:returnAfterSourceHandled:)")
    let limit = saturatingAdd(backend.now(.suspending), duration.clampedNanoseconds)
    return run(in: mode, limit: limit, returnsAfterSource: returnAfterSourceHandled) ?? .finished
  }

  /// Runs in a mode as long as a condition holds, which is asked before the first pass and after each.
  ///
  /// Loop's thread only.
  /// - Precondition: The mode is neither `.common` nor empty.
  @available(*, noasync, message: "a run blocks its thread")
  public func run(mode: Mode = .default, while condition: () -> Bool) {
    checkUsable("run(mode:while:)")
    guard condition() else { return }
    withoutActuallyEscaping(condition) { condition in
      _ = run(in: mode, limit: .max, condition: condition)
    }
  }

  /// Runs in a mode until a source has been handled or a date has come, as Foundation's.
  ///
  /// Loop's thread only.
  /// - Precondition: The mode is neither `.common` nor empty.
  @available(*, noasync, message: "a run blocks its thread")
  public func acceptInput(forMode mode: Mode, before limitDate: Date) {
    run(mode: mode, before: limitDate)
  }

  /// Makes one polling pass in a mode and tells when the next thing there is due, as Foundation's.
  ///
  /// Loop's thread only.
  /// - Returns: Nil if nothing in the mode could act; `Date.distantFuture` if nothing there has a date.
  /// - Precondition: The mode is neither `.common` nor empty.
  @available(*, noasync, message: "the pass blocks its thread")
  public func limitDate(forMode mode: Mode) -> Date? {
    switch run(in: mode, limit: .min, isQuery: true) {
    case nil, .finished: return nil
    default: break
    }
    guard let record = existingRecord(of: mode), !isFinished(record) else { return nil }
    return earliestDate(in: record) ?? .distantFuture
  }

  /// Ends the innermost run after its pass; outside a run, the next run returns at once.
  ///
  /// What the pass has collected still runs. A flag, not a count. Loop's thread only; others use
  /// `remote.stop()`.
  public func stop() {
    checkThread()
    stopInnermost()
  }

  func stopInnermost() {
    if let run = innermostRun {
      run.isStopped = true
      workCame()
    } else {
      stopsNext = true
    }
  }

  /// The mode of the innermost run, nil outside of any run.
  ///
  /// Loop's thread only.
  public var currentMode: Mode? {
    checkThread()
    return runs.last?.record.mode
  }

  /// Whether the loop sleeps in its wait; on its own thread that is never so, see `Remote.isWaiting`.
  ///
  /// Loop's thread only.
  public var isWaiting: Bool {
    checkThread()
    return mailbox.waker.isSleeping
  }

  // MARK: The run

  /// One run.
  ///
  /// Nil: the mode had nothing that could act when called, and nothing has run.
  private func run(
    in mode: Mode, limit: Int64, returnsAfterSource: Bool = false, condition: (() -> Bool)? = nil,
    isQuery: Bool = false
  ) -> RunResult? {
    checkUsable("run")
    precondition(mode != .common, "a loop can't run in .common, which stands for a set of modes")
    precondition(!mode.rawValue.isEmpty, "a loop can't run in a mode with an empty name")
    takeMail(hasSlept: false)
    if stopsNext && !isQuery {
      stopsNext = false
      return .stopped
    }
    let record = record(of: mode)
    if isFinished(record) {
      reclaim(record)
      return nil
    }
    open(record)
    let run = Run(
      record: record, limit: limit, returnsAfterSource: returnsAfterSource, condition: condition,
      lists: takeLists())
    let outer = begin(run)
    var result: RunResult?
    repeat { result = pass(run) } while result == nil
    end(run, outer: outer)
    return result
  }

  /// What holds outside of a run, to be put back when it ends.
  struct Outer {
    let stamp: Stamp
    let readings: ClockReadings
    let runningLoop: UnsafeMutableRawPointer?
  }

  func begin(_ run: Run) -> Outer {
    let outer = enter(run)
    run.record.runDepth += 1
    takeStamp()
    trace?.event(.runBegan, item: nil, stamp: currentStamp)
    observe(.entry, in: run)
    return outer
  }

  func end(_ run: Run, outer: Outer) {
    observe(.exit, in: run)
    trace?.event(.runEnded, item: nil, stamp: currentStamp)
    leave(run, outer: outer)
    run.record.runDepth -= 1
    giveBack(run.lists)
    reclaim(run.record)
    if hosted != nil { ordinaryRunEnded() }
  }

  /// Makes a run the innermost of the loop, and the loop the one that runs on the thread.
  func enter(_ run: Run) -> Outer {
    let outer = Outer(
      stamp: currentStamp, readings: currentReadings, runningLoop: ThreadState.runningLoop)
    if let enclosing = runs.last { putBack(enclosing) }
    runs.append(run)
    ThreadState.runningLoop = Unmanaged.passUnretained(self).toOpaque()
    return outer
  }

  /// Puts back what was there before the run was entered.
  func leave(_ run: Run, outer: Outer) {
    let left = runs.removeLast()
    assert(left === run, "runs end in the order opposite to that in which they began")
    currentStamp = outer.stamp
    if !runs.isEmpty { currentReadings = outer.readings }
    ThreadState.runningLoop = outer.runningLoop
    if let loop = Loop.running { loop.publishStamp() } else { ThreadState.clearStamp() }
  }

  /// Puts back what a pass has collected and not called, since a run nested in it may serve that as well.
  private func putBack(_ run: Run) {
    let lists = run.lists
    for index in lists.timerCursor..<lists.timers.count {
      let item = Item.unretained(lists.timers[index].payload)
      if item.collectedIn == lists.serial { item.putBack() }
    }
    for index in lists.frameCursor..<lists.frames.count {
      let item = Item.unretained(lists.frames[index].payload)
      if item.collectedIn == lists.serial { item.putBack() }
    }
    // The kernel reports its own again; the others have to be noted once more.
    for index in lists.sourceCursor..<lists.sources.count {
      let source = lists.sources[index].takeUnretainedValue()
      if source.collectedIn == lists.serial && source.isSignalled { noteSignalled(source) }
    }
    guard lists.performCursor < lists.performs.count else { return }
    var taken = lists.performs[lists.performCursor...].map { record in
      var record = record
      record.collectedIn = lists.serial
      return record
    }
    lists.performs.removeAll(keepingCapacity: true)
    lists.performCursor = 0
    lists.performsWerePutBack = true
    let split = taken.partition { $0.mode == Int32(ModeRecord.commonIndex) }
    run.record.performs.putBack(taken[..<split].sorted { $0.age < $1.age })
    common.performs.putBack(taken[split...].sorted { $0.age < $1.age })
  }

  /// Takes back the performs that a nested run has left.
  func takePerformsBack(_ run: Run) {
    let lists = run.lists
    lists.performsWerePutBack = false
    run.record.performs.takeBack(collectedIn: lists.serial, into: &lists.performs)
    common.performs.takeBack(collectedIn: lists.serial, into: &lists.performs)
    lists.sortPerforms()
  }

  // MARK: Finished

  /// Whether nothing is left in a mode that could act.
  func isFinished(_ record: ModeRecord) -> Bool {
    if holds > 0 || !record.performs.holdsNone || isAlive(record) { return false }
    guard record.isCommon else { return true }
    // Jobs that a run within a job can't serve don't hold it.
    if isMain || (!jobs.isEmpty && serialDepth == 0) { return false }
    return common.performs.holdsNone && !isAlive(common)
  }

  private func isAlive(_ record: ModeRecord) -> Bool {
    if record.aliveCount > record.weakAliveCount { return true }
    if record.aliveCount == 0 { return false }
    // Only items with weak targets are left: those whose target has died have ended.
    let index = Int32(record.index)
    return weakItems.contains { item in
      item.local.contains(.keepsLoopAlive) && item.isValid
        && item.memberships.contains { $0.mode == index }
    }
  }

  // MARK: Dates

  /// The instant of the suspending clock at which the wall, if it is not set, reaches a date; rounded up.
  func suspendingInstant(of date: Date) -> Int64 {
    checkThread()
    guard
      let target = TimeConversion.wallNanoseconds(fromReferenceSeconds: date.timeIntervalSinceReferenceDate)
    else { preconditionFailure("the date is not a number: \(date.timeIntervalSinceReferenceDate)") }
    if target == .max || target == .min { return target }
    // The wall is read first: read after the other, it would make the instant too early.
    let wall = backend.now(.wall)
    let (ahead, overflow) = target.subtractingReportingOverflow(wall)
    if overflow { return target < 0 ? .min : .max }
    return saturatingAdd(backend.now(.suspending), ahead)
  }

  /// The wall date at which the suspending clock reaches an instant, if the wall is not set.
  func date(of deadline: Int64, on clock: ClockDomain) -> Date {
    if deadline == .max { return .distantFuture }
    if deadline == .min { return .distantPast }
    let wall: Int64
    if clock == .wall {
      wall = deadline
    } else {
      let ahead = saturatingSubtract(deadline, backend.now(clock))
      wall = saturatingAdd(backend.now(.wall), ahead)
    }
    let (seconds, nanoseconds) = wall.quotientAndRemainder(dividingBy: 1_000_000_000)
    let borrow = nanoseconds < 0
    return Date(
      timeIntervalSinceReferenceDate: TimeConversion.referenceSeconds(
        fromWallSeconds: borrow ? seconds - 1 : seconds,
        wallNanoseconds: borrow ? nanoseconds + 1_000_000_000 : nanoseconds))
  }

  private func earliestDate(in record: ModeRecord) -> Date? {
    var earliest: Date?
    for each in record.isCommon ? [record, common] : [record] {
      for clock in ClockDomain.allCases {
        // What has lost its target has no date any more.
        while let item = each.earliestItem(clock), item.isTargetGone { item.endNow() }
        guard let item = each.earliestItem(clock) else { continue }
        let date = (item as? Timer)?.fireDate ?? date(of: each.queue(clock).earliestDeadline, on: clock)
        earliest = min(earliest ?? date, date)
      }
    }
    return earliest
  }
}
