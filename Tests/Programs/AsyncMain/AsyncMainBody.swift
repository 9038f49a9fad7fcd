import Foundation
import WakeLoop

func fail(_ what: String) -> Never {
  print(what)
  exit(1)
}

/// What both async mains do.
@MainActor
enum AsyncMainBody {
  struct Thrown: Error {}

  private static var jobs = 0
  private static var last: Loop.Stamp?

  /// Has a hundred jobs made elsewhere run on the main actor, and waits for them.
  private static func hundredJobs() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await work() } }
    }
  }

  private static func work() {
    let stamp = Loop.main.stamp
    guard Thread.isMainThread, stamp.wakeDate == Date.wake else { fail("a job is not in a pass") }
    if let last, last.iteration == stamp.iteration, last != stamp { fail("two stamps in one pass") }
    last = stamp
    jobs += 1
  }

  static func run(_ scenario: String) async throws {
    for round in 0..<1000 {
      let number = await Task.detached { round }.value
      guard Thread.isMainThread, number == round else { fail("round \(round) is not on the main thread") }
      MainActor.preconditionIsolated()
      guard Loop.main.stamp.wakeDate == Date.wake else { fail("round \(round) is in no pass") }
    }
    for _ in 0..<990 { await hundredJobs() }
    guard jobs == 99_000 else { fail("\(jobs) of 99,000 jobs have run") }
    try await Task.sleep(for: .milliseconds(10))
    guard Thread.isMainThread else { fail("after a sleep: not on the main thread") }
    switch scenario {
    case "returns": print("ok")
    case "stopped":
      // Stopped while main still waits: it goes on.
      Loop.main.stop()
      try await Task.sleep(for: .milliseconds(10))
      Loop.mainRemote.stop()
      try await Task.sleep(for: .milliseconds(10))
      print("ok")
      exit(3)
    case "throws":
      print("ok")
      fflush(nil)
      throw Thrown()
    default: fail("there is no scenario \(scenario)")
    }
  }
}
