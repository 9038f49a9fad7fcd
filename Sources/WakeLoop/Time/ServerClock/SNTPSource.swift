import LoopCore
import LoopPlatform

/// Asks NTP servers for the time, as RFC 5905's client does, over UDP.
///
/// An answer counts only if it bears the question's own random number, comes from a server that says that it is
/// synchronised, and tells times that can be. One that may be forged is passed over, and the true one awaited. What
/// the server states of its own distance from the reference clock counts for the bound.
///
/// A server that answers DENY or RSTR is not asked again; one that answers RATE is asked half as often from then on.
/// Each question has a socket and a port of its own. Times until 2104 are told apart.
public final class SNTPSource: ServerClock.Source {
  /// What the server has announced for the end of the day or month.
  public enum Leap: UInt8, Hashable, Sendable {
    /// No leap second.
    case none
    /// A minute of 61 seconds: the server's time will be a second behind where it would have been.
    case insertsSecond
    /// A minute of 59 seconds.
    case deletesSecond
  }

  /// What the last valid answer announced; a leap second reaches the time told by the samples after it.
  public private(set) var leap = Leap.none
  /// How many servers are between the last one that answered and a reference clock, itself included.
  public private(set) var stratum: Int?

  private var nonce: UInt64 = 0
  private var sent: Int64 = 0
  private var refused = 0
  private var lastRefusal: String?

  /// So many false answers end a question: somebody is flooding.
  private static let mostRefused = 64

  /// Makes a source that asks servers by their addresses, the next one after each failure.
  ///
  /// - Precondition: There is a server, and the pace is positive.
  public init(
    _ endpoints: ServerClock.Endpoint..., pace: ServerClock.Source.Pace = .init(interval: .seconds(64))
  ) {
    super.init(endpoints, resolver: nil, pace: pace)
  }

  /// Makes a source that asks a resolver for addresses whenever it has asked all it knew.
  ///
  /// - Precondition: The pace is positive.
  public init(
    pace: ServerClock.Source.Pace = .init(interval: .seconds(64)),
    resolver: @escaping ServerClock.Source.Resolver
  ) {
    super.init([], resolver: resolver, pace: pace)
  }

  override func begin(_ endpoint: ServerClock.Endpoint) throws(SystemError) {
    refused = 0
    lastRefusal = nil
    try open(.datagram, to: endpoint, for: .read)
    // The time of day is nobody's business: a random number in its place is also harder to guess.
    nonce = UInt64.random(in: 1...UInt64.max)
    var packet = NTPPacket()
    packet.transmit = NTPTimestamp(bits: nonce)
    sent = now
    // What does not fit into the system's buffer is as good as lost on the way: the timeout sees to it.
    _ = try socket?.send(packet.bytes)
  }

  override var timeoutReason: String {
    lastRefusal.map { "no valid answer came; the last was refused: \($0)" } ?? "no answer came"
  }

  override func serve(_ event: Loop.DescriptorSource.Event) throws(SystemError) {
    let received = now
    while let socket, case .bytes(let bytes) = try socket.receive(atMost: 1024) {
      do throws(NTPAnswer.Refusal) {
        let answer = try NTPAnswer(bytes, nonce: nonce, sent: sent, received: received, drift: drift)
        leap = Leap(rawValue: answer.leap) ?? .none
        stratum = Int(answer.stratum)
        return succeed(answer.sample, sent: sent)
      } catch {
        refused += 1
        lastRefusal = error.words
        if !error.isMaybeForged || refused >= Self.mostRefused { return fail(error.kind, error.words) }
      }
    }
  }
}

extension NTPAnswer.Refusal {
  fileprivate var kind: ServerClock.Failure.Kind {
    switch self {
    case .kiss("DENY"), .kiss("RSTR"): .denied
    case .kiss("RATE"): .askedTooOften
    case .unsynchronised, .stratum: .unsynchronized
    default: .badAnswer
    }
  }

  fileprivate var words: String {
    switch self {
    case .short(let count): "an answer of \(count) bytes is too short"
    case .mode(let mode): "it is not a server's answer but of mode \(mode)"
    case .version(let version): "it is of version \(version)"
    case .origin: "it answers another question"
    case .unsynchronised: "the server's clock is not synchronised"
    case .stratum(let stratum): "the server claims the stratum \(stratum)"
    case .kiss(let code): "the server refuses with the code \"\(code)\""
    case .impossible(let reason): "its times can't be: \(reason)"
    }
  }
}
