import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

/// An actor pinned to a loop.
private actor Counter {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private(set) var count = 0
  private(set) var threads: Set<UInt> = []
  private(set) var stamps: [UInt64: Set<Date>] = [:]

  init(executor: LoopExecutor) { self.executor = executor }

  func add() {
    count += 1
    threads.insert(UInt(pthread_self()))
    stamps[Loop.iterationHere, default: []].insert(Date.wake)
  }
}

extension Loop {
  /// The number of the pass that runs here.
  fileprivate static var iterationHere: UInt64 {
    { Loop.current.iteration }()
  }
}

@Suite("Executors", .serialized)
struct ExecutorTests {
  @Test("an actor pinned to a loop runs on its thread, every call once, one stamp a pass")
  func pinned() async throws {
    let thread = try LoopThread(name: "actor")
    let counter = Counter(executor: thread.executor)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { await counter.add() } } }
    }
    #expect(await counter.count == 8_000)
    #expect(await counter.threads.count == 1)
    #expect(await counter.stamps.values.allSatisfy { $0.count == 1 })
    thread.stop()
    thread.join()
  }

  @Test("handlers on the loop's thread count as isolated, other threads do not")
  func isolation() async throws {
    let thread = try LoopThread(name: "actor")
    let counter = Counter(executor: thread.executor)
    let inHandler = await withCheckedContinuation { continuation in
      thread.remote.perform {
        counter.preconditionIsolated()
        continuation.resume(returning: counter.assumeIsolated { $0.count })
      }
    }
    #expect(inHandler == 0)
    #expect(thread.executor.isIsolatingCurrentContext() == false)
    thread.stop()
    thread.join()
    #expect(thread.executor.isIsolatingCurrentContext() == false)
  }

  @Test("an executor knows its thread: in handlers and jobs, on a virtual loop, and after the end")
  func knowsItsThread() async throws {
    let thread = try LoopThread(name: "actor")
    let executor = thread.executor
    let told = await withCheckedContinuation { continuation in
      thread.remote.perform {
        executor.checkIsolated()
        continuation.resume(returning: executor.isIsolatingCurrentContext())
      }
    }
    #expect(told == true)
    let inTask = await Task(executorPreference: thread.taskExecutor) { executor.isIsolatingCurrentContext() }
      .value
    #expect(inTask == true)
    thread.stop()
    thread.join()
    #expect(executor.isIsolatingCurrentContext() == false)
    // That of a virtual loop is the thread that has made it.
    let virtual = { VirtualLoop() }()
    let here = virtual.loop.executor
    here.checkIsolated()
    #expect(here.isIsolatingCurrentContext() == true)
    let elsewhere = onAnotherThread { here.isIsolatingCurrentContext() }
    #expect(elsewhere == false)
  }

  @Test("what is isolated to a loop stops the process on another thread, in a sentence that names both")
  func wrongThread() async {
    let executor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let thread = try LoopThread(name: "actor")
      thread.executor.checkIsolated()
    }
    expectSentence("was used on thread", of: executor)
    let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let thread = try LoopThread(name: "actor")
      let counter = Counter(executor: thread.executor)
      counter.preconditionIsolated()
    }
    expectSentence("actor", of: actor)
  }

  private func expectSentence(_ sentence: String, of result: ExitTest.Result?) {
    #if DEBUG
      #expect(
        result.map { String(decoding: $0.standardErrorContent, as: UTF8.self).contains(sentence) } == true)
    #endif
  }

  @Test("a task that prefers a loop stays on its thread, and so do the default actors it calls")
  func preference() async throws {
    actor Plain { func thread() -> UInt { UInt(pthread_self()) } }
    @concurrent func here() async -> UInt { threadHere() }
    let thread = try LoopThread(name: "tasks")
    let threads = await Task(executorPreference: thread.taskExecutor) {
      var threads: Set<UInt> = []
      let plain = Plain()
      for _ in 0..<100 {
        threads.insert(threadHere())
        threads.insert(await plain.thread())
        threads.insert(await here())
        await Task.yield()
      }
      return threads
    }.value
    #expect(threads.count == 1)
    thread.stop()
    thread.join()
  }

  @Test("jobs run in the order of asking, in the pass after the one that asked, each handled as from outside")
  func order() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let executor = loop.taskExecutor
    let told = Told()
    loop.after(.seconds(1)) { pass in
      for number in 0..<3 {
        Task(executorPreference: executor) { told.add("\(number) in \(Loop.iterationHere - pass.iteration)") }
      }
    }
    #expect(loop.run(mode: .default, before: .distantFuture))
    #expect(told.all == ["0 in 1", "1 in 1", "2 in 1"])
  }

  @Test("jobs wait for a run in a common mode, and keep such a run from being finished")
  func modes() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let executor = loop.taskExecutor
    let told = Told()
    Task(executorPreference: executor) { told.add("job") }
    let timer = Loop.Timer(timeInterval: 1, repeats: false) { _ in }
    loop.add(timer, forMode: .init("private"))
    loop.run(mode: .init("private"), for: .seconds(10))
    #expect(told.all == [])
    loop.run()
    #expect(told.all == ["job"])
  }

  @Test("a nested run within a job serves no other job and ends when nothing else is left")
  func nestedInJob() {
    let virtual = VirtualLoop()
    let loop = virtual.loop
    let executor = loop.taskExecutor
    let told = Told()
    Task(executorPreference: executor) {
      told.add("outer begins")
      Task(executorPreference: executor) { told.add("inner") }
      runHere()
      told.add("outer ends")
    }
    loop.run()
    #expect(told.all == ["outer begins", "outer ends", "inner"])
  }

  @Test("jobs of a loop that has ended are counted and reported")
  func neverRun() async {
    let reports = Told()
    await #expect(processExitsWith: .success) {
      let reports = Told()
      Loop.onReport = { reports.add($0.description) }
      do {
        let virtual = VirtualLoop()
        Task(executorPreference: virtual.loop.taskExecutor) {}
      }
      precondition(reports.all.count == 1 && reports.all[0].contains("1 jobs"), "\(reports.all)")
    }
    _ = reports
  }

  @Test("a job put on the executor of a loop that has ended stops the process")
  func ended() async {
    await #expect(processExitsWith: .failure) {
      let thread = try LoopThread(name: "ended")
      thread.stop()
      thread.join()
      await Task(executorPreference: thread.taskExecutor) {}.value
    }
  }
}

/// What was told, in order, by any thread.
final class Told: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  func add(_ text: String) { lock.withLock { texts.append(text) } }
  var all: [String] { lock.withLock { texts } }
}

/// Calls a body on a thread of its own and hands back what it returns.
func onAnotherThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let box = Box<Value>()
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    box.value = body()
    ended.signal()
  }
  ended.wait()
  return box.value!
}

// Sendable is unchecked because the semaphore orders the one write before the one read.
private final class Box<Value>: @unchecked Sendable {
  var value: Value?
}

func threadHere() -> UInt { UInt(pthread_self()) }

/// Runs the loop of this thread, asked by code that a task calls.
private func runHere() { Loop.current.run() }
