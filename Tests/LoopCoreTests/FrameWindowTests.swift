import LoopCore
import Testing

@Suite("Frame statistics")
struct FrameWindowTests {
  @Test("rate, quantiles and hitches are those of a plain list of the frames in the window")
  func againstList() {
    struct Sample { var timestamp, lateness, hitch: Int64, anew: Bool }
    var random = SplitMix64(seed: 52)
    for _ in 0..<60 {
      let capacity = Int(random.next() % 40) + 2
      let length = Int64(random.next() % 2_000_000_000) + 1
      var window = FrameWindow(length: length, capacity: capacity)
      var all: [Sample] = []
      var now: Int64 = 1_000
      for _ in 0..<120 {
        now += Int64(random.next() % 60_000_000) + 1
        let sample = Sample(
          timestamp: now, lateness: Int64(random.next() % 1_000_000),
          hitch: random.next() % 5 == 0 ? Int64(random.next() % 30_000_000) : 0, anew: random.next() % 9 == 0)
        all.append(sample)
        window.add(
          timestamp: now, lateness: sample.lateness, hitch: sample.hitch, startsAnew: sample.anew)
        let kept = Array(all.filter { $0.timestamp >= now - length }.suffix(capacity))
        #expect(window.count == kept.count)
        let intervals = zip(kept, kept.dropFirst()).filter { !$1.anew }.map { $1.timestamp - $0.timestamp }
        let sum = intervals.reduce(0, +)
        let rate = sum > 0 ? Double(intervals.count) * 1e9 / Double(sum) : 0
        #expect(abs(window.framesPerSecond - rate) < 1e-6)
        #expect(window.hitches == kept.filter { $0.hitch > 0 }.count)
        for share in [0.5, 0.95, 0.99] {
          let least = intervals.sorted().first { value in
            Double(intervals.filter { $0 <= value }.count) >= share * Double(intervals.count)
          }
          #expect(window.intervals(atQuantiles: [share]) == [least ?? 0])
        }
        let late = kept.map(\.lateness).sorted()
        #expect(window.lateness(atQuantiles: [0, 1]) == [late.first ?? 0, late.last ?? 0])
      }
    }
  }

  @Test("a display of variable rate is told by its timestamps")
  func variableRate() {
    var window = FrameWindow(length: 10_000_000_000, capacity: 100)
    var now: Int64 = 0
    for interval in [8, 16, 8, 24, 8, 16] as [Int64] {
      window.add(timestamp: now, lateness: 0, hitch: 0, startsAnew: false)
      now += interval * 1_000_000
    }
    window.add(timestamp: now, lateness: 0, hitch: 0, startsAnew: false)
    #expect(abs(window.framesPerSecond - 75) < 1e-9)
  }
}
