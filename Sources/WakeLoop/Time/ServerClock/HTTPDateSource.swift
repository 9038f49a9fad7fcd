import LoopCore
import LoopPlatform

/// Asks HTTP servers for the time that they write into the `Date` of every response.
///
/// A date names a second, so that one answer is half a second wrong at most, besides half of the round trip. Asking
/// goes on to be timed so that the server's clock is about to change its second: each such answer halves what is
/// uncertain, until the round trip is what is left.
///
/// It asks by HEAD, or GET, over plain TCP; there is no TLS. Who has the `Date` from a client of his own gives it to
/// the clock by hand: see ``ServerClock/take(_:accuracy:inAnswerTo:)``. A response that comes out of a cache is
/// refused, and so is one of the server's own failure; any other status will do.
public final class HTTPDateSource: ServerClock.Source {
  /// What the request asks for.
  public enum Method: String, Hashable, Sendable {
    /// The head of the response alone.
    case head = "HEAD"
    /// All of it, for servers that don't know HEAD; it is not read.
    case get = "GET"
  }

  private let request: [UInt8]
  private var unsent: ArraySlice<UInt8> = []
  private var response: [UInt8] = []
  private var sent: Int64 = 0
  /// The round trip of the last answer, in nanoseconds.
  private var roundTrip: Int64 = 0

  /// Makes a source that asks servers by their addresses, the next one after each failure.
  ///
  /// - Parameters:
  ///   - endpoints: Where to ask.
  ///   - host: What the request's `Host` says.
  ///   - path: What the request asks for.
  ///   - method: How it does.
  ///   - pace: How often to ask, and how long to wait.
  /// - Precondition: There is a server, the pace is positive, and neither host nor path have characters that would
  ///   end them.
  public init(
    _ endpoints: ServerClock.Endpoint..., host: String, path: String = "/", method: Method = .head,
    pace: ServerClock.Source.Pace = .init(interval: .seconds(600), asksSoon: 6)
  ) {
    request = Self.request(host: host, path: path, method: method)
    super.init(endpoints, resolver: nil, pace: pace)
  }

  /// Makes a source that asks a resolver for addresses whenever it has asked all it knew.
  ///
  /// - Precondition: As for addresses.
  public init(
    host: String, path: String = "/", method: Method = .head,
    pace: ServerClock.Source.Pace = .init(interval: .seconds(600), asksSoon: 6),
    resolver: @escaping ServerClock.Source.Resolver
  ) {
    request = Self.request(host: host, path: path, method: method)
    super.init([], resolver: resolver, pace: pace)
  }

  private static func request(host: String, path: String, method: Method) -> [UInt8] {
    let isPlain = { (text: String) in text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    precondition(isPlain(host) && !host.isEmpty, "host is \"\(host)\": it can't stand in a request")
    precondition(isPlain(path) && path.hasPrefix("/"), "path is \"\(path)\": it can't stand in a request")
    return Array(
      """
      \(method.rawValue) \(path) HTTP/1.1\r
      Host: \(host)\r
      User-Agent: WakeLoop\r
      Cache-Control: no-cache\r
      Connection: close\r
      \r

      """.utf8)
  }

  override func begin(_ endpoint: ServerClock.Endpoint) throws(SystemError) {
    unsent = request[...]
    response = []
    // Connected once it is writable.
    try open(.stream, to: endpoint, for: .write)
  }

  override func serve(_ event: Loop.DescriptorSource.Event) throws(SystemError) {
    if unsent.isEmpty { try read() } else { try write() }
  }

  private func write() throws(SystemError) {
    guard let socket else { return }
    let code = socket.takeError()
    if code != 0 { throw SystemError(errno: code, call: "connect") }
    // The server can't have looked at its clock before it had the end of the request; its beginning is early
    // enough, and connecting does not count.
    if unsent.count == request.count { sent = now }
    unsent = unsent.dropFirst(try socket.send(unsent))
    if unsent.isEmpty { wait(for: .read) }
  }

  private func read() throws(SystemError) {
    guard let socket else { return }
    let received = now
    switch try socket.receive(atMost: 4096) {
    case .nothing: return
    case .end: return fail(.badAnswer, "the response ended before its head did")
    case .bytes(let bytes): response += bytes
    }
    do throws(HTTPDateAnswer.Refusal) {
      guard let answer = try HTTPDateAnswer.read(response) else { return }
      // When its last part came: an interim response may have come before the date was made.
      guard let sample = answer.sample(sent: sent, received: received, drift: drift) else {
        return fail(.badAnswer, "its date is out of range")
      }
      roundTrip = received - sent
      succeed(sample, sent: sent)
    } catch {
      fail(.badAnswer, error.words)
    }
  }

  override var timeoutReason: String {
    if !unsent.isEmpty { return "no connection came about" }
    return response.isEmpty ? "no response came" : "the response's head did not end"
  }

  /// Asks so that the server looks at its clock when a second of it is expected to end.
  override func adjusted(_ delay: Int64) -> Int64 {
    guard let clock else { return delay }
    let arrival = saturatingAdd(saturatingAdd(now, delay), roundTrip / 2)
    guard let offset = clock.shown?.target else { return delay }
    let second: Int64 = 1_000_000_000
    let past = saturatingAdd(arrival, offset) % second
    return saturatingAdd(delay, (second - past) % second)
  }
}

extension HTTPDateAnswer.Refusal {
  fileprivate var words: String {
    switch self {
    case .notHTTP: "the response is not HTTP"
    case .tooLong: "the response's head does not end"
    case .status(let status): "the server failed with status \(status)"
    case .noDate: "the response has no date"
    case .badDate(let text): "\"\(text.prefix(64))\" is no date"
    case .cached(let age): "a cache had kept the response for \(age.prefix(20)) s"
    }
  }
}
