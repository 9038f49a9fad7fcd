internal import CoreFoundation
internal import LoopPlatform

/// Keeps the main dispatch queue out of the turns that the loop gives to Foundation in one mode, and lets it into the
/// runs that handlers start by themselves.
///
/// Each pass of Foundation's adds the queue's descriptor to its set and takes it out after its wait. An entry that is
/// there already makes the kernel refuse the addition, so that the pass leaves the queue alone.
@MainActor
final class MainQueueGate {
  private enum Run {
    case turn, foreign
  }

  private let pollSet: ForeignPollSet
  private let mainQueue: Int32
  /// Foundation's runs in the mode, the innermost last.
  private var runs: [Run] = []
  private var isTurnBeginning = false
  private var observer: CFRunLoopObserver?

  init(pollSet: ForeignPollSet, mainQueue: Int32, runLoop: CFRunLoop, mode: CFString) {
    self.pollSet = pollSet
    self.mainQueue = mainQueue
    let activities = CFRunLoopActivity.entry.rawValue | CFRunLoopActivity.exit.rawValue
    observer = CFRunLoopObserverCreateWithHandler(nil, activities, true, 0) { [weak self] _, activity in
      let isEntry = activity == .entry
      MainActor.assumeIsolated { isEntry ? self?.runBegins() : self?.runEnds() }
    }
    CFRunLoopAddObserver(runLoop, observer, mode)
  }

  /// Makes one run of Foundation's in the mode, without the queue.
  func takeTurn(_ run: () -> Void) {
    isTurnBeginning = true
    pollSet.shutOut(mainQueue)
    run()
    // Where nothing was in the mode, nothing has run.
    isTurnBeginning = false
    setGate()
  }

  /// Leaves the queue to Foundation, also where a turn is still under way.
  func end() {
    runs.removeAll()
    setGate()
    if let observer { CFRunLoopObserverInvalidate(observer) }
    observer = nil
  }

  private func runBegins() {
    let isNested = !runs.isEmpty
    runs.append(isTurnBeginning ? .turn : .foreign)
    isTurnBeginning = false
    if isNested { setGate() }
  }

  private func runEnds() {
    // One that was under way when this gate was made has not been seen to begin.
    _ = runs.popLast()
    if !runs.isEmpty { setGate() }
  }

  private func setGate() {
    if runs.last == .turn { pollSet.shutOut(mainQueue) } else { pollSet.letIn(mainQueue) }
  }
}
