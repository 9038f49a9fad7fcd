import LoopCore
import Testing

@Suite("Time conversions")
struct TimeConversionTests {
  @Test("seconds round up to nanoseconds")
  func roundUp() {
    #expect(TimeConversion.nanoseconds(fromSeconds: 0) == 0)
    #expect(TimeConversion.nanoseconds(fromSeconds: -0.0) == 0)
    #expect(TimeConversion.nanoseconds(fromSeconds: 1.5) == 1_500_000_000)
    #expect(TimeConversion.nanoseconds(fromSeconds: -1.5) == -1_500_000_000)
    // 0.1 as a Double is a little more than a tenth, 0.3 a little less.
    #expect(TimeConversion.nanoseconds(fromSeconds: 0.1) == 100_000_001)
    #expect(TimeConversion.nanoseconds(fromSeconds: 0.3) == 300_000_000)
    #expect(TimeConversion.nanoseconds(fromSeconds: .leastNonzeroMagnitude) == 1)
    #expect(TimeConversion.nanoseconds(fromSeconds: -.leastNonzeroMagnitude) == 0)
    #expect(TimeConversion.nanoseconds(fromSeconds: 1e-9.nextDown) == 1)
    #expect(TimeConversion.nanoseconds(fromSeconds: 1e-9) == 2)
    #expect(TimeConversion.nanoseconds(fromSeconds: -1e-9) == -1)
  }

  @Test("NaN is refused, everything else that is absurd is clamped")
  func absurd() {
    #expect(TimeConversion.nanoseconds(fromSeconds: .nan) == nil)
    #expect(TimeConversion.nanoseconds(fromSeconds: .signalingNaN) == nil)
    #expect(TimeConversion.wallNanoseconds(fromReferenceSeconds: .nan) == nil)
    for seconds in [Double.infinity, 1e300, .greatestFiniteMagnitude, 9.3e9] {
      #expect(TimeConversion.nanoseconds(fromSeconds: seconds) == .max)
      #expect(TimeConversion.nanoseconds(fromSeconds: -seconds) == .min)
      #expect(TimeConversion.wallNanoseconds(fromReferenceSeconds: seconds) == .max)
    }
    for seconds in [-Double.infinity, -1e300, -63_114_076_800] {
      #expect(TimeConversion.wallNanoseconds(fromReferenceSeconds: seconds) == .min)
    }
    #expect(TimeConversion.wallNanoseconds(fromReferenceSeconds: 63_113_904_000) == .max)
    #expect(TimeConversion.nanoseconds(fromSeconds: .max, attoseconds: 0) == .max)
    #expect(TimeConversion.nanoseconds(fromSeconds: .min, attoseconds: 0) == .min)
    #expect(TimeConversion.nanoseconds(fromSeconds: .max, attoseconds: .max) == .max)
    #expect(TimeConversion.nanoseconds(fromSeconds: .min, attoseconds: .min) == .min)
  }

  @Test("a duration's components round up")
  func components() {
    #expect(TimeConversion.nanoseconds(fromSeconds: 2, attoseconds: 1) == 2_000_000_001)
    #expect(TimeConversion.nanoseconds(fromSeconds: 2, attoseconds: 1_000_000_000) == 2_000_000_001)
    #expect(TimeConversion.nanoseconds(fromSeconds: 0, attoseconds: -1) == 0)
    #expect(TimeConversion.nanoseconds(fromSeconds: -2, attoseconds: -1_999_999_999) == -2_000_000_001)
    var random = SplitMix64(seed: 4)
    for _ in 0..<200_000 {
      let seconds = random.nextExtreme()
      let attoseconds = random.nextExtreme()
      let exact = Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
      let (quotient, remainder) = exact.quotientAndRemainder(dividingBy: 1_000_000_000)
      let expected = Int64(clamping: remainder > 0 ? quotient + 1 : quotient)
      let result = TimeConversion.nanoseconds(fromSeconds: seconds, attoseconds: attoseconds)
      if result != expected { #expect(result == expected, "\(seconds) s \(attoseconds) as") }
    }
  }

  @Test("nanoseconds of random seconds are the least whole number not below them", arguments: 0..<4)
  func leastNotBelow(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150_000 {
      let seconds = random.nextSeconds()
      let expected = ExactSeconds(seconds).nanosecondsRoundedUp(since: 0)
      let result = TimeConversion.nanoseconds(fromSeconds: seconds)
      if result != expected { #expect(result == expected, "\(seconds)") }
      let expectedWall = ExactSeconds(seconds).nanosecondsRoundedUp(since: 978_307_200)
      let wall = TimeConversion.wallNanoseconds(fromReferenceSeconds: seconds)
      if wall != expectedWall { #expect(wall == expectedWall, "\(seconds)") }
    }
  }

  @Test("a date whose nanoseconds the wall clock has reached is not after the date read", arguments: 0..<8)
  func neverEarly(seed: UInt64) {
    var random = SplitMix64(seed: 100 + seed)
    for _ in 0..<250_000 {
      let date = random.nextSeconds()
      guard let wall = TimeConversion.wallNanoseconds(fromReferenceSeconds: date), wall != .max else {
        continue
      }
      let late = random.next() % 2 == 0 ? 0 : Int64(random.next() % 3)
      let reading = referenceSeconds(atWall: wall.addingReportingOverflow(late).partialValue)
      if wall != .min, reading < date { #expect(reading >= date, "\(date), \(wall) + \(late)") }
      // Nor does the reading run ahead by more than rounding may.
      let tooFar = reading - date > 4e-9 + 4 * date.magnitude.ulp
      if wall != .min, tooFar { #expect(!tooFar, "\(date) read as \(reading)") }
    }
  }

  @Test("later readings of the wall clock are never earlier dates")
  func monotonic() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200_000 {
      let wall = Int64(bitPattern: random.next()) >> Int64(random.next() % 40)
      let (next, overflow) = wall.addingReportingOverflow(Int64(random.next() % 1_000))
      guard !overflow else { continue }
      let first = referenceSeconds(atWall: wall)
      let second = referenceSeconds(atWall: next)
      if second < first { #expect(second >= first, "\(wall), \(next)") }
    }
  }

  @Test("a wall clock at the ends of its range gives a date")
  func wallExtremes() {
    for seconds in [Int64.min, .min + 1, -1, 0, 978_307_199, 978_307_200, .max] {
      let date = TimeConversion.referenceSeconds(fromWallSeconds: seconds, wallNanoseconds: 999_999_999)
      #expect(date.isFinite)
    }
    #expect(TimeConversion.referenceSeconds(fromWallSeconds: 978_307_200, wallNanoseconds: 0) == 0)
  }

  private func referenceSeconds(atWall wall: Int64) -> Double {
    let (quotient, remainder) = wall.quotientAndRemainder(dividingBy: 1_000_000_000)
    let isBefore = remainder < 0
    return TimeConversion.referenceSeconds(
      fromWallSeconds: isBefore ? quotient - 1 : quotient,
      wallNanoseconds: isBefore ? remainder + 1_000_000_000 : remainder)
  }
}
