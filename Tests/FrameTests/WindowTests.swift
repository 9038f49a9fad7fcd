import Foundation
import Testing

@Suite(
  "The window on an X server of its own", .serialized,
  .enabled(if: VirtualScreen.isInstalled && Products.exists("Window"), "needs Xvfb, ImageMagick and XCB"))
struct WindowTests {
  @Test("frames advance at the server's rate, the screen shows them, and closing the window ends the loop")
  func session() throws {
    let screen = try VirtualScreen()
    let report = screen.directory.appending(path: "report").path
    let window = try screen.start("Window", ["3", report])
    let picture = try screen.picture(after: 1.5)
    #expect(picture.colors > 2)
    let output = window.rest()
    #expect(window.waitForEnd() == 0)
    #expect(output.contains("The server tells its refreshes."))

    let lines = try String(contentsOfFile: report + ".csv", encoding: .utf8).split(separator: "\n")
      .dropFirst()
    let rows = lines.map { $0.split(separator: ",").compactMap { Int($0) } }
    try #require(rows.count > 60)
    for (before, row) in zip(rows, rows.dropFirst()) {
      #expect(row[1] > before[1])
      #expect(row[2] > before[2])
      #expect(row[4] >= 0)
    }
    // Half of the frames at least follow each other at 60 Hz; on a busy machine the server itself skips some.
    let intervals = zip(rows, rows.dropFirst()).map { $1[1] - $0[1] }.sorted()
    #expect(abs(Double(intervals[intervals.count / 2]) / 1e6 - 16.667) < 1)
  }

  @Test("a server that goes away ends the loop, too")
  func lostServer() throws {
    let screen = try VirtualScreen()
    let window = try screen.start("Window", ["600"])
    _ = try screen.picture(after: 0.5)
    screen.stop()
    #expect(window.rest().contains("frames "))
    #expect(window.waitForEnd() == 0)
  }

  @Test("without a display it says so")
  func noDisplay() throws {
    let window = try ChildProgram(Products.executable("Window").path, environment: [:])
    #expect(window.rest().contains("There is no display"))
    #expect(window.waitForEnd() == 1)
  }
}
