import Foundation
import Glibc
import Testing

@Suite("The documentation shows only code that was compiled")
struct DocumentationTests {
  static let articles = "Sources/WakeLoop/WakeLoop.docc"

  /// The pages that hold code, as paths from the package's top folder.
  static let pages: [String] = {
    let folder = PackageFolder.root.appendingPathComponent(articles)
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "\(articles)/\($0)" }
  }()

  private static func compiledParts() throws -> [String] {
    let folder = "Tests/ExampleTests/Snippets"
    let path = PackageFolder.root.appendingPathComponent(folder).path
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap {
      Snippets.parts(ofCode: try PackageFolder.text("\(folder)/\($0)"))
    }
  }

  /// The two blocks of the README that are whole files: the first program and a package's manifest.
  private static func isWholeFile(_ block: String) throws -> Bool {
    if block.hasPrefix("// swift-tools-version") { return true }
    return block + "\n" == (try PackageFolder.text("Examples/FirstProgram/main.swift"))
  }

  @Test("each block of code is compiled, to the letter", arguments: pages)
  func blocksAreCompiled(page: String) throws {
    let parts = Set(try Self.compiledParts())
    for block in Snippets.blocks(inMarkdown: try PackageFolder.text(page)) {
      let isCompiled = try parts.contains(block) || Self.isWholeFile(block)
      #expect(isCompiled, "not compiled: \(block)")
    }
  }

  @Test("no code is kept compiled for a page that does not show it")
  func partsAreShown() throws {
    let shown = Set(try Self.pages.flatMap { Snippets.blocks(inMarkdown: try PackageFolder.text($0)) })
    for part in try Self.compiledParts() {
      let isShown = shown.contains(part)
      #expect(isShown, "not shown: \(part)")
    }
  }

  @Test("each test that the article for those from iOS names exists")
  func namedTestsExist() throws {
    let article = try PackageFolder.text("\(Self.articles)/FromIOS.md")
    let names = article.split(separator: "“").dropFirst().compactMap { part in
      part.split(separator: "”").first.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }
    #expect(names.count > 20)
    let root = PackageFolder.root.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    let tests = try files.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.map {
      try PackageFolder.text("Tests/\($0)")
    }
    for name in names { #expect(tests.contains { $0.contains("\"\(name)\"") }, "there is no test \(name)") }
  }

  @Test("the README shows the output of the first program, to the letter")
  func firstOutput() throws {
    let example = try ExampleProcess("FirstProgram")
    let output = example.remainingLines().joined(separator: "\n")
    #expect(example.waitForEnd() == .exited(0))
    #expect(try PackageFolder.text("README.md").contains("\n```\n\(output)\n```\n"))
  }

  @Test("the command for the tests in the README is the one that continuous integration runs")
  func oneCommand() throws {
    let last = try PackageFolder.text(".ci/run").split(separator: "\n").last.map(String.init)
    #expect(last == "Tests/run.sh")
    #expect(try PackageFolder.text("README.md").contains("\nTests/run.sh "))
  }

  @Test("the manifest in the README is one that the package manager reads, with products that exist")
  func manifest() throws {
    let blocks = Snippets.blocks(inMarkdown: try PackageFolder.text("README.md"))
    let manifest = try #require(blocks.first { $0.hasPrefix("// swift-tools-version") })
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try manifest.write(
      to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)

    let reader = try ExampleProcess(
      path: "/usr/bin/env", arguments: ["swift", "package", "--package-path", folder.path, "dump-package"])
    let text = reader.remainingLines().joined(separator: "\n")
    #expect(reader.waitForEnd() == .exited(0), "\(text)")
    let ours = try PackageFolder.text("Package.swift")
    for product in ["WakeLoop", "WakeLoopTesting"] {
      #expect(text.contains("\"\(product)\""))
      #expect(ours.contains(".library(name: \"\(product)\""))
    }
  }
}
