import LoopCore
import Testing

@Suite("The grid of refreshes")
struct FrameGridTests {
  /// The refresh instant by plain fractions, rounded up.
  static func model(_ grid: FrameGrid, _ refresh: Int64) -> Int128 {
    let numerator = Int128(refresh) * Int128(grid.rate.seconds) * 1_000_000_000
    let divisor = Int128(grid.rate.frames)
    var quotient = numerator / divisor
    while quotient * divisor < numerator { quotient += 1 }
    while (quotient - 1) * divisor >= numerator { quotient -= 1 }
    return Int128(grid.origin) + quotient
  }

  @Test("a refresh is at the first nanosecond not before its exact instant, whatever the rate and the number")
  func instants() {
    var random = SplitMix64(seed: 47)
    for _ in 0..<5_000 {
      let grid = FrameGrid(
        origin: Int64(random.next() >> 4),
        rate: FrameRate(frames: Int64(random.next() % 300_000) + 1, seconds: Int64(random.next() % 2_000) + 1)
      )
      let refresh = Int64(random.next() % 20_000_000) - 10_000_000
      let expected = Self.model(grid, refresh)
      #expect(grid.instant(of: refresh) == Int64(clamping: expected))
    }
  }

  @Test("the refreshes around an instant are those that a search finds")
  func neighbours() {
    var random = SplitMix64(seed: 48)
    for _ in 0..<300 {
      let grid = FrameGrid(
        origin: Int64(random.next() % 1_000),
        rate: FrameRate(
          frames: Int64(random.next() % 400_000_000) + 100_000_000, seconds: Int64(random.next() % 3) + 1))
      let instant = Int64(random.next() % 4_000) - 2_000
      var refresh: Int64 = -4_000
      while grid.instant(of: refresh + 1) <= instant { refresh += 1 }
      #expect(grid.refresh(atOrBefore: instant) == refresh)
      let next = grid.instant(of: refresh) == instant ? firstOf(refresh, in: grid) : refresh + 1
      #expect(grid.refresh(atOrAfter: instant) == next)
    }
    func firstOf(_ refresh: Int64, in grid: FrameGrid) -> Int64 {
      var first = refresh
      while grid.instant(of: first - 1) == grid.instant(of: refresh) { first -= 1 }
      return first
    }
  }

  @Test("what lies beyond the range is clamped and traps nothing")
  func extremes() {
    var random = SplitMix64(seed: 49)
    func part() -> Int64 { max(1, random.nextExtreme() & (FrameGrid.largestPart - 1)) }
    for _ in 0..<5_000 {
      let grid = FrameGrid(
        origin: random.nextExtreme(), rate: FrameRate(frames: part(), seconds: part()))
      _ = grid.instant(of: random.nextExtreme())
      _ = grid.refresh(atOrBefore: random.nextExtreme())
      _ = grid.refresh(atOrAfter: random.nextExtreme())
    }
  }

  @Test("a day at 59.94 Hz has 5,178,816 refreshes and ends to the nanosecond")
  func dayAtFractionalRate() throws {
    let rate = try #require(FrameRate(hertz: 59.94))
    let grid = FrameGrid(origin: 1_000, rate: rate)
    let end: Int64 = 1_000 + 86_400 * 1_000_000_000
    #expect(grid.refresh(atOrBefore: end) == 5_178_816)
    #expect(grid.instant(of: 5_178_816) == end)
  }

  @Test("rates in hertz are exact to a millionth, and what is no rate is none")
  func rates() {
    #expect(FrameRate(hertz: 59.94) == FrameRate(frames: 2_997, seconds: 50))
    #expect(FrameRate(hertz: 60) == FrameRate(frames: 60, seconds: 1))
    #expect(FrameRate(hertz: 60)?.period == 16_666_667)
    for hertz in [0, -60, .nan, .infinity, -.infinity, 1e-9, 1e12] as [Double] {
      #expect(FrameRate(hertz: hertz) == nil, "\(hertz)")
    }
  }
}
