import Foundation
import Glibc
import Testing

/// An X server without a screen, for one test.
final class VirtualScreen {
  /// For files of the test; gone with the screen.
  let directory: URL
  private let server: ChildProgram
  private let display: String

  /// Whether everything that it needs is there.
  static let isInstalled = ["Xvfb", "import", "identify"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  /// Starts a server and waits until it is ready.
  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "screen-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // The server looks for a free number itself and writes it when it is ready.
    server = try ChildProgram(
      "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    display = ":" + server.nextLine()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Ends the server.
  func stop() {
    server.kill(SIGTERM)
    server.waitForEnd()
  }

  /// Starts a program of ours on it.
  func start(_ name: String, _ arguments: [String]) throws -> ChildProgram {
    try ChildProgram(Products.executable(name).path, arguments, environment: ["DISPLAY": display])
  }

  /// Whether there is what presses buttons.
  static let canClick = FileManager.default.isExecutableFile(atPath: "/usr/bin/xdotool")

  /// Clicks somewhere, as a user does with the mouse.
  func click(x: Int, y: Int) throws {
    let mouse = try ChildProgram(
      "/usr/bin/xdotool", ["mousemove", "\(x)", "\(y)", "click", "1"], environment: ["DISPLAY": display])
    #expect(mouse.waitForEnd() == 0)
  }

  /// Takes a picture of the whole screen after some seconds and counts its colours.
  func picture(after seconds: Double) throws -> (colors: Int, file: URL) {
    Thread.sleep(forTimeInterval: seconds)
    let file = directory.appending(path: "screen.png")
    let screen = try ChildProgram(
      "/usr/bin/import", ["-window", "root", file.path], environment: ["DISPLAY": display])
    #expect(screen.waitForEnd() == 0)
    let colors = try ChildProgram("/usr/bin/identify", ["-format", "%k", file.path]).rest()
    return (Int(colors) ?? 0, file)
  }
}
