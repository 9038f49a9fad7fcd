// The code of the article on concurrency, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import WakeLoop
import WakeLoopFoundation

private func fetchLines() async throws -> [String] { [] }
private func mix(until instant: Loop.Instant) {}

// snippet
actor Device {
  private let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var level = 0

  init(on thread: LoopThread) { executor = thread.executor }

  func set(_ level: Int) { self.level = level }
}
// end

@MainActor
enum ConcurrencySnippets {
  static func installed() {
    // snippet
    Loop.main.installAsMainExecutor()
    // end
  }

  // snippet
  @MainActor
  static func main() async throws {
    Loop.main.installAsMainExecutor()
    for round in 1...3 {
      try await Task.sleep(for: .seconds(1))
      print("round \(round), on the main thread at \(Date.wake)")
    }
  }
  // end

  static func body() throws -> [String] {
    // snippet
    let lines = try Loop.main.run {
      try await fetchLines()
    }
    // end
    return lines
  }

  static func audioThread() throws {
    // snippet
    let audio = try LoopThread(name: "audio", scheduling: .realTimeRoundRobin(priority: 10))
    audio.remote.schedule(every: .milliseconds(10)) { pass in mix(until: pass.instant) }
    // end
  }

  static func preference(thread: LoopThread, device: Device) {
    // snippet
    Task(executorPreference: thread.taskExecutor) {
      await device.set(3)
    }
    // end
  }

  static func sleeping() async throws {
    // snippet
    let clock = Loop.main.clock
    try await clock.sleep(until: clock.now + .seconds(2), tolerance: .milliseconds(100))
    try await Task.sleep(for: .seconds(1), clock: clock)
    // end
  }

  static func foundation() {
    // snippet
    let guest = Loop.main.hostFoundationRunLoop()
    let beat = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in
      print("Foundation's beat at \(Date.wake)")
    }
    Loop.main.run()
    beat.invalidate()
    guest.invalidate()
    // end
  }
}
