import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("A loop's clock", .serialized)
struct ClockTests {
  @Test("a sleep is never early, wherever the task runs")
  func neverEarly() async throws {
    let thread = try LoopThread(name: "clock")
    let clock = thread.remote.clock
    for microseconds in [0, 1, 50, 999, 1_000, 3_000] {
      let start = Loop.Instant.now
      try await Task.sleep(for: .microseconds(microseconds), clock: clock)
      #expect(start.duration(to: .now) >= .microseconds(microseconds))
    }
    let inside = Task(executorPreference: thread.taskExecutor) {
      let start = clock.now
      try await clock.sleep(until: start + .milliseconds(2), tolerance: .milliseconds(1))
      return start.duration(to: clock.now)
    }
    #expect(try await inside.value >= .milliseconds(2))
    thread.stop()
    thread.join()
  }

  @Test("a moment that has passed does not suspend, a cancelled task does not sleep")
  func trivial() async throws {
    let thread = try LoopThread(name: "clock")
    let clock = thread.remote.clock
    try await clock.sleep(until: clock.now - .seconds(5))
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(until: .distantFuture)
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    thread.stop()
    thread.join()
  }

  @Test("10,000 sleepers cancelled at random all end, each once, and leave no timer", arguments: [1, 2, 3])
  func cancelledAtRandom(seed: UInt64) async throws {
    let thread = try LoopThread(name: "clock")
    let clock = thread.remote.clock
    var random = SplitMix64(seed: seed)
    var slept = 0
    var cancelled = 0
    await withTaskGroup(of: Bool.self) { group in
      var tasks: [Task<Bool, Never>] = []
      for _ in 0..<10_000 {
        let delay = Duration.microseconds(Int64(random.next() % 200_000))
        // On the loop's thread and elsewhere, so that both ways of making the timer race with the cancel.
        let preference: (any TaskExecutor)? = random.next() % 2 == 0 ? thread.taskExecutor : nil
        tasks.append(
          Task(executorPreference: preference) {
            do {
              try await clock.sleep(until: clock.now + delay)
              return true
            } catch { return false }
          })
      }
      for task in tasks { group.addTask { await task.value } }
      var victims = tasks.filter { _ in random.next() % 3 != 0 }
      while let victim = victims.popLast() {
        victim.cancel()
        if random.next() % 16 == 0 { await Task.yield() }
      }
      for await hasSlept in group { if hasSlept { slept += 1 } else { cancelled += 1 } }
    }
    #expect(slept + cancelled == 10_000)
    #expect(cancelled > 0)
    #expect(slept >= 10_000 / 4)
    let left = await thread.itemsLeft()
    #expect(left == [])
    thread.stop()
    thread.join()
  }

  @Test("10,000 tasks asleep at once and cancelled at random all end, each once, and leave no timer")
  func asleepAtOnce() async throws {
    let thread = try LoopThread(name: "clock")
    let clock = thread.remote.clock
    var random = SplitMix64(seed: 7)
    let count = 10_000
    let wake = clock.now + .seconds(3_600)
    let ends = Ends(count)
    let tasks = (0..<count).map { number in
      // On the loop's thread and elsewhere.
      Task(executorPreference: number % 2 == 0 ? thread.taskExecutor : nil) {
        let hasSlept = (try? await clock.sleep(until: wake)) != nil
        ends.note(number)
        return hasSlept
      }
    }
    while await thread.itemsLeft().count < count { await Task.yield() }
    #expect(await thread.itemsLeft().allSatisfy { $0.hasPrefix("timer") })
    #expect(ends.counts.allSatisfy { $0 == 0 })

    let victims = Set((0..<count).shuffled(using: &random).prefix(count / 2))
    for victim in victims { tasks[victim].cancel() }
    for victim in victims { #expect(await !tasks[victim].value) }
    #expect(await thread.itemsLeft().count == count - victims.count)
    #expect(ends.counts == (0..<count).map { victims.contains($0) ? 1 : 0 })

    for task in tasks { task.cancel() }
    for task in tasks { #expect(await !task.value) }
    #expect(ends.counts.allSatisfy { $0 == 1 })
    #expect(await thread.itemsLeft() == [])
    thread.stop()
    thread.join()
  }

  @Test("a sleeper whose loop ends is told so")
  func loopEnds() async throws {
    let thread = try LoopThread(name: "clock")
    let clock = thread.remote.clock
    let sleeper = Task { try await clock.sleep(until: .distantFuture) }
    while await thread.itemsLeft().isEmpty { await Task.yield() }
    thread.stop()
    thread.join()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    await #expect(throws: CancellationError.self) { try await clock.sleep(until: .distantFuture) }
  }

  @Test("in virtual time a sleep takes no time, and sleepers end in the order of their moments")
  func virtualTime() throws {
    let virtual = VirtualLoop()
    let clock = virtual.loop.clock
    let before = virtual.now
    let ended = try virtual.loop.run {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for days in [300, 1, 365, 20] {
          group.addTask {
            try await Task.sleep(for: .seconds(86_400 * days), clock: clock)
            return days
          }
        }
        var ended: [Int] = []
        for try await days in group { ended.append(days) }
        return ended
      }
    }
    #expect(ended == [1, 20, 300, 365])
    #expect(before.duration(to: virtual.now) == .seconds(86_400 * 365))
  }

  @Test("in virtual time a cancelled sleeper ends where it is")
  func virtualCancel() {
    let virtual = VirtualLoop()
    let clock = virtual.loop.clock
    let before = virtual.now
    virtual.loop.run {
      let sleeper = Task(executorPreference: nil) {
        try await clock.sleep(until: clock.now + .seconds(1_000))
      }
      try? await clock.sleep(until: clock.now + .seconds(10))
      sleeper.cancel()
      _ = await sleeper.result
    }
    #expect(before.duration(to: virtual.now) == .seconds(10))
    #expect(virtual.loop.items.isEmpty)
  }
}

/// How often each of many sleeps has ended.
// Sendable is unchecked because every access holds the lock, one that the thread sanitizer knows, unlike `Mutex`.
private final class Ends: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: [Int]

  init(_ count: Int) { stored = Array(repeating: 0, count: count) }

  var counts: [Int] { lock.withLock { stored } }

  func note(_ number: Int) { lock.withLock { stored[number] += 1 } }
}

extension LoopThread {
  /// The names of what is in the loop, the hold of the thread itself left out.
  func itemsLeft() async -> [String] {
    await withCheckedContinuation { continuation in
      // Cancels from other threads are acted on before the posts that follow them.
      remote.perform {
        continuation.resume(
          returning: Loop.current.items.map(\.description).filter { !$0.hasPrefix("hold") })
      }
    }
  }
}
