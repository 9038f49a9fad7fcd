/// Cuts what arrives in pieces of any size into lines.
struct LineBuffer {
  private var rest: [UInt8] = []
  private let longestLine = 4096

  /// Takes `bytes` and returns the lines that they complete, without their line ends.
  mutating func append(_ bytes: [UInt8]) -> [String] {
    rest += bytes
    var lines: [String] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      var line = rest[..<end]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      lines.append(String(decoding: line, as: UTF8.self))
      rest.removeSubrange(...end)
    }
    // Who never ends a line must not fill our memory.
    if rest.count > longestLine { rest.removeAll() }
    return lines
  }
}
