internal import WakeLoop

/// Foundation's main run loop as the main loop's guest, made by `Loop.main.hostFoundationRunLoop()`.
///
/// Foundation is given its turn twice in a pass at most: as a source, when its kernel timer has expired, so that
/// its timers fire under the pass's stamp; and as the last observer before the wait, for what was performed since,
/// under the stamp of the pass that asked. The main dispatch queue stays the loop's: in these turns Foundation does
/// not drain it.
@MainActor
public final class FoundationGuest {
  static private(set) var hosted: FoundationGuest?

  /// Whether it is still hosted.
  ///
  /// Main thread only.
  public private(set) var isValid = true

  /// Whether to look for Foundation's descriptor; without it the guest goes by Foundation's next date.
  package static var looksForDescriptors = true

  private let loop: Loop
  private var modes: [Loop.Mode: GuestMode] = [:]
  /// One for each run of the loop in a common mode; the last is the innermost run's.
  private var turns: [GuestTurns] = []
  private var observer: Loop.Observer?

  init(in loop: Loop) {
    self.loop = loop
    let observer = Loop.Observer(activities: [.entry, .beforeTimers, .exit], order: .min) {
      [weak self] _, activity in
      MainActor.assumeIsolated { self?.observe(activity) }
    }
    observer.name = "Foundation's main run loop"
    loop.add(observer, forMode: .common)
    self.observer = observer
    FoundationGuest.hosted = self
  }

  /// Ends it: Foundation's timers and performs stand still from now on, whatever else is in the loop goes on.
  ///
  /// A second call changes nothing. Main thread only.
  public func invalidate() {
    if !isValid { return }
    isValid = false
    observer?.invalidate()
    observer = nil
    for turn in turns { turn.end() }
    turns.removeAll()
    for mode in modes.values { mode.end() }
    FoundationGuest.hosted = nil
  }

  private func observe(_ activity: Loop.Activity) {
    switch activity {
    case .entry: begin()
    // One that became a guest in the middle of a run has not seen its entry.
    case .beforeTimers: if turns.isEmpty { begin() }
    default: turns.popLast()?.end()
    }
  }

  private func begin() {
    guard let mode = loop.currentMode else { return }
    let guestMode = modes[mode] ?? GuestMode(mode)
    modes[mode] = guestMode
    // Each run has its own source and observer: those of an outer run may be on the stack, where a handler of
    // Foundation's runs the loop, and would not be called.
    turns.append(GuestTurns(in: loop, mode: guestMode) { [weak self] in self?.turns.last === $0 })
  }
}
