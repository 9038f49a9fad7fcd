import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

/// One hour of a machine whose clock is set, drifts and sleeps, and whose handlers stall, with a timer on each clock.
private final class MeddledHour {
  private(set) var faults: [String] = []
  private(set) var calls = 0
  private let virtual = VirtualLoop()
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  func play() {
    let end = virtual.now + .seconds(3600)
    watchBeats(on: .suspending)
    watchBeats(on: .continuous)
    watchDates()
    for _ in 0..<Int.random(in: 1...12, using: &random) { meddle(before: end) }
    // A machine's sleep takes none of this clock's time.
    virtual.advance(to: end)
  }

  private func fail(_ words: String) { if faults.count < 3 { faults.append(words) } }

  private func reading(_ clock: Loop.TimerClock) -> Duration {
    clock == .suspending ? virtual.loop.clocks.uptime : virtual.loop.clocks.continuousTime
  }

  /// A beat is never early on its clock, and each is called or counted as missed.
  private func watchBeats(on clock: Loop.TimerClock) {
    let interval = Duration.milliseconds(Int64.random(in: 500...90_000, using: &random))
    let start = reading(clock)
    var beats = 0
    virtual.loop.schedule(every: interval, clock: clock) { [unowned self] pass in
      calls += 1
      beats += 1 + pass.missed
      let elapsed = reading(clock) - start
      // Neither before its point of the grid nor after the next: a missed one would have been counted.
      if elapsed < interval * beats { fail("\(clock): beat \(beats) of \(interval) came after \(elapsed)") }
      if pass.late < .zero { fail("\(clock): late by \(pass.late)") }
      // Where nothing has stalled between the stamp and this call.
      if virtual.now == pass.instant && elapsed >= interval * (beats + 1) {
        fail("\(clock): beat \(beats + 1) of \(interval) was lost after \(elapsed)")
      }
      stallSometimes()
    }
  }

  /// Dates on the wall come not before the wall is there, and none twice.
  private func watchDates() {
    let base = Date(
      timeIntervalSinceReferenceDate: virtual.wallDate.timeIntervalSinceReferenceDate.rounded(.down))
    let spacing = Double(Int.random(in: 20...900, using: &random))
    var told = -Double.infinity
    virtual.loop.schedule(next: { after in
      let passed = (after.timeIntervalSince(base) / spacing).rounded(.down)
      return base.addingTimeInterval((passed + 1) * spacing)
    }) { [unowned self] pass in
      calls += 1
      let number = (pass.date.timeIntervalSince(base) / spacing + 1e-6).rounded(.down)
      if number <= told { fail("the date \(number) was told after \(told)") }
      told = number
      stallSometimes()
    }
  }

  private func stallSometimes() {
    if Int.random(in: 0..<10, using: &random) == 0 {
      virtual.block(for: .milliseconds(Int64.random(in: 1...200_000, using: &random)))
    }
  }

  private func meddle(before end: Loop.Instant) {
    let instant = virtual.now + .milliseconds(Int64.random(in: 0..<3_600_000, using: &random))
    let sign: Int64 = Bool.random(using: &random) ? 1 : -1
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      virtual.stepWallClock(by: .seconds(sign * Int64.random(in: 1...3_600, using: &random)), at: instant)
    case 1:
      virtual.stepWallClock(
        by: .seconds(sign * Int64.random(in: 1...315_360_000, using: &random)), at: instant)
    case 2: virtual.sleepMachine(for: .seconds(Int64.random(in: 1...86_400, using: &random)), at: instant)
    default: virtual.setWallDrift(partsPerMillion: Double.random(in: -500...500, using: &random), at: instant)
    }
  }
}

@Suite("A clock that is meddled with")
struct MeddledClockTests {
  @Test(
    "in 500 random hours of steps up to ten years, sleep, drift and stalls no timer is early on its clock, loses a beat or is told a date twice"
  )
  func timers() {
    var calls = 0
    for seed in 0..<500 as Range<UInt64> {
      let hour = MeddledHour(seed: seed)
      hour.play()
      calls += hour.calls
      if !hour.faults.isEmpty {
        Issue.record("seed \(seed): \(hour.faults)")
        return
      }
    }
    #expect(calls > 50_000)
  }
}
