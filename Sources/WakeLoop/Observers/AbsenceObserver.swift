import LoopCore

extension Loop {
  // Sendable is unchecked for the same reasons as that of `Item`.
  /// Is told when the loop is back from an absence: machine asleep, process stopped, clock set.
  ///
  /// It is told once for each, right after the stamp of the first pass since then in one of its modes and before
  /// any other handler of that pass, so before any timer. While there is such an observer, a setting of the clock
  /// and a waking machine wake the loop. An observer keeps no loop alive.
  ///
  /// A stopped process is noticed by the wake-up that it missed, so only where a date was waited for; and one that
  /// was stopped inside a handler looks like a handler that took long, of which each timer's `late` tells.
  public final class AbsenceObserver: Item, @unchecked Sendable {
    /// By how much a wake-up has to come late at least to be told as a stopped process.
    ///
    /// The item's thread only.
    public let shortestStop: Duration
    private let shortestStopNanoseconds: Int64
    private var handler: ((AbsenceObserver, Absence) -> Void)?
    /// What it has not been told yet.
    fileprivate var pending = Absence()

    /// Makes an observer; it acts once it is added to a loop.
    ///
    /// - Parameters:
    ///   - shortestStop: By how much a wake-up has to come late to be told as a stopped process; a busy machine is
    ///     late by tens of milliseconds.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    ///   - handler: Called on the loop's thread with the observer and what happened since it was last told.
    public init(
      shortestStop: Duration = .milliseconds(250), fileID: StaticString = #fileID, line: UInt = #line,
      handler: @escaping (AbsenceObserver, Absence) -> Void
    ) {
      self.shortestStop = shortestStop
      self.handler = handler
      shortestStopNanoseconds = max(1, shortestStop.clampedNanoseconds)
      super.init(threadID: Loop.threadHere, keepsLoopAlive: false, fileID: fileID, line: line)
    }

    override var kindName: String { "absence observer" }

    override func join(_ record: ModeRecord) {
      record.others.append(self)
      loop?.watchAbsences(for: self)
    }

    override func leave(_ record: ModeRecord) {
      record.others.removeAll { $0 === self }
      if memberships.count <= 1 { loop?.unwatchAbsences(for: self) }
    }

    override func pauseChanged() { pending = Absence() }

    override func releaseHandlers() { handler = nil }

    fileprivate func note(_ findings: AbsenceDetector.Findings) {
      if isPaused { return }
      pending.slept += .nanoseconds(findings.slept)
      pending.clockStep += .nanoseconds(findings.stepped)
      if findings.late >= shortestStopNanoseconds { pending.stopped += .nanoseconds(findings.late) }
    }

    fileprivate func tell() {
      let absence = pending
      pending = Absence()
      if let handler { handler(self, absence) }
    }
  }

  /// Has a closure called when the loop is back from an absence: machine asleep, process stopped, clock set.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - shortestStop: By how much a wake-up has to come late to be told as a stopped process.
  ///   - mode: Where the observer acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - body: Called before any timer of the pass with what happened.
  @discardableResult
  public func observeAbsences(
    shortestStop: Duration = .milliseconds(250), in mode: Mode = .common, fileID: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping (Absence) -> Void
  ) -> AbsenceObserver {
    checkUsable("add by observeAbsences(_:)")
    let observer = AbsenceObserver(shortestStop: shortestStop, fileID: fileID, line: line) { body($1) }
    add(observer, forMode: mode)
    return observer
  }
}

/// What a loop keeps as long as somebody observes its absences.
final class AbsenceWatch {
  fileprivate var detector: AbsenceDetector
  fileprivate var observers: [Loop.AbsenceObserver] = []
  /// The wait that ended last, until its end has been looked at.
  fileprivate var wait: AbsenceDetector.Wait?
  /// The system has said that the clocks were set.
  var clocksWereSet = false

  fileprivate init(_ readings: AbsenceDetector.Readings) { detector = AbsenceDetector(readings) }
}

/// Looking for absences; nothing of it is done while nobody observes them.
extension Loop {
  fileprivate func watchAbsences(for observer: AbsenceObserver) {
    let watch = absences ?? AbsenceWatch(readThreeClocks())
    absences = watch
    if !watch.observers.contains(where: { $0 === observer }) {
      // What happened before it came is no business of the new one's.
      look(by: watch)
      watch.observers.append(observer)
    }
  }

  fileprivate func unwatchAbsences(for observer: AbsenceObserver) {
    guard let watch = absences else { return }
    watch.observers.removeAll { $0 === observer }
    if watch.observers.isEmpty { absences = nil }
  }

  /// Takes note of a wait that begins.
  func noteWait(until deadlines: WaitDeadlines, by watch: AbsenceWatch) {
    watch.wait = AbsenceDetector.Wait(began: readThreeClocks(), deadlines: deadlines)
  }

  /// Looks at the clocks after the stamp, and tells the observers in the run's mode what has not been told yet.
  func tellAbsences(noticedBy watch: AbsenceWatch, in run: Run) {
    look(by: watch)
    for observer in watch.observers
    where !observer.pending.isNothing && observer.isCallable && observer.isMember(of: run) {
      trace?.event(.observed, item: observer, stamp: currentStamp)
      call(observer) { observer.tell() }
    }
  }

  private func look(by watch: AbsenceWatch) {
    let findings = watch.detector.look(
      readThreeClocks(), clockWasSet: watch.clocksWereSet, after: watch.wait)
    watch.wait = nil
    watch.clocksWereSet = false
    if findings == AbsenceDetector.Findings() { return }
    for observer in watch.observers { observer.note(findings) }
  }

  /// Reads the three clocks as if at one point.
  ///
  /// A thread that loses the processor between two readings would see a difference that is none; so the first is
  /// read again after the last, and all of them if too much time has passed.
  private func readThreeClocks() -> AbsenceDetector.Readings {
    var best = AbsenceDetector.Readings(suspending: 0, continuous: 0, wall: 0)
    var least = Int64.max
    for _ in 0..<8 {
      let suspending = backend.now(.suspending)
      let readings = AbsenceDetector.Readings(
        suspending: suspending, continuous: backend.now(.continuous), wall: backend.now(.wall))
      let taken = backend.now(.suspending) &- suspending
      if taken < least {
        least = taken
        best = readings
      }
      if least < 50_000 { break }
    }
    return best
  }
}
