import LoopCore
import Testing

@Suite("Fixed steps")
struct StepAccumulatorTests {
  @Test("steps and what is left of them are those of exact fractions, however time is cut up")
  func exact() {
    var random = SplitMix64(seed: 51)
    for _ in 0..<300 {
      let rate = FrameRate(frames: Int64(random.next() % 1_000) + 1, seconds: Int64(random.next() % 10) + 1)
      var steps = StepAccumulator(rate: rate, maximumSteps: .max)
      var made: Int128 = 0
      var elapsed: Int128 = 0
      for _ in 0..<50 {
        let time = Int64(random.next() % 100_000_000)
        elapsed += Int128(time)
        made += Int128(steps.advance(by: time).steps)
        let exact = elapsed * Int128(rate.frames)
        let step = Int128(rate.seconds) * 1_000_000_000
        // What lacks less than a nanosecond is due.
        let due = (exact + Int128(rate.frames) - 1) / step
        #expect(made == due)
        #expect(abs(steps.fraction - Double(max(0, exact - due * step)) / Double(step)) < 1e-12)
      }
    }
  }

  @Test("at the rate of a display whose refreshes are whole nanoseconds there is one step for each")
  func rateOfTheDisplay() {
    for rate in [FrameRate(frames: 60, seconds: 1), FrameRate(frames: 60_000, seconds: 1_001)] {
      let grid = FrameGrid(origin: 12_345, rate: rate)
      for first in Int64(0)..<10 {
        var steps = StepAccumulator(rate: rate, maximumSteps: 8)
        for refresh in first..<first + 1_000 {
          let elapsed = grid.instant(of: refresh + 1) - grid.instant(of: refresh)
          #expect(steps.advance(by: elapsed) == (1, 0))
        }
      }
    }
  }

  @Test("a stall gives so many steps at most; the others are dropped, and the phase is kept")
  func cap() {
    var steps = StepAccumulator(rate: FrameRate(frames: 100, seconds: 1), maximumSteps: 5)
    let stall = steps.advance(by: 1_003_000_000)
    #expect(stall.steps == 5)
    #expect(stall.dropped == 95)
    #expect(abs(steps.fraction - 0.3) < 1e-12)
    #expect(steps.advance(by: 7_000_000).steps == 1)
    #expect(steps.fraction == 0)
  }

  @Test("time that goes back is no time, and a very long one does not trap")
  func nonsense() {
    var steps = StepAccumulator(rate: FrameRate(period: 1), maximumSteps: 3)
    #expect(steps.advance(by: -5).steps == 0)
    let (count, dropped) = steps.advance(by: .max)
    #expect(count == 3)
    #expect(dropped == .max - 3)
    #expect(steps.advance(by: .min).steps == 0)
  }
}
