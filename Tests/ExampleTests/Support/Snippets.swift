import Foundation

/// Code blocks of the documentation, and the compiled code that they have to equal.
enum Snippets {
  /// Returns the contents of all blocks of Swift code in a page of Markdown.
  static func blocks(inMarkdown page: String) -> [String] {
    var blocks: [String] = []
    var current: [Substring]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = current {
        if line == "```" {
          blocks.append(lines.joined(separator: "\n"))
          current = nil
        } else {
          current = lines + [line]
        }
      } else if line == "```swift" {
        current = []
      }
    }
    return blocks
  }

  /// Returns the marked parts of a file of Swift code, moved to the left margin.
  static func parts(ofCode file: String) -> [String] {
    var parts: [String] = []
    var current: [Substring]?
    for line in file.split(separator: "\n", omittingEmptySubsequences: false) {
      switch line.trimmingCharacters(in: .whitespaces) {
      case "// snippet":
        current = []
      case "// end":
        parts.append(withoutIndentation(current ?? []))
        current = nil
      default:
        current?.append(line)
      }
    }
    return parts
  }

  private static func withoutIndentation(_ lines: [Substring]) -> String {
    let indentation =
      lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
  }
}
