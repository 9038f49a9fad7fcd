import LoopCore
import Testing

@Suite("Steps of the wall clock")
struct WallStepsTests {
  private let second: Int64 = 1_000_000_000

  @Test("random lives of a wall clock: every step of a second or more is counted, and nothing else is")
  func randomLives() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var local: Int64 = 1000 * second
      var exact = Double(1_767_225_600 * second)
      var count = 0
      var total: Int64 = 0
      var last: Int64 = 0
      func read(_ steps: inout WallSteps?) {
        let before = local
        // The thread may be put aside between its readings, for half a minute even.
        let aside = random.next() % 8 == 0 ? Int64.random(in: 0...(30 * second), using: &random) : 200
        let wall = Int64(exact) + aside / 2
        local += aside
        exact += Double(aside)
        last = max(last, local)
        if steps == nil { steps = WallSteps(before: before, wall: wall, after: local) }
        steps?.note(before: before, wall: wall, after: local)
      }
      var steps: WallSteps?
      read(&steps)
      for _ in 0..<200 {
        // Looked at every minute at least, with a clock slewed by up to 500 ppm.
        let pause = Int64.random(in: 0...(60 * second), using: &random)
        let slew = Double.random(in: -499...499, using: &random) / 1e6
        local += pause
        exact += Double(pause) * (1 + slew)
        if random.next() % 10 == 0 {
          let years = Int64.random(in: 1...315_360_000, using: &random)
          // Well above what being put aside for half a minute can hide.
          let step =
            (random.next() % 2 == 0 ? years : -years) * second + (random.next() % 2 == 0 ? 70 : -70) * second
          if abs(step) > 65 * second {
            exact += Double(step)
            count += 1
            total += step
          }
        }
        read(&steps)
      }
      #expect(steps?.count == count, "seed \(seed)")
      let difference = abs((steps?.total ?? 0) - total)
      #expect(difference < Int64(max(count, 1)) * 31 * second, "seed \(seed)")
    }
  }

  @Test("a step of a second is seen between two readings a minute apart")
  func smallStep() {
    var steps = WallSteps(before: 0, wall: 100 * second, after: 0)
    steps.note(before: 60 * second, wall: 161 * second, after: 60 * second)
    #expect(steps.count == 1)
    #expect(steps.total == second)
    steps.note(before: 120 * second, wall: 220 * second, after: 120 * second)
    #expect(steps.count == 2)
    #expect(steps.total == 0)
    steps.forget()
    #expect(steps.count == 0)
  }
}
