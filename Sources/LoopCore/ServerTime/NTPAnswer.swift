/// A server's answer to one question, once it has been found to be valid.
package struct NTPAnswer: Equatable, Sendable {
  /// Why an answer is not taken.
  package enum Refusal: Error, Equatable, Sendable {
    /// Fewer bytes than a packet has.
    case short(Int)
    /// Not a server's answer to a client.
    case mode(UInt8)
    case version(UInt8)
    /// Not the answer to the question that was asked: late, repeated or forged.
    case origin
    /// The server says that its own clock is not synchronised.
    case unsynchronised
    case stratum(UInt8)
    /// A kiss-o'-death with its four letters: the server does not want to answer.
    case kiss(String)
    /// Times that contradict each other, in words.
    case impossible(String)

    /// Whether the packet may come from somebody else than the server, so that the true answer may still come.
    package var isMaybeForged: Bool {
      switch self {
      case .short, .mode, .version, .origin: true
      case .unsynchronised, .stratum, .kiss, .impossible: false
      }
    }
  }

  package let sample: OffsetSample
  package let leap: UInt8
  package let stratum: UInt8

  /// RFC 5905's limit on a server's distance from its reference clock: from 16 s on it counts as unsynchronised.
  private static let greatestDistance: Int64 = 16_000_000_000

  /// Checks the bytes of an answer to the question that bore `nonce`.
  ///
  /// - Parameters:
  ///   - sent: the continuous clock when the question left.
  ///   - received: the continuous clock when the answer was there.
  package init(
    _ bytes: some Collection<UInt8>, nonce: UInt64, sent: Int64, received: Int64,
    drift: Int64 = ClockDrift.greatest
  ) throws(Refusal) {
    guard let packet = NTPPacket(bytes) else { throw .short(bytes.count) }
    guard packet.mode == NTPPacket.Mode.server else { throw .mode(packet.mode) }
    guard (3...4).contains(packet.version) else { throw .version(packet.version) }
    // Also of a refusal: a kiss that anybody could forge would be a way to silence the client.
    guard packet.origin.bits == nonce else { throw .origin }
    if packet.stratum == 0 { throw .kiss(packet.referenceCode) }
    guard packet.stratum < 16 else { throw .stratum(packet.stratum) }
    guard packet.leap != 3 else { throw .unsynchronised }
    guard !packet.receive.isUnknown, !packet.transmit.isUnknown else {
      throw .impossible("it has no time in it")
    }
    let distance = Self.nanoseconds(packet.rootDelay) / 2 + Self.nanoseconds(packet.rootDispersion)
    guard distance < Self.greatestDistance else { throw .unsynchronised }

    let arrival = packet.receive.unixNanoseconds
    let departure = packet.transmit.unixNanoseconds
    guard arrival <= departure else { throw .impossible("it left before the question came") }
    // A server can't have set its clock by a time that it has not reached.
    guard packet.reference.isUnknown || packet.reference.unixNanoseconds <= departure else {
      throw .impossible("the server's clock was set in its own future")
    }
    guard
      let sample = OffsetSample(
        sent: sent, serverReceived: arrival, serverSent: departure, received: received,
        serverError: distance + Self.resolution(packet.precision), drift: drift)
    else { throw .impossible("the server worked on it for longer than the exchange took") }
    self.sample = sample
    leap = packet.leap
    stratum = packet.stratum
  }

  /// Nanoseconds of a number in 1/65,536 s, rounded up.
  private static func nanoseconds(_ short: UInt32) -> Int64 {
    (Int64(short) * 1_000_000_000 + 65_535) >> 16
  }

  /// Nanoseconds that a server's clock can't tell apart; at least what rounding an NTP timestamp loses.
  private static func resolution(_ precision: Int8) -> Int64 {
    if precision >= 0 { return 1_000_000_000 << Int64(min(precision, 4)) }
    return precision <= -30 ? 1 : 1 + 1_000_000_000 >> Int64(-Int(precision))
  }
}
