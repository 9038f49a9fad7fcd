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

  static func run(_ scenario: String) async throws {
    for round in 0..<1000 {
      let number = await Task.detached { round }.value
      guard Thread.isMainThread, number == round else { fail("round \(round) is not on the main thread") }
      MainActor.preconditionIsolated()
      guard Loop.main.stamp.wakeDate == Date.wake else { fail("round \(round) is in no pass") }
    }
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
