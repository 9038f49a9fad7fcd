extension SplitMix64 {
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
