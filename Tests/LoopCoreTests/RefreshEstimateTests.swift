import LoopCore
import Testing

@Suite("Refreshes that are told")
struct RefreshEstimateTests {
  @Test("whatever is told, refreshes and their instants rise strictly, half an interval apart at least")
  func anyNonsense() {
    var random = SplitMix64(seed: 53)
    for _ in 0..<60 {
      var now = Int64(random.next() % 1_000_000_000_000)
      var estimate = RefreshEstimate(now: now, interval: random.nextExtreme())
      for _ in 0..<200 {
        now += Int64(random.next() % (random.next() % 20 == 0 ? 5_000_000_000 : 30_000_000))
        let before = estimate
        let told = random.next() % 2 == 0 ? now - Int64(random.next() % 20_000_000) : random.nextExtreme()
        let refresh = random.next() % 2 == 0 ? random.nextExtreme() : 16_666_667
        let outcome = estimate.tick(
          at: told, refreshInterval: refresh, now: now, isConsecutive: random.next() % 2 == 0)
        #expect(RefreshEstimate.soundIntervals.contains(estimate.interval))
        if estimate.refresh != before.refresh {
          #expect(estimate.refresh > before.refresh)
          #expect(estimate.instant - before.instant >= estimate.interval / 2)
        } else {
          #expect(estimate.instant >= before.instant)
          #expect(outcome != .refreshed)
        }
        // Never further ahead than a single refresh.
        let ahead = max(estimate.interval, before.interval)
        #expect(estimate.instant <= max(now.addingSaturated(ahead), before.instant))
        if random.next() % 3 == 0 { estimate.moveOn(to: now) }
      }
    }
  }

  @Test(
    "a wrong advertised interval is found out within a few ticks",
    arguments: [(16_666_667, 6_944_444), (6_944_444, 16_666_667), (8_333_333, 16_666_667), (1, 41_708_333)]
      as [(Int64, Int64)])
  func wrongInterval(advertised: Int64, actual: Int64) {
    var random = SplitMix64(seed: 54)
    var now: Int64 = 5_000_000_000
    var estimate = RefreshEstimate(now: now, interval: advertised)
    for _ in 0..<12 {
      now += actual
      let jitter = Int64(random.next() % 200_000)
      _ = estimate.tick(at: now, refreshInterval: advertised, now: now + jitter, isConsecutive: true)
      estimate.moveOn(to: now + jitter)
    }
    #expect(abs(estimate.interval - actual) < actual / 100)
  }

  @Test("after a burst of nonsense the row is in phase again with the next sound ticks")
  func recovers() {
    let actual: Int64 = 16_666_667
    var now: Int64 = 9_000_000_000
    var estimate = RefreshEstimate(now: now, interval: actual)
    func sound() {
      now += actual
      _ = estimate.tick(at: now, refreshInterval: actual, now: now + 50_000, isConsecutive: true)
    }
    for _ in 0..<20 { sound() }
    for told in [0, now, now, now + 3_600_000_000_000, now - 500_000_000, .max, .min, -1] as [Int64] {
      _ = estimate.tick(at: told, refreshInterval: 0, now: now + 60_000, isConsecutive: true)
    }
    for _ in 0..<3 { sound() }
    #expect(estimate.instant == now)
    #expect(estimate.refresh(atOrBefore: now + 60_000) == estimate.refresh)
    #expect(abs(estimate.interval - actual) < actual / 50)
  }
}
