import Foundation
import Testing

@Suite("The examples on time print what they promise", .serialized)
struct TimeExamplesTests {
  private func lines(of name: String, _ arguments: String...) throws -> [String] {
    let example = try ExampleProcess(name, arguments: arguments)
    let lines = example.remainingLines()
    #expect(example.waitForEnd() == .exited(0))
    return lines
  }

  @Test("the resend button shows each second once, refuses early presses, and goes on while the phone sleeps")
  func countdown() throws {
    var expected = ["0 s: code 1 was sent"]
    for second in 0..<60 {
      expected.append("\(second) s: resend in \(60 - second) s")
      if second == 20 { expected.append("20 s: too soon: 00:40") }
    }
    expected += ["60 s: resend", "61 s: code 2 was sent"]
    expected += (0...4).map { "\(61 + $0) s: resend in \(60 - $0) s" }
    expected += ["65 s: resend in 3 s", "66 s: resend in 2 s", "67 s: resend in 1 s", "68 s: resend"]
    #expect(try lines(of: "Countdown", "--fast") == expected)
  }

  @Test("in a terminal the button counts in real time and hears the keyboard")
  func inTerminal() throws {
    let path = Products.executable("Countdown").path
    let example = try ExampleProcess(path: "/bin/sh", arguments: ["-c", "printf '\\n' | '\(path)'"])
    let text = example.remainingLines().joined()
    #expect(example.waitForEnd() == .exited(0))
    #expect(text.contains("code 1 was sent") && text.contains("resend in 60 s"))
    #expect(text.contains("too soon: "))
  }

  @Test("the alarm stays at nine when summer time begins, and rings once for what it slept through")
  func alarm() throws {
    #expect(
      try lines(of: "Alarm") == [
        "ring: 03-28 09:00:00 (8 o'clock in Greenwich)",
        "ring: 03-29 09:00:00 (7 o'clock in Greenwich)",
        "ring: 03-30 09:00:00 (7 o'clock in Greenwich)",
        "ring: 03-31 09:00:00 (7 o'clock in Greenwich)",
        "the clock is set back by twelve hours, passes nine once more, and is put right",
        "back: the clock was set back by 43200.0 seconds",
        "back: the clock was set forward by 43200.0 seconds",
        "ring: 04-01 09:00:00 (7 o'clock in Greenwich)",
        "the machine sleeps for three days",
        "back: the machine slept for 259200.0 seconds",
        "ring: 04-04 23:00:00 (21 o'clock in Greenwich), after 2 that went unheard",
        "ring: 04-05 09:00:00 (7 o'clock in Greenwich)",
      ])
  }

  @Test("a thousand rows cost a wake-up a second, and none off the screen")
  func rows() throws {
    #expect(
      try lines(of: "Rows") == [
        "on opening: 0 wake-ups, 12 texts set, the first cell shows 10:00",
        "after a minute at rest: 60 wake-ups, 732 texts set, the first cell shows 09:00",
        "after scrolling to row 988: 1070 wake-ups, 14028 texts set, the first cell shows 2:03:12",
        "in an hour off the screen: 0 wake-ups",
      ])
  }
}
