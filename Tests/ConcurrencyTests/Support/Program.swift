import Foundation
import Glibc

/// A program of this package, run to its end; it lies beside the tests.
struct Program {
  let output: [String]
  /// The exit status, or a signal's number as a negative.
  let status: Int32

  init(_ name: String, _ arguments: String...) throws {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    output = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}
