/// A small generator of random numbers that is the same on every machine for the same seed.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of any size: small ones, near powers of two, at the ends and in between.
  mutating func nextExtreme() -> Int64 {
    switch next() % 8 {
    case 0: return .max - Int64(next() % 4)
    case 1: return .min + Int64(next() % 4)
    case 2: return Int64(next() % 8) - 4
    case 3: return Int64(truncatingIfNeeded: (1 << (next() % 64)) &+ next() % 3 &- 1)
    default: return Int64(bitPattern: next()) >> Int64(next() % 64)
    }
  }
}
