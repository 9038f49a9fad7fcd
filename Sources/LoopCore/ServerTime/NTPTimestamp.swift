/// A moment as NTP writes it: 32 bits of seconds in an era and 32 bits of a second's fraction.
package struct NTPTimestamp: Equatable, Sendable {
  package let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// Writes nanoseconds since 1970, rounded up to the format's quarter of one, so that they are read back.
  package init(unixNanoseconds: Int64) {
    let second: Int64 = 1_000_000_000
    var seconds = unixNanoseconds / second
    var rest = unixNanoseconds % second
    if rest < 0 {
      seconds -= 1
      rest += second
    }
    let fraction = (UInt64(rest) << 32 + UInt64(second) - 1) / UInt64(second)
    bits = UInt64(truncatingIfNeeded: seconds + Self.secondsTo1970) << 32 | fraction
  }

  /// Seconds from 1900, where the first era begins, to 1970.
  private static let secondsTo1970: Int64 = 2_208_988_800

  /// Zero says that the moment is unknown.
  package var isUnknown: Bool { bits == 0 }

  /// Nanoseconds since 1970, rounded down.
  ///
  /// The era is not written. Seconds in the upper half of their range are of the era that ends in 2036, those in
  /// the lower half of the next: right from 1968 until 2104, whatever the local clock shows.
  package var unixNanoseconds: Int64 {
    let seconds = Int64(bits >> 32)
    let era: Int64 = seconds >= 1 << 31 ? 0 : 1 << 32
    let fraction = Int64(((bits & 0xFFFF_FFFF) * 1_000_000_000) >> 32)
    return (seconds + era - Self.secondsTo1970) * 1_000_000_000 + fraction
  }
}
