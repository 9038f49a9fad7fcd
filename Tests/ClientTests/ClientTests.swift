import Foundation
import Testing

@Suite("Clients compile")
struct ClientTests {
  /// A target of the clients' package: its name and the compiler's flags for its settings.
  struct Client: Sendable, CustomTestStringConvertible {
    let name: String
    let flags: [String]

    var testDescription: String { name }
  }

  @Test("users' code compiles without a warning under every setting of the language")
  func clientsCompile() throws {
    let clients = try Self.clients()
    #expect(clients.count >= 5)
    let files = try FileManager.default.contentsOfDirectory(
      at: Compiler.clients.appendingPathComponent("Shared"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "swift" }
    #expect(files.count >= 8)
    for client in clients {
      let (diagnostics, succeeds, output) = try Compiler.compile(files, flags: client.flags)
      #expect(diagnostics == [], "\(client.name)")
      #expect(succeeds, "\(client.name): \(output)")
      // The package's own target has the very same files.
      let link = Compiler.clients.appendingPathComponent("Sources/\(client.name)/Shared")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "../../Shared")
    }
  }

  /// The targets as the package manager reads them, so that what is checked is what a user sees.
  private static func clients() throws -> [Client] {
    struct Manifest: Decodable {
      struct Target: Decodable {
        struct Setting: Decodable { let kind: [String: [String: String?]] }
        let name: String
        let settings: [Setting]
      }
      let targets: [Target]
    }
    let (output, status) = try Compiler.run(
      ["swift", "package", "--package-path", Compiler.clients.path, "dump-package"],
      in: FileManager.default.temporaryDirectory)
    try #require(status == 0, "\(output)")
    let json = output.drop { $0 != "{" }
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(json.utf8))
    return try manifest.targets.map { target in
      var flags: [String] = []
      for (kind, values) in target.settings.flatMap(\.kind) {
        let value = try #require(values["_0"] ?? nil, "\(target.name): \(kind)")
        switch kind {
        case "swiftLanguageMode": flags += ["-swift-version", value]
        case "defaultIsolation": flags += ["-default-isolation", value]
        case "enableUpcomingFeature": flags += ["-enable-upcoming-feature", value]
        default: Issue.record("\(target.name) has a setting of an unknown kind: \(kind)")
        }
      }
      return Client(name: target.name, flags: flags)
    }
  }
}

@Suite("What must not compile")
struct RefusedTests {
  static let files: [URL] = {
    let folder = Compiler.clients.appendingPathComponent("Refused")
    let all =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return all.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
  }()

  /// What a file says of its own lines: before the code, the compiler's words.
  private static func expected(in file: URL) throws -> Set<Compiler.Diagnostic> {
    var expected: Set<Compiler.Diagnostic> = []
    var waiting: [String] = []
    let lines = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let comment = line.wholeMatch(of: /\s*\/\/ ((error|warning): .*)/) {
        waiting.append(String(comment.1))
      } else {
        for text in waiting {
          expected.insert(.init(file: file.lastPathComponent, line: index + 1, text: text))
        }
        waiting = []
      }
    }
    return expected
  }

  @Test(
    "each refused line is refused in exactly the words that stand there, and the right form beside it compiles"
  )
  func refused() throws {
    #expect(Self.files.count >= 20)
    for file in Self.files {
      let expected = try Self.expected(in: file)
      #expect(!expected.isEmpty, "\(file.lastPathComponent) expects nothing")
      let flags = ["-swift-version", "6"]
      let refused = try Compiler.compile([file], flags: flags + ["-D", "REFUSED"])
      #expect(refused.diagnostics == expected, "\(refused.output)")
      #expect(refused.succeeds == expected.allSatisfy { $0.text.hasPrefix("warning") })
      let control = try Compiler.compile([file], flags: flags)
      #expect(control.succeeds && control.diagnostics.isEmpty, "\(control.output)")
    }
  }
}
