import Foundation
import WakeLoop

/// An actor that lives on a loop's thread.
actor Device {
  private let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var level = 0
  private var timer: Loop.Timer?

  init(on thread: LoopThread) { executor = thread.executor }

  func set(_ level: Int) -> Int {
    defer { self.level = level }
    return self.level
  }

  func begin(on remote: Loop.Remote) {
    timer = remote.schedule(every: .milliseconds(10)) { [weak self] _ in
      self?.assumeIsolated { $0.level += 1 }
    }
  }

  deinit { timer?.invalidate() }
}

/// Work on a thread of its own, told to the main actor.
nonisolated final class Mixer: Sendable {
  private let thread: LoopThread

  init() throws { thread = try LoopThread(name: "mixer", scheduling: .normal(nice: 5)) }

  func mix(_ told: @escaping @MainActor @Sendable (Int) -> Void) {
    let remote = thread.remote
    remote.perform {
      let loop = Loop.current
      var sum = 0
      loop.schedule(every: .milliseconds(1)) { pass in
        sum += pass.missed + 1
        if sum < 100 { return }
        let total = sum
        Loop.mainRemote.perform { told(total) }
        pass.timer.invalidate()
      }
    }
    remote.after(.seconds(1)) { _ in Loop.current.stop() }
  }

  func total(of numbers: [Int]) async -> Int {
    await Task(executorPreference: thread.taskExecutor) { numbers.reduce(0, +) }.value
  }

  func end() {
    thread.stop()
    thread.join()
  }
}

/// A thread of Foundation's with a loop.
nonisolated func startReader() {
  let reader = Thread {
    let loop = Loop.current
    let hold = loop.holdOpen()
    loop.after(.seconds(5)) { _ in hold.invalidate() }
    loop.run()
  }
  reader.name = "reader"
  reader.start()
}
