import LoopPlatform

extension Loop {
  /// Has its handler called, in a pass, after a signal has come.
  ///
  /// It watches from being added to its first mode until it leaves its last. Any number of sources, in any
  /// loops, may watch one signal; each is told. What the process did on the signal before is back when the last
  /// of them ends. The signal is neither blocked nor left ignored; threads that block it don't take it.
  public final class SignalSource: Source, @unchecked Sendable {
    /// The signal that is watched.
    public let signal: Signal
    private var handler: ((SignalSource, Int) -> Void)?
    /// There while the source is in a mode.
    private var watch: SignalWatch?
    /// Arrivals that were not told yet.
    private var count = 0

    /// Makes a source; it watches once it is added to a loop.
    ///
    /// - Parameters:
    ///   - signal: The signal to watch.
    ///   - order: Sources of lower order are called first; ties go to the older.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    ///   - handler: Called on the loop's thread with the source and how often the signal came since the last
    ///     call. It may do what a signal handler must not.
    /// - Precondition: The signal can be watched; see `Signal.canBeWatched`.
    public init(
      signal: Signal, order: Int = 0, fileID: StaticString = #fileID, line: UInt = #line,
      handler: @escaping (_ source: SignalSource, _ count: Int) -> Void
    ) {
      precondition(
        signal.canBeWatched, "signal \(signal.rawValue) (\(signal)) can't be watched by a signal source")
      self.signal = signal
      self.handler = handler
      super.init(order: order, threadID: Loop.threadHere, fileID: fileID, line: line)
    }

    override var kindName: String { "signal source" }

    override var isSignalled: Bool { count > 0 }

    override func join(_ record: ModeRecord) {
      super.join(record)
      guard let loop else { return }
      if count > 0 { loop.noteSignalled(self) }
      guard watch == nil else { return }
      do throws(LoopPlatform.SystemError) {
        watch = try SignalWatch(signal: signal.rawValue, waker: loop.mailbox.waker)
        loop.interrupted.append(self)
      } catch {
        Loop.report(.refused, "\(self) does not watch \(signal): \(error)")
      }
    }

    override func leave(_ record: ModeRecord) {
      super.leave(record)
      guard memberships.count == 1, let watch else { return }
      // What came and was not told is told if the source is added again.
      count += Int(watch.end())
      self.watch = nil
      loop?.interrupted.removeAll { $0 === self }
    }

    override func noteInterrupt(in loop: Loop) {
      guard let watch else { return }
      count += Int(watch.takeCount())
      if count > 0 { loop.noteSignalled(self) }
    }

    override func pauseChanged() {
      if count > 0 { loop?.noteSignalled(self) }
    }

    override func serve(in loop: Loop, run: Run) {
      let told = count
      count = 0
      handler?(self, told)
    }

    override func releaseHandlers() {
      super.releaseHandlers()
      handler = nil
    }
  }

  /// Ends the loop's runs, nested ones too, when one of the signals comes; outside a run, the next one.
  ///
  /// The first signal that comes also gives all of them back what they did before: a second Ctrl-C kills a
  /// program that does not end on the first. The sources act in the common modes and keep no run from being
  /// finished. Loop's thread only.
  /// - Parameters:
  ///   - signals: The signals to stop on.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Precondition: The signals can be watched; see `Signal.canBeWatched`.
  public func stop(on signals: Signal..., fileID: StaticString = #fileID, line: UInt = #line) {
    checkUsable("stop(on:)")
    let watching = SourceGroup()
    for signal in Set(signals) {
      let source = SignalSource(signal: signal, fileID: fileID, line: line) { [unowned self] _, _ in
        watching.invalidate()
        stopAll()
      }
      source.keepsLoopAlive = false
      watching.sources.append(source)
      add(source, forMode: .common)
    }
  }

  private func stopAll() {
    if runs.isEmpty { stopsNext = true }
    for run in runs { run.isStopped = true }
  }

  /// Sources that end together.
  private final class SourceGroup {
    var sources: [Source] = []

    func invalidate() {
      let ending = sources
      sources = []
      for source in ending { source.invalidate() }
    }
  }
}
