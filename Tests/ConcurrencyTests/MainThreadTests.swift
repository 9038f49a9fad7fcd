import Testing

@Suite("On the real main thread", .serialized)
struct MainThreadTests {
  static let executors = ["queue", "installed"]

  private func passes(_ scenario: String, _ executor: String) throws {
    let program = try Program("MainThread", scenario, executor)
    #expect(program.output == ["ok"])
    #expect(program.status == 0)
  }

  @Test("100,000 jobs and blocks from everywhere all run, isolated, one stamp a pass", arguments: executors)
  func hops(executor: String) throws { try passes("hops", executor) }

  @Test("what one handler asks for runs in the next pass in the promised order", arguments: executors)
  func order(executor: String) throws { try passes("order", executor) }

  @Test("nested runs serve the main actor, except within its blocks and jobs", arguments: executors)
  func nested(executor: String) throws { try passes("nested", executor) }

  @Test(
    "100,000 jobs and blocks all run once while timers, blocks and jobs nest runs, one stamp a pass",
    arguments: executors)
  func nestedHops(executor: String) throws { try passes("nestedHops", executor) }

  @Test(
    "runs in every common mode serve the main actor, runs in private modes leave it waiting",
    arguments: executors)
  func modes(executor: String) throws { try passes("modes", executor) }

  @Test(
    "a runtime that lacks the hooks, or takes them otherwise, is reported once, and the queue serves the main actor",
    arguments: ["missing", "misunderstood"])
  func fallback(hooks: String) throws {
    let program = try Program("MainThread", "fallback", hooks)
    #expect(program.output == ["report: fallback", "ok"])
    #expect(program.status == 0)
  }

  @Test("delays, sync calls and sleeps of Dispatch and tasks work in passes", arguments: executors)
  func services(executor: String) throws { try passes("services", executor) }

  @Test("a loop run in short slices serves all that comes", arguments: executors)
  func slices(executor: String) throws { try passes("slices", executor) }

  @Test("every kind of handler of the main loop is on the main actor", arguments: executors)
  func isolation(executor: String) throws { try passes("isolation", executor) }

  @Test("run with a body hands back its value or its error", arguments: executors)
  func bodies(executor: String) throws { try passes("body", executor) }

  @Test(
    "work for a main loop whose thread Dispatch has taken is refused and reported once", arguments: executors)
  func taken(executor: String) throws {
    let program = try Program("MainThread", "taken", executor)
    #expect(program.output.filter { $0.hasPrefix("report:") } == ["report: refused"])
    #expect(program.output.last == "accepted: false")
  }

  @Test(
    "a main-actor task of a program that gave the thread of its installed executor away stops the process")
  func takenTask() throws {
    let program = try Program("MainThread", "takenTask", "installed")
    #expect(program.output.contains("refused"))
    #expect(!program.output.contains("never"))
    #expect(program.status != 0)
  }
}

@Suite("Async mains on the loop", .serialized)
struct AsyncMainTests {
  static let programs = ["AsyncMain", "LinkedMain"]

  @Test("an async main stays on the main thread and ends the process with success", arguments: programs)
  func returns(name: String) throws {
    let program = try Program(name, "returns")
    #expect(program.output == ["ok"])
    #expect(program.status == 0)
  }

  @Test("stopping the main loop does not end an async main that still waits", arguments: programs)
  func stopped(name: String) throws {
    let program = try Program(name, "stopped")
    #expect(program.output == ["ok"])
    #expect(program.status == 3)
  }

  @Test("an async main that throws does not end as success", arguments: programs)
  func throwing(name: String) throws {
    let program = try Program(name, "throws")
    #expect(program.output.first == "ok")
    #expect(program.status != 0)
  }
}
