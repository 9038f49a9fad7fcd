import LoopCore
import Testing

@Suite("The rates that divide a display's")
struct FrameRatePreferenceTests {
  /// Every rate that is offered, looked at one by one.
  static func model(_ wish: FrameRatePreference, _ display: Double) -> Int64 {
    let offered = (1...300).map { Int64($0) }
    func distance(_ divisor: Int64) -> Double {
      abs(display / Double(divisor) - min(wish.preferred, display))
    }
    let within = offered.filter {
      let rate = display / Double($0)
      return rate >= wish.minimum * 0.99 && rate <= wish.maximum * 1.01
    }
    let candidates = within.isEmpty ? offered : within
    return candidates.min { (distance($0), $0) < (distance($1), $1) } ?? 1
  }

  @Test("the rate is the nearest within the limits, the higher of two equally near")
  func nearest() {
    var random = SplitMix64(seed: 50)
    for _ in 0..<500 {
      let display = [60, 59.94, 120, 144, 240, 75][Int(random.next() % 6)]
      let numbers = (0..<3).map { _ in Double(random.next() % 260) }.sorted()
      let wish = FrameRatePreference(minimum: numbers[0], maximum: numbers[2], preferred: numbers[1])
      let divisor = wish.divisor(displayRate: display)
      // The faster of two at the very same distance may be decided by the last bit.
      let other = Self.model(wish, display)
      let distances = [divisor, other].map { abs(display / Double($0) - min(wish.preferred, display)) }
      #expect(divisor == other || abs(distances[0] - distances[1]) < 1e-9, "\(wish) on \(display)")
    }
  }

  @Test(
    "preferred rates at 60 Hz",
    arguments: [
      (60, 1), (59, 1), (46, 1), (45, 1), (44, 2), (30, 2), (26, 2), (25, 2), (24, 3), (20, 3), (15, 4),
      (1, 60),
      (0, 1), (-5, 1), (.nan, 1), (.infinity, 1), (1e30, 1), (-.infinity, 1),
    ] as [(Double, Int64)])
  func preferred(rate: Double, divisor: Int64) {
    #expect(FrameRatePreference(preferred: rate).divisor(displayRate: 60) == divisor)
  }

  @Test("limits hold, also against the preferred rate, and where no rate fits the nearest is taken")
  func limits() {
    #expect(FrameRatePreference(minimum: 10, maximum: 25, preferred: 60).divisor(displayRate: 60) == 3)
    #expect(FrameRatePreference(minimum: 25, maximum: 40, preferred: 25).divisor(displayRate: 60) == 2)
    #expect(FrameRatePreference(minimum: 22, maximum: 28, preferred: 24).divisor(displayRate: 60) == 3)
    #expect(FrameRatePreference(minimum: 80, maximum: 120, preferred: 100).divisor(displayRate: 60) == 1)
    #expect(FrameRatePreference(minimum: 60, maximum: 60, preferred: 60).divisor(displayRate: 59.94) == 1)
    #expect(FrameRatePreference(minimum: 50, maximum: 20, preferred: 30).divisor(displayRate: 100) == 2)
  }
}
