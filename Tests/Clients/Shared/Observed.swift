import Foundation
import Observation
import WakeLoop

/// A model that views observe, with items of a loop's that are no part of what is observed.
@Observable
@MainActor
final class Clockface {
  private(set) var text = ""
  private(set) var elapsed = Duration.zero
  @ObservationIgnored private var timer: Loop.Timer?
  @ObservationIgnored private var stopwatch = Stopwatch()

  func start() {
    stopwatch.start()
    timer = Loop.main.schedule(every: .seconds(1), firesNow: true) { [weak self] pass in
      guard let self else { return pass.timer.invalidate() }
      text = "\(pass.date)"
      elapsed = stopwatch.elapsed
    }
    withObservationTracking {
      _ = text
    } onChange: {
      Loop.mainRemote.perform { [weak self] in self?.note() }
    }
  }

  private func note() {}

  isolated deinit { timer?.invalidate() }
}

/// Something of one's own that hangs on a loop.
enum Visits: Loop.Key {
  typealias Value = [String: Int]
}

@MainActor
func remember(_ name: String) -> Int {
  var visits = Loop.main[Visits.self] ?? [:]
  visits[name, default: 0] += 1
  Loop.main[Visits.self] = visits
  return visits[name] ?? 0
}
