import Foundation

/// The compiler as a client's package would run it, against the modules that were built with these tests.
struct Compiler {
  /// What the compiler says of a line.
  struct Diagnostic: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    /// "error" or "warning", a colon, and the text without the name of its group.
    let text: String

    var description: String { "\(file):\(line): \(text)" }
  }

  /// The top folder of the package.
  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let clients = packageRoot.appendingPathComponent("Tests/Clients")

  private static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// Compiles files as a module of its own; returns what was said, and whether it succeeded.
  ///
  /// To object files: what is sent across threads is checked only after the types are.
  static func compile(
    _ files: [URL], flags: [String]
  ) throws -> (diagnostics: Set<Diagnostic>, succeeds: Bool, output: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let arguments =
      [
        "swiftc", "-c", "-module-name", "Client", "-diagnostic-style", "llvm",
        "-I", products.appendingPathComponent("Modules").path,
        "-I", packageRoot.appendingPathComponent("Sources/CLibevent").path,
        "-Xcc", "-fmodule-map-file=\(products.path)/CLoopShims.build/module.modulemap",
      ] + flags + files.map(\.path)
    let (output, status) = try run(arguments, in: folder)
    return (diagnostics(in: output), status == 0, output)
  }

  /// Runs a command of the toolchain; returns its output and its status.
  static func run(_ arguments: [String], in folder: URL) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  private static func diagnostics(in output: String) -> Set<Diagnostic> {
    var found: Set<Diagnostic> = []
    for line in output.split(separator: "\n") {
      guard let match = line.wholeMatch(of: /(\/.+\.swift):(\d+):\d+: ((error|warning): .*?)( \[#\w+\])?/)
      else { continue }
      found.insert(
        Diagnostic(
          file: String(match.1.split(separator: "/").last ?? ""), line: Int(match.2) ?? 0,
          text: String(match.3)))
    }
    return found
  }
}
