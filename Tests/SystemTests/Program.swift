import Foundation

/// Small programs that stand beside the tests, for what needs a process of its own.
enum Program {
  struct Run {
    let status: Int32
    let output: String
  }

  /// Where a program of this package was built.
  static func path(_ name: String) -> String {
    // The tests' own executable lies in the same folder.
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return folder.appendingPathComponent(name).path
  }

  /// Runs a program to its end and hands back what it printed.
  static func run(_ executable: String, _ arguments: [String] = []) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Run(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: String(decoding: output, as: UTF8.self))
  }
}
