import Foundation
import Testing

@Suite("An idle loop, watched by a tracer", .serialized)
struct IdleTests {
  @Test("sleeps in one wait, and makes no other call in it, while its next timer is an hour ahead")
  func timerAhead() throws {
    let calls = try idleCalls(["timer-ahead", "3"])
    #expect(waits(in: calls) == 1, "\(calls)")
    // The wait itself, and what is armed for it and let go after it.
    #expect(calls.count <= 6, "\(calls)")
  }

  @Test("does not spin on a hung-up descriptor that nobody removed")
  func hangUp() throws {
    let calls = try idleCalls(["hang-up", "3"])
    #expect(waits(in: calls) <= 2, "\(calls)")
  }

  @Test(
    "does not spin after the last due timer was cancelled in its own pass",
    arguments: ["kCFRunLoopDefaultMode", "UITrackingRunLoopMode", "another"])
  func lastDueCancelled(mode: String) throws {
    let calls = try idleCalls(["last-due-cancelled", "1", mode])
    #expect(waits(in: calls) <= 2, "\(calls)")
  }

  private func waits(in calls: [String]) -> Int {
    calls.filter { $0.hasPrefix("epoll_wait") || $0.hasPrefix("epoll_pwait") }.count
  }

  /// The system calls that the program makes between its two marks.
  private func idleCalls(_ arguments: [String]) throws -> [String] {
    let trace = FileManager.default.temporaryDirectory
      .appendingPathComponent("idle-\(UUID().uuidString).trace")
    defer { try? FileManager.default.removeItem(at: trace) }
    let run = try Program.run(
      "/usr/bin/env", ["strace", "-f", "-o", trace.path, Program.path("IdleLoop")] + arguments)
    #expect(run.status == 0, "\(run)")
    #expect(!run.output.contains("NEVER"))
    // Each line is the thread's number and the call.
    let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
      .map { String($0.drop { $0.isNumber || $0 == " " }) }
    let begin = try #require(lines.firstIndex { $0.contains("IDLE BEGINS") })
    let end = try #require(lines.firstIndex { $0.contains("IDLE ENDS") })
    return Array(lines[(begin + 1)..<end])
  }
}
