import LoopCore
import Testing

@Suite("Grid of ticks")
struct TickGridTests {
  @Test("the last tick before an instant is not after it, and the next one is")
  func neighbours() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<100_000 {
      let divisor = Int64(random.next() % 1000) + 1
      let span = divisor + Int64(random.next() % 10_000_000_000)
      let grid = TickGrid(origin: random.nextExtreme() / 4, span: span, divisor: divisor)
      let now = random.nextExtreme() / 4
      let tick = grid.tick(atOrBefore: now)
      let isRight = grid.instant(of: tick) <= now && grid.instant(of: tick + 1) > now
      if !isRight { #expect(isRight, "\(grid), \(now): \(tick)") }
    }
  }

  @Test("a day of sixtieths has no error: each whole second has its own tick")
  func noDrift() {
    let grid = TickGrid(origin: 7, span: 1_000_000_000, divisor: 60)
    for second in stride(from: Int64(0), through: 86_400, by: 1) {
      #expect(grid.instant(of: second * 60) == 7 + second * 1_000_000_000)
    }
    #expect(grid.instant(of: 1) == 7 + 16_666_667)
    #expect(grid.instant(of: 2) == 7 + 33_333_334)
  }

  @Test("far away ticks are clamped")
  func extremes() {
    let grid = TickGrid(origin: 0, span: 1_000_000_000)
    #expect(grid.instant(of: .max) == .max)
    #expect(grid.instant(of: .min) == .min)
    #expect(grid.tick(atOrBefore: -1) == -1)
  }
}
