import Foundation
import Glibc
import Testing

@Suite("The animation in a terminal", .serialized)
struct AnimationTests {
  @Test("it draws, survives a stall without a burst, changes modes, quits on q and writes its report")
  func session() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "animation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let report = directory.appending(path: "report").path
    let terminal = try PseudoTerminal()
    let animation = try ChildProgram(
      Products.executable("Animation").path, ["600", report], terminal: terminal.slave)

    #expect(terminal.readUntil("frame 20 "))
    terminal.type("s")
    #expect(terminal.readUntil("stalls 1"))
    terminal.type("m")
    #expect(terminal.readUntil("mode tracking"))
    terminal.type("m")
    #expect(terminal.readUntil("mode default"))
    #expect(terminal.readUntil(" fps"))
    terminal.type("q")
    #expect(terminal.readUntil("report: \(report).svg"))
    #expect(animation.waitForEnd() == 0)
    #expect(terminal.text.contains("●"))
    #expect(terminal.isCooked)

    let svg = try String(contentsOfFile: report + ".svg", encoding: .utf8)
    #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))
    let lines = try String(contentsOfFile: report + ".csv", encoding: .utf8).split(separator: "\n")
      .dropFirst()
    let rows = lines.map { $0.split(separator: ",").compactMap { Int($0) } }
    #expect(terminal.text.contains("frames \(rows.count), "))
    for (before, row) in zip(rows, rows.dropFirst()) {
      // One frame a refresh at most: no burst makes up for a stall.
      #expect(row[1] - before[1] > 16_000_000)
      #expect(row[4] >= 0)
    }
    #expect(rows.contains { $0[5] >= 17 })
  }

  @Test("without a terminal it ends by itself")
  func withoutTerminal() throws {
    let animation = try ChildProgram(Products.executable("Animation").path, ["0.2"])
    #expect(animation.rest().hasPrefix("frames "))
    #expect(animation.waitForEnd() == 0)
  }
}
