import Foundation

/// Where the package manager put what it built, and where the package itself lies.
enum BuiltProducts {
  /// The folder of the test bundle, which is also that of the examples' executables.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The top folder of the package.
  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether an example has been built.
  static func exists(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent(name).path)
  }

  /// Returns the text of a file of the package.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: packageRoot.appendingPathComponent(path), encoding: .utf8)
  }
}
