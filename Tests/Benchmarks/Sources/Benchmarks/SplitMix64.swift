/// The same random numbers as the C peers draw.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  @inline(__always)
  mutating func next(below bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }

  /// 1 to 2 h in nanoseconds, whole microseconds as those of the peers.
  @inline(__always)
  mutating func nextDelay() -> Int64 { Int64(3_600_000_000 + next(below: 3_600_000_000)) * 1_000 }
}
