import Foundation
import Testing

@Suite("The examples print what they promise", .serialized)
struct TourTests {
  /// Runs an example to its end and returns its lines.
  private func lines(of name: String, _ arguments: String...) throws -> [String] {
    let example = try ExampleProcess(name, arguments: arguments)
    let lines = example.remainingLines()
    #expect(example.waitForEnd() == .exited(0))
    return lines
  }

  @Test("the first program tells both of its handlers the same now")
  func firstProgram() throws {
    let expected = [1, 2, 3].map { "beat \($0), the same now: true" } + ["stopped"]
    #expect(try lines(of: "FirstProgram") == expected)
  }

  @Test("two views that ask Date() disagree, two that ask Date.wake never do")
  func consistentNow() throws {
    let lines = try lines(of: "ConsistentNow")
    try #require(lines.count == 6)
    let naive = lines[1].split(separator: " ").compactMap { Int($0) }
    let wake = lines[2].split(separator: " ").compactMap { Int($0) }
    #expect(naive.count == 1 && naive[0] > 0, "\(lines[1])")
    #expect(wake == [0])
    #expect(lines[4] == "  title: naive 2026-02-28, wake 2026-02-28")
    #expect(lines[5] == "  table: naive 2026-03-01, wake 2026-02-28")
  }

  @Test("a timer in the common modes goes on in the tracking mode, one in the default mode waits")
  func modes() throws {
    #expect(
      try lines(of: "Modes") == [
        "before the drag: the clock goes on, the mail goes on",
        "during the drag: the clock goes on, the mail waits",
        "after the drag : the clock goes on, the mail goes on",
        "the mail was told that it had missed some beats: true",
      ])
  }

  @Test("a program that polls by itself has the loop in it, and is woken for nothing but what comes")
  func pollHost() throws {
    let lines = try lines(of: "PollHost")
    #expect(
      lines.filter { $0.hasPrefix("the host") } == ["one", "two", "three"].map { "the host: \($0)" })
    #expect(lines.contains("the guest: a post from another thread"))
    #expect(lines.contains("the guest: a task that has slept"))
    #expect(lines.last == "the guest: beats came: true, no wait in vain: true")
  }

  @Test(
    "a program of GLib's has the loop in it, under a dialog as well",
    .enabled(if: Products.exists("GLibProgram"), "needs GLib"))
  func glibProgram() throws {
    #expect(
      try lines(of: "GLibProgram") == [
        "the loop: a post from another thread",
        "the loop: a task that has slept",
        "the loop: beats in the dialog: true",
        "GLib: timeouts came: true",
        "the loop: beats came: true, no pass in vain: true",
      ])
  }

  @Test("a worker's loop answers in the order of asking and ends when it is told to")
  func workerLoop() throws {
    #expect(
      try lines(of: "WorkerLoop") == [
        "1 + … + 10 = 55",
        "1 + … + 1000 = 500500",
        "1 + … + 100000 = 5000050000",
        "the worker's loop has stopped",
        "the main loop has stopped",
      ])
  }

  @Test("the chat's tour shows a talk, an idle guest who is let go, and a graceful end by SIGTERM")
  func chatTour() throws {
    let lines = try lines(of: "Chat", "--tour")
    let told = [
      "the chat is open",
      "guest 1 has come",
      "guest 2 has come",
      "guest 2: hello",
      "guest 1: good morning",
      "guest 2 was silent for too long",
      "the chat is closed",
    ]
    #expect(lines.filter(told.contains) == told)
  }

  @Test("a sale opens on time by server time, by the naive and the monotonic clock when it is too late")
  func flashSale() throws {
    let lines = try lines(of: "FlashSale")
    let expected = [
      "   shop's time     naive monotonic    server",
      "09:50:00.0  the shop was asked: known to 40 ms, the phone is 40.0 s ahead",
      "09:50:00.0     09:20     09:20     10:00",
      "09:51:00.0     08:20     08:20     09:00",
      "09:52:00.0  the phone's clock is set back an hour; the server clock noticed: true",
      "09:52:00.0   1:07:20     07:20     08:00",
      "09:53:00.0   1:06:20     06:20     07:00",
      "09:54:00.0   1:05:20     05:20     06:00",
      "09:57:05.0  the phone was asleep: 2 lines were not shown",
      "09:57:05.0   1:02:15     05:15     02:56",
      "09:58:00.0   1:01:20     04:20     02:00",
      "09:58:30.0  the shop was asked: known to 40 ms, the phone is 3560.0 s behind",
      "09:59:00.0   1:00:20     03:20     01:00",
      "10:00:00.0  server opens",
      "10:00:00.0     59:20     02:20      open",
      "10:02:20.0  monotonic opens",
      "10:59:20.0  naive opens",
    ]
    #expect(lines == expected)
  }
}
