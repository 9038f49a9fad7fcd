import Foundation
import Glibc
import Testing

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
    // The tracer of a crash that is expected holds the pipe, and under a sanitizer it may never end.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    output = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    // Some programs are meant to fail, so that their status alone does not show it.
    let reports = output.filter { $0.contains("Sanitizer:") }
    if !reports.isEmpty { Issue.record("\(name) \(arguments): \(output.joined(separator: "\n"))") }
    status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}
