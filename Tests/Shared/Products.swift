import Foundation

/// What has been built beside the tests.
enum Products {
  /// The program of a name.
  static func executable(_ name: String) -> URL {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
    let tests = bundle ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
  }

  /// Whether it has been built.
  static func exists(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: executable(name).path)
  }
}
