import LoopCore
import Testing

@Suite("Grid of beats")
struct GridTests {
  /// The same questions in arithmetic that can't overflow.
  struct Model {
    let origin: Int128
    let interval: Int128

    init(_ grid: Grid) {
      origin = Int128(grid.origin)
      interval = Int128(grid.interval)
    }

    /// The number of the last beat not after `instant`, counted from the origin.
    func index(atOrBefore instant: Int128) -> Int128 {
      let distance = instant - origin
      let (quotient, remainder) = distance.quotientAndRemainder(dividingBy: interval)
      return remainder < 0 ? quotient - 1 : quotient
    }

    func beat(_ index: Int128) -> Int64 { Int64(clamping: origin + index * interval) }
  }

  @Test("beats are those of exact arithmetic, at the ends of the range too")
  func beats() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<200_000 {
      let grid = Grid(origin: random.nextExtreme(), interval: random.nextExtreme())
      let instant = random.nextExtreme()
      let model = Model(grid)
      let index = model.index(atOrBefore: Int128(instant))
      let context = "\(grid), \(instant)"
      check(grid.beat(after: instant), model.beat(index + 1), context)
      check(grid.beat(atOrBefore: instant), model.beat(index), context)
      let next = model.index(atOrBefore: Int128(instant) - 1) + 1
      check(grid.beat(atOrAfter: instant), model.beat(next), context)
      let end = random.nextExtreme()
      let beats = max(0, model.index(atOrBefore: Int128(end)) - index)
      check(grid.beatCount(after: instant, through: end), Int(clamping: beats), context + " to \(end)")
    }
  }

  private func check<Value: Equatable>(_ value: Value, _ expected: Value, _ context: String) {
    // The macro costs a microsecond each time, so only what differs goes through it.
    if value != expected { #expect(value == expected, "\(context)") }
  }

  @Test("a year of repeats of 61 s ends on the nanosecond")
  func noDrift() {
    let interval: Int64 = 61_000_000_000
    var random = SplitMix64(seed: 2)
    var due: Int64 = 123_456_789
    let year: Int64 = 365 * 86_400_000_000_000
    var beats: Int64 = 0
    while due < year {
      let late = Int64(random.next() % 300_000_000_000)
      let next = MissedBeats.skip.next(after: due, interval: interval, now: due + late)
      beats += 1 + Int64(next.missed)
      due = next.deadline
    }
    #expect(due == 123_456_789 + beats * interval)
  }

  @Test("an interval of zero or less is 0.1 ms", arguments: [0, -1, Int64.min])
  func leastInterval(interval: Int64) {
    #expect(Grid(origin: 0, interval: interval).interval == 100_000)
    #expect(
      MissedBeats.skip.next(after: 0, interval: interval, now: 0) == NextBeat(deadline: 100_000, missed: 0))
  }
}

@Suite("Missed beats")
struct MissedBeatsTests {
  @Test("blocked from 0 to 350 by beats of 100: one late, two missed, the next at 400")
  func skip() {
    #expect(MissedBeats.skip.next(after: 100, interval: 100, now: 350) == NextBeat(deadline: 400, missed: 2))
  }

  @Test("told on time, nothing is missed", arguments: [MissedBeats.skip, .delay, .burst(limit: 3)])
  func onTime(policy: MissedBeats) {
    #expect(
      policy.next(after: 1_000_000, interval: 200_000, now: 1_000_000)
        == NextBeat(deadline: 1_200_000, missed: 0))
  }

  @Test("exactly on the next beat, that one is missed and the one after is next")
  func onTheNextBeat() {
    #expect(MissedBeats.skip.next(after: 100, interval: 100, now: 200) == NextBeat(deadline: 300, missed: 1))
  }

  @Test("delay counts a full interval from the late one")
  func delay() {
    #expect(MissedBeats.delay.next(after: 100, interval: 100, now: 350) == NextBeat(deadline: 450, missed: 2))
  }

  @Test("burst tells the latest beats one after the other and counts the rest")
  func burst() {
    var due: Int64 = 100
    var told: [Int64] = []
    var missed = 0
    for _ in 0..<4 {
      let next = MissedBeats.burst(limit: 3).next(after: due, interval: 100, now: 1_050)
      told.append(due)
      missed += next.missed
      due = next.deadline
    }
    #expect(told == [100, 800, 900, 1_000])
    #expect(missed == 6)
    #expect(due == 1_100)
  }

  @Test("a clock set back tells no beat twice", arguments: [MissedBeats.skip, .burst(limit: 1)])
  func setBack(policy: MissedBeats) {
    #expect(policy.next(after: 1_000, interval: 100, now: -5_000) == NextBeat(deadline: 1_100, missed: 0))
  }

  @Test("results are those of exact arithmetic, at the ends of the range too")
  func exact() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<200_000 {
      let due = random.nextExtreme()
      let interval = random.nextExtreme()
      let now = random.nextExtreme()
      let limit = Int(random.nextExtreme())
      let step = Int128(interval > 0 ? interval : 100_000)
      let seen = Int128(max(due, now))
      let passed = (seen - Int128(due)) / step
      let told = min(passed, Int128(max(limit, 0)))
      let context = "due \(due), interval \(interval), now \(now), limit \(limit)"
      expect(.skip, due, interval, now, Int128(due) + (passed + 1) * step, passed, context)
      expect(.delay, due, interval, now, seen + step, passed, context)
      expect(
        .burst(limit: limit), due, interval, now, Int128(due) + (passed - told + 1) * step, passed - told,
        context)
    }
  }

  private func expect(
    _ policy: MissedBeats, _ due: Int64, _ interval: Int64, _ now: Int64, _ deadline: Int128,
    _ missed: Int128, _ context: String
  ) {
    let next = policy.next(after: due, interval: interval, now: now)
    let expected = NextBeat(deadline: Int64(clamping: deadline), missed: Int(clamping: missed))
    if next != expected { #expect(next == expected, "\(policy), \(context)") }
  }
}
