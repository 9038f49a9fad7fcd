import LoopCore
import Testing

@Suite("Server time as it is shown")
struct SlewedOffsetTests {
  private let second: Int64 = 1_000_000_000

  @Test("a correction back slows time down to half its speed until it is made")
  func back() {
    var shown = SlewedOffset(100 * second, at: 0)
    shown.retarget(90 * second, at: 0)
    #expect(shown.time(at: 0) == 100 * second)
    #expect(shown.time(at: 10 * second) == 105 * second)
    #expect(shown.time(at: 20 * second) == 110 * second)
    #expect(shown.time(at: 30 * second) == 120 * second)
  }

  @Test("a small correction forward is spread, a large one made at once")
  func forward() {
    var shown = SlewedOffset(0, at: 0)
    shown.retarget(second, at: 0)
    #expect(shown.offset(at: 0) == 0)
    #expect(shown.offset(at: second) == second / 2)
    #expect(shown.offset(at: 2 * second) == second)
    shown.retarget(3 * second, at: 2 * second)
    #expect(shown.offset(at: 2 * second) == 3 * second)
  }

  @Test("random corrections: the time shown never goes back, and its instants are neither early nor late")
  func randomCorrections() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var now: Int64 = 0
      var shown = SlewedOffset(0, at: 0)
      var last = shown.time(at: 0)
      for step in 0..<300 {
        let size = Int64.random(in: 0...36, using: &random)
        now += Int64.random(in: 0...(1 << size), using: &random)
        let time = shown.time(at: now)
        if time < last { Issue.record("seed \(seed), step \(step): \(time) after \(last)") }
        last = time
        let wanted = time + Int64.random(in: -1000...(1 << size), using: &random)
        let instant = shown.instant(showing: wanted)
        if shown.time(at: instant) < wanted { Issue.record("seed \(seed), step \(step): early") }
        if shown.time(at: instant - 1) >= wanted { Issue.record("seed \(seed), step \(step): late") }
        if random.next() % 3 == 0 {
          let size = Int64.random(in: 0...36, using: &random)
          let jump = Int64.random(in: -(1 << size)...(1 << size), using: &random)
          shown.retarget(shown.target + jump, at: now)
          if shown.time(at: now) < last { Issue.record("seed \(seed), step \(step): back by a correction") }
        }
      }
    }
  }

  @Test("a time that never comes has an instant that never comes, and absurd corrections don't overflow")
  func extremes() {
    var shown = SlewedOffset(-(1 << 61), at: 1 << 61)
    #expect(shown.instant(showing: .max) == .max)
    shown.retarget(1 << 62, at: 1 << 61)
    shown.retarget(0, at: 1 << 61)
    #expect(shown.instant(showing: (1 << 62) + (1 << 61) + 2) > 1 << 61)
  }
}
