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

  /// What the kernel says of the thread that asks.
  struct Settings: Equatable {
    // SCHED_OTHER, FIFO, RR, BATCH and IDLE are 0, 1, 2, 3 and 5; Swift does not import them all.
    var policy: Int32 = 0
    var priority: Int32 = 0
    var nice: Int32 = 0
    var slack: String?

    static func ofThisThread() -> Settings {
      var settings = Settings()
      var parameter = sched_param()
      pthread_getschedparam(pthread_self(), &settings.policy, &parameter)
      settings.priority = parameter.sched_priority
      settings.nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
      // Listed under the number of the thread alone, not among its process's threads.
      let number = URL(fileURLWithPath: "/proc/thread-self").resolvingSymlinksInPath().lastPathComponent
      settings.slack = try? String(contentsOfFile: "/proc/\(number)/timerslack_ns", encoding: .utf8)
      return settings
    }

    static func of(_ thread: LoopThread) async -> Settings {
      await withCheckedContinuation { continuation in
        thread.remote.perform { continuation.resume(returning: .ofThisThread()) }
      }
    }
  }

  @Test(
    "scheduling class, priority and nice value are those that were asked for",
    arguments: [
      (.normal(nice: 3), 0, 0, 3), (.batch(nice: 5), 3, 0, 5), (.idle, 5, 0, nil),
      (.realTimeFirstInFirstOut(priority: 2), 1, 2, nil), (.realTimeRoundRobin(priority: 7), 2, 7, nil),
    ] as [(LoopThread.Scheduling, Int32, Int32, Int32?)])
  func scheduling(asked: LoopThread.Scheduling, policy: Int32, priority: Int32, nice: Int32?) async throws {
    let thread: LoopThread
    do {
      thread = try LoopThread(name: "scheduled", scheduling: asked)
    } catch let error {
      // Real-time classes need a privilege, and without it there is no thread.
      #expect(error.code == EPERM && priority > 0)
      return
    }
    let found = await Settings.of(thread)
    #expect(found.policy == policy)
    #expect(found.priority == priority)
    if let nice { #expect(found.nice == nice) }
    thread.stop()
    thread.join()
    // Its maker keeps its own.
    #expect(Settings.ofThisThread().policy == 0)
  }

  @Test("the timer slack is the one that was asked for, the maker's without")
  func slack() async throws {
    let maker = Settings.ofThisThread().slack
    let cases: [(Duration?, String?)] = [
      (.microseconds(7), "7000\n"), (.milliseconds(5), "5000000\n"), (.zero, "1\n"), (nil, maker),
    ]
    for (asked, expected) in cases {
      let thread = try LoopThread(name: "slack", timerSlack: asked)
      let found = await Settings.of(thread).slack
      // The file is missing on some systems.
      if maker != nil { #expect(found == expected) }
      thread.stop()
      thread.join()
    }
  }

  @Test("what the system refuses is thrown, and then there is no thread")
  func refused() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    for asked in [
      LoopThread.Scheduling.realTimeRoundRobin(priority: 1_000), .realTimeFirstInFirstOut(priority: 0),
    ] {
      let error = #expect(throws: LoopThread.StartError.self) {
        try LoopThread(name: "refused", scheduling: asked)
      }
      #expect(error?.code == EINVAL)
    }
    #expect(throws: LoopThread.StartError.self) { try LoopThread(name: "refused", stackSize: 1) }
    // The pools of Dispatch and of tasks may have grown or shrunk, but not by a hundred.
    for _ in 0..<200 {
      _ = try? LoopThread(name: "refused", scheduling: .realTimeRoundRobin(priority: 1_000))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count < before + 100)
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
