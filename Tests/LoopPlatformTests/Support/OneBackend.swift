import LoopCore
import LoopPlatform
import Testing

/// The parent of all suites here: they share signals, children and descriptor numbers.
@Suite(.serialized) struct PlatformTests {}

/// A backend with its waker, as a loop would hold them.
struct OneBackend {
  let waker = Waker()
  let backend: LibeventBackend

  init(modes: Int = 1) {
    backend = LibeventBackend(waker: waker)
    for mode in 0..<modes {
      let error = backend.openMode(mode, servesMainQueue: false)
      precondition(error == 0, describe(errno: error))
    }
  }

  /// What is ready in `mode` now, by token.
  func ready(mode: Int = 0) -> [UInt: Readiness] {
    var events: [ReadyEvent] = []
    while backend.poll(mode: mode, into: &events).contains(.batchFull) {}
    return Dictionary(events.map { ($0.token, $0.readiness) }, uniquingKeysWith: { $1 })
  }

  func wait(mode: Int = 0, until deadlines: WaitDeadlines) -> [ReadyEvent] {
    var events: [ReadyEvent] = []
    _ = backend.wait(mode: mode, until: deadlines, into: &events)
    return events
  }

  /// An instant of the suspending clock, for waits that fail rather than hang.
  func after(milliseconds: Int64, on clock: ClockDomain = .suspending) -> Int64 {
    backend.now(clock) + milliseconds * 1_000_000
  }
}
