/// What the head of an HTTP response says of the server's time.
package struct HTTPDateAnswer: Equatable, Sendable {
  /// Why a response is not taken.
  package enum Refusal: Error, Equatable, Sendable {
    /// What came is not the head of an HTTP response.
    case notHTTP
    /// The head does not end.
    case tooLong
    /// The server answered with a failure of its own.
    case status(Int)
    case noDate
    case badDate(String)
    /// A cache gave an answer that it had kept for so many seconds.
    case cached(String)
  }

  /// A head longer than so many bytes is not read.
  package static let longestHead = 16_384

  /// The second, since 1970, in which the server made the response.
  package let unixSeconds: Int64

  /// Reads the head of a response; nil if it has not all come yet.
  package static func read(_ bytes: [UInt8]) throws(Refusal) -> HTTPDateAnswer? {
    var rest = bytes[...]
    while true {
      let start = "HTTP/1.".utf8
      guard rest.starts(with: start.prefix(rest.count)) else { throw .notHTTP }
      guard let end = endOfHead(rest) else {
        if bytes.count > longestHead { throw .tooLong }
        return nil
      }
      let lines = String(decoding: rest[..<end], as: UTF8.self)
        .split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
      let words = lines.first?.split(separator: " ") ?? []
      guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]) else { throw .notHTTP }
      // An interim response: the one that counts is behind it.
      if (100...199).contains(status) {
        rest = rest[end...]
        continue
      }
      guard status < 500 else { throw .status(status) }
      return try HTTPDateAnswer(fields: lines.dropFirst())
    }
  }

  private init(fields: some Sequence<Substring>) throws(Refusal) {
    var date: Substring?
    for field in fields {
      guard let colon = field.firstIndex(of: ":") else { throw .notHTTP }
      let value = field[field.index(after: colon)...].trimmed
      switch field[..<colon].lowercased() {
      case "date": date = value
      case "age" where value != "0": throw .cached(String(value))
      default: break
      }
    }
    guard let date else { throw .noDate }
    guard let seconds = HTTPDate.unixSeconds(date) else { throw .badDate(String(date)) }
    unixSeconds = seconds
  }

  /// The index behind the empty line.
  private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
    var lineIsEmpty = false
    for (index, byte) in zip(bytes.indices, bytes) {
      switch byte {
      case 0x0A:
        if lineIsEmpty { return index + 1 }
        lineIsEmpty = true
      case 0x0D: break
      default: lineIsEmpty = false
      }
    }
    return nil
  }

  /// The sample that it gives: the server's clock was somewhere in that second.
  ///
  /// - Parameters:
  ///   - sent: the continuous clock when the request left.
  ///   - received: the continuous clock when the response began to come.
  package func sample(sent: Int64, received: Int64, drift: Int64 = ClockDrift.greatest) -> OffsetSample? {
    let half: Int64 = 500_000_000
    let (start, overflow) = unixSeconds.multipliedReportingOverflow(by: 2 * half)
    if overflow || !ServerTimeRange.holds(server: start) { return nil }
    return OffsetSample(
      sent: sent, serverReceived: start + half, serverSent: start + half, received: received,
      serverError: half, drift: drift)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let front = drop { $0 == " " || $0 == "\t" }
    guard let last = front.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return front[...last]
  }
}
