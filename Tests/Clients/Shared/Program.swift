import Foundation
import WakeLoop

/// What a synchronous main does.
@MainActor
enum Program {
  static func run(_ model: OfferModel) throws {
    Loop.onReport = { report in print("\(report)") }
    let lines = try Loop.main.run {
      try await fetch()
    }
    model.appear(hideDate: Date() + TimeInterval(lines.count))
    Loop.main.run()
  }

  static func runSilently() {
    Loop.main.run {
      await Task.yield()
    }
  }

  private static func fetch() async throws -> [String] {
    try await Task.sleep(for: .milliseconds(1), clock: Loop.main.clock)
    return ["one"]
  }
}

/// What an async main does, with the loop's executor.
@MainActor
func begin() async throws {
  Loop.main.installAsMainExecutor()
  let model = OfferModel()
  model.appear(hideDate: .wake + 10)
  try await Loop.main.clock.sleep(until: Loop.main.wakeInstant + .seconds(10))
  model.disappear()
}
