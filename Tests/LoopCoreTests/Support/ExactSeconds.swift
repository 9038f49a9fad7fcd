/// A number of seconds as the exact binary fraction that a `Double` is, computed bit by bit.
struct ExactSeconds {
  private let isNegative: Bool
  private let significand: UInt64
  private let exponent: Int

  init(_ seconds: Double) {
    isNegative = seconds < 0
    significand = seconds.significandBitPattern | (seconds.isNormal ? 1 << 52 : 0)
    exponent = (seconds.isNormal ? Int(seconds.exponent) : -1022) - 52
  }

  /// Long division, one bit at a time: slow, and too plain to be wrong in the way the code under test may be.
  func nanosecondsRoundedUp(since epoch: Int64) -> Int64 {
    var quotient = Int128(significand) * 1_000_000_000
    var hasRest = false
    if exponent >= 0 {
      // Everything that large is far out of range.
      guard exponent < 40 else { return isNegative ? .min : .max }
      quotient <<= Int128(exponent)
    } else {
      for _ in 0..<min(-exponent, 128) {
        hasRest = hasRest || quotient & 1 != 0
        quotient >>= 1
      }
    }
    let nanoseconds = isNegative ? -quotient : quotient + (hasRest ? 1 : 0)
    return Int64(clamping: nanoseconds + Int128(epoch) * 1_000_000_000)
  }
}

extension SplitMix64 {
  /// Seconds as dates have them: of this century, near whole ones, tiny, huge, of either sign.
  mutating func nextSeconds() -> Double {
    let unit = Double(next() >> 11) * 0x1p-53
    let sign: Double = next() % 3 == 0 ? -1 : 1
    switch next() % 8 {
    case 0: return sign * unit
    case 1: return sign * unit * Double(sign: .plus, exponent: -Int(next() % 1_080), significand: 1)
    case 2: return sign * unit * Double(sign: .plus, exponent: Int(next() % 1_000), significand: 1)
    case 3: return (sign * (unit * 1e9).rounded()).nextUp
    case 4: return (sign * (unit * 1e9).rounded()).nextDown
    case 5: return sign * Double(next() % 10_000_000_000_000_000_000) * 1e-9
    case 6: return sign * (unit * 20_000_000_000 - 9_500_000_000)
    default: return 750_000_000 + unit * 200_000_000
    }
  }
}
