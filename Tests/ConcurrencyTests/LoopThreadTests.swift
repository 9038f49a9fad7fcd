import Foundation
import Testing
import WakeLoop

@Suite("Threads that run a loop", .serialized)
struct LoopThreadTests {
  @Test("a thread is ready on return, has its name, and is gone after the join")
  func life() async throws {
    let thread = try LoopThread(name: "a rather long name")
    let name = await withCheckedContinuation { continuation in
      thread.remote.perform {
        continuation.resume(
          returning: try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))
      }
    }
    #expect(name == "a rather long n\n")
    #expect(!thread.remote.hasEnded)
    thread.stop()
    thread.stop()
    thread.join()
    thread.join()
    #expect(thread.remote.hasEnded)
    #expect(!thread.remote.perform {})
  }

  @Test("what was posted and what is on its executors before the stop is done before the end")
  func drains() throws {
    for _ in 0..<50 {
      let thread = try LoopThread(name: "drain")
      let told = Told()
      for number in 0..<100 {
        thread.remote.perform { told.add("post \(number)") }
        Task(executorPreference: thread.taskExecutor) {
          await Task.yield()
          told.add("job \(number)")
        }
      }
      thread.stop()
      thread.join()
      #expect(told.all.count == 200)
      #expect(told.all.filter { $0.hasPrefix("post") } == (0..<100).map { "post \($0)" })
    }
  }

  @Test("a stop of a run on the thread does not end the thread")
  func stopOfARun() async throws {
    let thread = try LoopThread(name: "stops")
    for _ in 0..<10 {
      thread.remote.stop()
      let isAlive = await withCheckedContinuation { continuation in
        let accepted = thread.remote.perform {
          Loop.current.stop()
          continuation.resume(returning: true)
        }
        if !accepted { continuation.resume(returning: false) }
      }
      #expect(isAlive)
    }
    thread.stop()
    thread.join()
  }

  @Test("scheduling and slack are those that were asked for, and what is refused is thrown")
  func settings() async throws {
    let thread = try LoopThread(name: "settings", scheduling: .batch(nice: 5), timerSlack: .microseconds(7))
    let found = await withCheckedContinuation { continuation in
      thread.remote.perform {
        let slack = try? String(contentsOfFile: "/proc/thread-self/timerslack_ns", encoding: .utf8)
        var policy: Int32 = 0
        var parameter = sched_param()
        pthread_getschedparam(pthread_self(), &policy, &parameter)
        continuation.resume(returning: (policy, slack))
      }
    }
    // SCHED_BATCH, which Swift does not import.
    #expect(found.0 == 3)
    // The file is another process's business on some systems.
    if let slack = found.1 { #expect(slack == "7000\n") }
    thread.stop()
    thread.join()
    #expect(throws: LoopThread.StartError.self) {
      try LoopThread(name: "refused", scheduling: .realTimeRoundRobin(priority: 1_000))
    }
    #expect(throws: LoopThread.StartError.self) { try LoopThread(name: "refused", stackSize: 1) }
  }

  @Test("a thread that is dropped runs on until it is stopped")
  func dropped() async throws {
    let remote = try LoopThread(name: "dropped").remote
    let isAlive = await withCheckedContinuation { continuation in
      if !remote.perform({ continuation.resume(returning: true) }) { continuation.resume(returning: false) }
    }
    #expect(isAlive)
  }
}
