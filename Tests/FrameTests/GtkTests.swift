import Foundation
import Testing

@Suite(
  "A GTK window in the loop, on an X server of its own", .serialized,
  .enabled(if: VirtualScreen.isInstalled && Products.exists("Gtk"), "needs Xvfb, ImageMagick and GTK 3"))
struct GtkTests {
  @Test(
    "signals, timers, frames and a task share the thread and the now of a pass, and the screen shows them")
  func session() throws {
    let screen = try VirtualScreen()
    let options = VirtualScreen.canClick ? [] : ["--click"]
    let program = try screen.start("Gtk", ["--seconds", "5"] + options)
    #expect(program.nextLine() == "The window is open.")
    let picture = try screen.picture(after: 1.5)
    // The background, the ball and text with its smooth edges.
    #expect(picture.colors > 20)
    if VirtualScreen.canClick { try screen.click(x: 240, y: 288) }
    let report = Report(program.rest())
    #expect(program.waitForEnd() == 0)
    #expect(report["presses"] == 1)
    #expect(report["tasks"] == 1)
    #expect(try #require(report["ticks"]) > 5)
    #expect(try #require(report["frames"]) > 30)
    #expect(try #require(report["paints"]) > 5)
    #expect(try #require(report["shared passes"]) > 5)
    #expect(report["differing nows"] == 0)
    #expect(report["strayed handlers"] == 0)
  }

  @Test("under a modal dialog, where GTK runs by itself, the loop goes on as its guest")
  func dialog() throws {
    let screen = try VirtualScreen()
    let program = try screen.start("Gtk", ["--seconds", "3", "--ask"])
    let report = Report(program.rest())
    #expect(program.waitForEnd() == 0)
    #expect(report["presses"] == 1)
    // It was ticking all along: else nobody would have answered.
    #expect(try #require(report["ticks under the dialog"]) >= 1)
    #expect(report["differing nows"] == 0)
    #expect(report["strayed handlers"] == 0)
  }

  @Test("a signal that asks the process to end ends it under a modal dialog, too")
  func terminatedUnderDialog() throws {
    let screen = try VirtualScreen()
    let program = try screen.start("Gtk", ["--ask-for-long"])
    #expect(program.nextLine() == "The window is open.")
    #expect(program.nextLine() == "The dialog is open.")
    program.kill(SIGTERM)
    #expect(program.rest().contains("frames"))
    #expect(program.waitForEnd() == 0)
  }

  @Test("while nobody does anything the loop sleeps")
  func still() throws {
    let screen = try VirtualScreen()
    let program = try screen.start("Gtk", ["--seconds", "5", "--still"])
    #expect(program.nextLine() == "The window is open.")
    let report = Report(program.rest())
    #expect(program.waitForEnd() == 0)
    // Four seconds with nothing to show; closing the window takes a few.
    #expect(try #require(report["late passes"]) < 40)
  }

  @Test("a signal that asks the process to end ends the loop")
  func terminated() throws {
    let screen = try VirtualScreen()
    let program = try screen.start("Gtk", ["--seconds", "600"])
    #expect(program.nextLine() == "The window is open.")
    program.kill(SIGTERM)
    #expect(program.rest().contains("frames"))
    #expect(program.waitForEnd() == 0)
  }

  @Test("without a display it says so")
  func noDisplay() throws {
    let program = try ChildProgram(Products.executable("Gtk").path, environment: [:])
    #expect(program.rest().contains("There is no display"))
    #expect(program.waitForEnd() == 1)
  }

  /// What the program says at its end: lines of a name, a colon and a number.
  private struct Report {
    private var numbers: [String: Int] = [:]

    init(_ output: String) {
      for line in output.split(separator: "\n") {
        let parts = line.split(separator: ":")
        guard parts.count == 2, let number = Int(parts[1].trimmingCharacters(in: .whitespaces)) else {
          continue
        }
        numbers[String(parts[0])] = number
      }
    }

    subscript(_ name: String) -> Int? { numbers[name] }
  }
}
