/// The 48 bytes that NTP clients and servers exchange, as RFC 5905 lays them out.
package struct NTPPacket: Equatable, Sendable {
  package static let size = 48

  /// What a packet is for.
  package enum Mode {
    package static let client: UInt8 = 3
    package static let server: UInt8 = 4
  }

  /// 0: no warning, 1: the last minute of the day has 61 seconds, 2: 59, 3: the clock is not synchronised.
  package var leap: UInt8 = 0
  package var version: UInt8 = 4
  package var mode: UInt8 = Mode.client
  /// 0: a kiss-o'-death, 1: a reference clock, 2 to 15: behind so many servers less one, others: unsynchronised.
  package var stratum: UInt8 = 0
  /// A power of two, in seconds.
  package var poll: Int8 = 0
  /// A power of two, in seconds: what the clock can tell apart.
  package var precision: Int8 = 0
  /// In 1/65,536 s, to the reference clock and back.
  package var rootDelay: UInt32 = 0
  /// In 1/65,536 s, the error that has gathered on the way.
  package var rootDispersion: UInt32 = 0
  package var referenceID: UInt32 = 0
  package var reference = NTPTimestamp(bits: 0)
  /// What the client wrote into its `transmit`.
  package var origin = NTPTimestamp(bits: 0)
  package var receive = NTPTimestamp(bits: 0)
  package var transmit = NTPTimestamp(bits: 0)

  package init() {}

  /// Reads a packet; nil if there are too few bytes.
  ///
  /// What follows the header is left aside.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    let bytes = Array(bytes.prefix(Self.size))
    func word(_ index: Int) -> UInt32 { bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    func stamp(_ index: Int) -> NTPTimestamp {
      NTPTimestamp(bits: UInt64(word(index)) << 32 | UInt64(word(index + 4)))
    }
    leap = bytes[0] >> 6
    version = bytes[0] >> 3 & 7
    mode = bytes[0] & 7
    stratum = bytes[1]
    poll = Int8(bitPattern: bytes[2])
    precision = Int8(bitPattern: bytes[3])
    rootDelay = word(4)
    rootDispersion = word(8)
    referenceID = word(12)
    reference = stamp(16)
    origin = stamp(24)
    receive = stamp(32)
    transmit = stamp(40)
  }

  /// The packet's bytes.
  package var bytes: [UInt8] {
    var bytes = [
      leap << 6 | version << 3 | mode, stratum, UInt8(bitPattern: poll), UInt8(bitPattern: precision),
    ]
    for word in [rootDelay, rootDispersion, referenceID] { bytes.append(bigEndian: word) }
    for stamp in [reference, origin, receive, transmit] { bytes.append(bigEndian: stamp.bits) }
    return bytes
  }

  /// The reference identifier as the four letters of a kiss-o'-death, or of a reference clock.
  package var referenceCode: String {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: referenceID >> (24 - 8 * $0)) }
    return String(decoding: letters.prefix { (0x21...0x7E).contains($0) }, as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
