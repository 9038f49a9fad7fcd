import LoopCore
import Testing
import WakeLoopTesting

@Suite("Virtual clocks")
struct VirtualClocksTests {
  private static let second: Int64 = 1_000_000_000
  private static let newYear: Int64 = 1_767_225_600 * second

  /// Applies a random step, sleep, drift or jump.
  private func disturb(_ clocks: inout VirtualClocks, with random: inout SplitMix64) {
    let tenYears = 315_576_000 * Self.second
    switch Int.random(in: 0..<5, using: &random) {
    case 0: clocks.stepWall(by: Int64.random(in: -tenYears...tenYears, using: &random))
    case 1: clocks.sleep(for: Int64.random(in: 0...8 * 3600 * Self.second, using: &random))
    case 2: clocks.setWallDrift(nanosecondsPerSecond: Int64.random(in: -500_000...500_000, using: &random))
    default:
      let now = clocks.continuousInstant(of: clocks.now(.continuous), on: .continuous) ?? 0
      clocks.move(toContinuous: now + Int64.random(in: 0...100 * Self.second, using: &random))
    }
  }

  @Test("a wait until a deadline is never short and never a nanosecond too long, whatever drifts")
  func deadlinesAreExact() {
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let resolution: Int64 = [1, 1, 1_000, 4_000_000].randomElement(using: &random) ?? 1
      var clocks = VirtualClocks(wall: Self.newYear, resolution: resolution)
      for _ in 0..<Int.random(in: 0..<12, using: &random) { disturb(&clocks, with: &random) }
      for clock in ClockDomain.allCases {
        let deadline = clocks.now(clock) + Int64.random(in: -50...3600 * Self.second, using: &random)
        guard let instant = clocks.continuousInstant(of: deadline, on: clock) else {
          Issue.record("seed \(seed): \(clock) never reaches \(deadline)")
          continue
        }
        var arrived = clocks
        arrived.move(toContinuous: instant)
        #expect(arrived.now(clock) >= deadline, "seed \(seed), \(clock)")
        guard !clocks.hasReached(continuous: instant - 1) else { continue }
        var before = clocks
        before.move(toContinuous: instant - 1)
        #expect(before.now(clock) < deadline, "seed \(seed), \(clock)")
      }
    }
  }

  @Test("readings never go back but by a step, and the date's parts are the wall clock")
  func readingsAreMonotone() {
    for seed in 0..<500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var clocks = VirtualClocks(wall: -5)
      for _ in 0..<40 {
        let before = clocks
        disturb(&clocks, with: &random)
        #expect(clocks.exactSuspending >= before.exactSuspending)
        let readings = clocks.readings
        #expect(readings.wall == clocks.now(.wall))
        #expect((0..<Self.second).contains(readings.wallNanoseconds))
        #expect(readings.suspending == clocks.now(.suspending))
      }
    }
  }

  @Test("drift of 500 ppm makes a wall day 43.2 seconds short or long")
  func driftAddsUp() {
    for drift in [-500_000, 500_000] as [Int64] {
      var clocks = VirtualClocks(wall: Self.newYear)
      clocks.setWallDrift(nanosecondsPerSecond: drift)
      let day = 86_400 * Self.second
      clocks.move(toContinuous: clocks.now(.continuous) + day)
      #expect(clocks.now(.wall) - Self.newYear - day == drift * 86_400)
    }
  }

  @Test("a machine's sleep moves the wall and the continuous clock, not the suspending one")
  func sleepStopsOneClock() {
    var clocks = VirtualClocks(wall: Self.newYear)
    let (suspending, continuous) = (clocks.now(.suspending), clocks.now(.continuous))
    clocks.sleep(for: 8 * 3600 * Self.second)
    #expect(clocks.now(.suspending) == suspending)
    #expect(clocks.now(.continuous) == continuous + 8 * 3600 * Self.second)
    #expect(clocks.now(.wall) == Self.newYear + 8 * 3600 * Self.second)
  }

  @Test("a step moves the wall clock alone, there and back")
  func stepMovesTheWall() {
    var clocks = VirtualClocks(wall: Self.newYear)
    let (suspending, continuous) = (clocks.now(.suspending), clocks.now(.continuous))
    clocks.stepWall(by: -3600 * Self.second)
    #expect(clocks.now(.wall) == Self.newYear - 3600 * Self.second)
    clocks.stepWall(by: 3600 * Self.second)
    #expect(clocks.now(.wall) == Self.newYear)
    #expect(clocks.now(.suspending) == suspending)
    #expect(clocks.now(.continuous) == continuous)
  }

  @Test("a deadline of .max is never, and clocks at the end of their range stand still there")
  func extremesSaturate() {
    var clocks = VirtualClocks(wall: Self.newYear)
    for clock in ClockDomain.allCases { #expect(clocks.continuousInstant(of: .max, on: clock) == nil) }
    #expect(clocks.continuousInstant(of: WaitDeadlines.never) == nil)
    #expect(clocks.continuousInstant(of: .max - 1, on: .suspending) == nil)
    clocks.stepWall(by: .max)
    #expect(clocks.now(.wall) == .max)
    clocks.move(toContinuous: .max - 1)
    #expect(clocks.now(.wall) == .max)
    clocks.sleep(for: .max)
    #expect(clocks.now(.continuous) == .max)
  }
}
