import LoopCore
import Testing

@Suite("What a countdown shows")
struct RemainingUnitsTests {
  @Test("counts and boundaries are those of exact arithmetic, at the ends of the range too")
  func model() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<200_000 {
      let resolution = max(1, random.nextExtreme())
      let units = RemainingUnits(resolution: resolution)
      let (now, end) = (random.nextExtreme(), random.nextExtreme())
      let distance = max(0, Int128(end) - Int128(now))
      let expected = (distance + Int128(resolution) - 1) / Int128(resolution)
      let count = units.count(at: now, until: end)
      if count != Int64(clamping: expected) {
        #expect(count == Int64(clamping: expected), "\(units), \(now) to \(end)")
      }
      guard count > 0, count < .max, end < .max else { continue }
      let boundary = units.boundary(below: count, until: end)
      let isRight =
        units.count(at: boundary, until: end) == count - 1
        && units.count(at: boundary - 1, until: end) == count
      if !isRight { #expect(isRight, "\(units), \(now) to \(end): \(count) at \(boundary)") }
    }
  }

  @Test("a minute has sixty-one values, the first at its start and the last at its end")
  func minute() {
    let second: Int64 = 1_000_000_000
    let units = RemainingUnits(resolution: second)
    let start: Int64 = 123_456_789
    let end = start + 60 * second
    var values = [units.count(at: start, until: end)]
    var instants = [start]
    while let value = values.last, value > 0 {
      let next = units.boundary(below: value, until: end)
      instants.append(next)
      values.append(units.count(at: next, until: end))
    }
    #expect(values == (0...60).reversed())
    #expect(instants == (0...60).map { start + $0 * second })
  }

  @Test("an end that never comes has no boundary")
  func never() {
    let units = RemainingUnits(resolution: 1_000_000_000)
    #expect(units.boundary(below: units.count(at: 0, until: .max), until: .max) == .max)
  }
}
