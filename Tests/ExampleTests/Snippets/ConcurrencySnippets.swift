// The code of the article on concurrency, compiled. Each part between "snippet" and "end" is there to the letter.

import Foundation
import WakeLoop
import WakeLoopFoundation

private func fetchLines() async throws -> [String] { [] }
private func mix(until instant: Loop.Instant) {}

actor Board {
  func show(_ date: Date, missed: Int) {}
  func readAgain() {}
  func append(_ bytes: ArraySlice<UInt8>) {}
  func close() {}
}

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

  static func beats(board: Board) async {
    // snippet
    for await pass in Loop.mainRemote.beats(every: .seconds(1)) {
      await board.show(pass.date, missed: pass.missed)
    }
    // end
  }

  static func signals(board: Board) async {
    // snippet
    for await arrival in Loop.mainRemote.signals(.hangUp, .terminate) {
      if arrival.signal == .terminate { break }
      await board.readAgain()
    }
    // end
  }

  static func readiness(descriptor: Int32, board: Board) async throws {
    // snippet
    var bytes = [UInt8](repeating: 0, count: 4_096)
    for try await event in Loop.mainRemote.readiness(of: descriptor) {
      let count = read(descriptor, &bytes, bytes.count)
      if count > 0 { await board.append(bytes[..<count]) }
      if event.contains(.endOfFile) { await board.close() }
    }
    // end
  }

  static func child(processID: Int32) async throws -> Loop.ChildSource.Exit {
    // snippet
    let end = try await Loop.mainRemote.exit(ofChild: processID)
    // end
    return end
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
