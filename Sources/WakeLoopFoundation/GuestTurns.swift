internal import FoundationEssentials
internal import WakeLoop

/// What gives Foundation its turns in one run of the loop.
@MainActor
final class GuestTurns {
  private let mode: GuestMode
  private let isInnermost: (GuestTurns) -> Bool
  private var observer: Loop.Observer?
  private var source: Loop.DescriptorSource?
  /// Where there is no descriptor: set to Foundation's next date.
  private var timer: Loop.Timer?

  init(in loop: Loop, mode: GuestMode, isInnermost: @escaping (GuestTurns) -> Bool) {
    self.mode = mode
    self.isInnermost = isInnermost
    if let pollSet = mode.pollSet {
      let source = Loop.DescriptorSource(descriptor: pollSet.descriptor) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.serve() }
      }
      source.keepsLoopAlive = false
      if (try? loop.add(source, forMode: mode.mode)) != nil { self.source = source }
    }
    if source == nil {
      let timer = Loop.Timer(fire: .distantFuture, interval: 1e9, repeats: true) { [weak self] _ in
        MainActor.assumeIsolated { self?.serve() }
      }
      timer.keepsLoopAlive = false
      loop.add(timer, forMode: mode.mode)
      self.timer = timer
    }
    let observer = Loop.Observer(activities: .beforeWaiting, order: .max) { [weak self] _, _ in
      MainActor.assumeIsolated { self?.prepareWait() }
    }
    loop.add(observer, forMode: mode.mode)
    self.observer = observer
  }

  func end() {
    observer?.invalidate()
    source?.invalidate()
    timer?.invalidate()
  }

  private func serve() {
    if isInnermost(self) { mode.poll() }
  }

  /// Nothing tells that something was performed since, so Foundation is asked before each wait.
  private func prepareWait() {
    guard isInnermost(self) else { return }
    // What is due by now is served after the wait, which it makes a poll, under a stamp of its own.
    if isDue { return }
    mode.poll()
    timer?.fireDate = nextDate
  }

  private var isDue: Bool {
    if source != nil { return mode.pollSet?.isReady == true }
    timer?.fireDate = nextDate
    return nextDate <= .now
  }

  private var nextDate: Date {
    mode.nextDate.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantFuture
  }
}
