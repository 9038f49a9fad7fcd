import LoopCore

/// A run whose waits another loop does, the host.
///
/// It is one run as any other, one entry, its passes, one exit. But each pass is cut at its wait: the host is given
/// the time in between, during which the run is not on the loop's stack, so that the host's own code is outside of
/// any run.
final class HostedRun {
  let run: Loop.Run
  /// How many runs it began within.
  let depth: Int
  /// Under which the next pass begins, as it would after a wait of the loop's own.
  fileprivate var stamp: Loop.Stamp
  fileprivate var readings: ClockReadings
  /// Whether the host waits, or may: whatever comes to be done has to be shown to it.
  fileprivate var isWaiting = false
  /// Whether the host has been alerted, and will come by itself.
  fileprivate var isAlerted = false
  /// What the host's descriptor becomes readable for.
  fileprivate var shown = WaitDeadlines()
  /// Told when the host has to be back earlier than it was last told, in nanoseconds of the suspending clock.
  var deadlineMoved: ((Int64) -> Void)?

  fileprivate init(run: Loop.Run, depth: Int, stamp: Loop.Stamp, readings: ClockReadings) {
    self.run = run
    self.depth = depth
    self.stamp = stamp
    self.readings = readings
  }
}

/// The passes of a hosted run, top to bottom as they go on.
extension Loop {
  /// Begins a run whose waits the host does.
  func beginHosted(in record: ModeRecord) -> HostedRun {
    takeMail(hasSlept: false)
    let run = Run(
      record: record, limit: .max, returnsAfterSource: false, condition: nil, lists: takeLists())
    // One that was asked for before is as one in the first pass.
    run.isStopped = stopsNext
    stopsNext = false
    let outer = begin(run)
    let begun = HostedRun(
      run: run, depth: runs.count - 1, stamp: currentStamp, readings: currentReadings)
    hosted = begun
    suspend(begun, outer: outer)
    return begun
  }

  /// Goes through one pass without waiting; false: the run was stopped, and has ended.
  func pass(_ hosted: HostedRun) -> Bool {
    resume(hosted)
    if isOnStack(hosted) {
      passNested(hosted)
      return true
    }
    let outer = enter(hosted.run)
    currentStamp = hosted.stamp
    currentReadings = hosted.readings
    publishStamp()
    if !hosted.run.isStopped {
      look(hosted.run, mayBlock: false)
      act(hosted.run)
    }
    if decide(hosted.run) == .stopped {
      finish(hosted, outer: outer)
      return false
    }
    suspend(hosted, outer: outer)
    return true
  }

  /// Lets a run of the host's within one of the loop's handlers have a pass, which is a nested run's.
  private func passNested(_ hosted: HostedRun) {
    // Who stops the loop means the run that the host goes through, not this pass.
    if run(mode: hosted.run.record.mode, for: .zero) == .stopped { hosted.run.isStopped = true }
    prepareHost(hosted)
  }

  /// Ends a hosted run between two of its passes.
  func endHosted(_ hosted: HostedRun) {
    precondition(
      !isOnStack(hosted),
      "a guest was ended in a handler of its own loop, whose pass goes on; stop the loop instead")
    resume(hosted)
    finish(hosted, outer: enter(hosted.run))
  }

  private func finish(_ hosted: HostedRun, outer: Outer) {
    self.hosted = nil
    backend.closeHostDescriptor()
    end(hosted.run, outer: outer)
  }

  /// The run that began last: a hosted one is so between its passes as well.
  var innermostRun: Run? {
    if let hosted, runs.count <= hosted.depth { return hosted.run }
    return runs.last
  }

  private func isOnStack(_ hosted: HostedRun) -> Bool { runs.contains { $0 === hosted.run } }

  /// Does what a pass does before it waits, and leaves the waiting to the host.
  private func suspend(_ hosted: HostedRun, outer: Outer) {
    prepare(hosted.run)
    observe(.beforeWaiting, in: hosted.run)
    hosted.stamp = currentStamp
    hosted.readings = currentReadings
    takeMail(hasSlept: false)
    leave(hosted.run, outer: outer)
    prepareHost(hosted)
  }

  private func resume(_ hosted: HostedRun) {
    hosted.isWaiting = false
    backend.hostDidWake()
  }

  /// Shows the host what it is to come back for.
  private func prepareHost(_ hosted: HostedRun) {
    hosted.isWaiting = true
    hosted.isAlerted = false
    showWork(to: hosted)
  }

  /// Sees to it that a host which waits in a handler of the loop comes for a pass first.
  func prepareNested(_ hosted: HostedRun) {
    // A pass may have collected what a nested one has to serve, and this is known there alone.
    if !hosted.isWaiting { alert(hosted) }
  }

  /// Shows the host what an ordinary run has left, which may have taken the wake that was meant for the host.
  func ordinaryRunEnded() {
    guard let hosted, hosted.isWaiting else { return }
    hosted.isAlerted = false
    showWork(to: hosted)
  }

  /// Acts on something that has come to be done while the host may be waiting.
  ///
  /// Work of other modes is looked at in vain: hosts are few, and this is not the path of a loop that waits itself.
  @inline(never)
  func workCame() {
    guard let hosted, hosted.isWaiting, !hosted.isAlerted else { return }
    let before = hosted.shown.suspending
    showWork(to: hosted)
    if hosted.shown.suspending < before { hosted.deadlineMoved?(hosted.shown.suspending) }
  }

  private func showWork(to hosted: HostedRun) {
    let run = hosted.run
    let deadlines = nextDeadlines(of: run)
    // A stop has to be acted on where the run goes on, which is not within one of its handlers.
    let endsNext = run.isStopped && !isOnStack(hosted)
    var isDue = endsNext || mustPoll(run) || hasPassed(deadlines)
    forEachPending(in: run) { _ in isDue = true }
    if !isDue {
      if let absences { noteWait(until: deadlines, by: absences) }
      hosted.shown = onSuspendingClock(deadlines)
      guard let outcome = backend.hostWillWait(mode: run.record.index, until: deadlines) else { return }
      if outcome.contains(.clocksSet) { absences?.clocksWereSet = true }
    }
    alert(hosted)
  }

  private func alert(_ hosted: HostedRun) {
    hosted.isAlerted = true
    hosted.shown.suspending = backend.now(.suspending)
    backend.alertHost()
  }

  /// The deadlines with the earliest of all clocks as that of the suspending one, as things stand.
  private func onSuspendingClock(_ deadlines: WaitDeadlines) -> WaitDeadlines {
    var shown = deadlines
    for clock in [ClockDomain.continuous, .wall] {
      let deadline = clock == .wall ? deadlines.wall : deadlines.continuous
      if deadline == .max { continue }
      let ahead = saturatingSubtract(deadline, backend.now(clock))
      shown.suspending = min(shown.suspending, saturatingAdd(backend.now(.suspending), ahead))
    }
    return shown
  }
}

extension HostedRun {
  /// When the host has to be back, in nanoseconds of the suspending clock; `.max` is never.
  var deadline: Int64 { shown.suspending }
}
