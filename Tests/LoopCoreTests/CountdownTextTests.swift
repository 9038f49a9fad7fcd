import LoopCore
import Testing

@Suite("Texts of a countdown")
struct CountdownTextTests {
  private static let second: Int64 = 1_000_000_000

  struct Case: CustomTestStringConvertible {
    var form: CountdownText
    var seconds: Int64
    var text: String

    init(_ form: CountdownText, _ seconds: Int64, _ text: String) {
      self.form = form
      self.seconds = seconds
      self.text = text
    }

    var testDescription: String { text }
  }

  static let cases: [Case] = [
    Case(.seconds, 59, "59 s"),
    Case(.seconds, 3605, "3605 s"),
    Case(.seconds, 0, "0 s"),
    Case(.clock, 65, "01:05"),
    Case(.clock, 0, "00:00"),
    Case(.clock, 3605, "1:00:05"),
    Case(.clock, 359_999, "99:59:59"),
    Case(.days, 59, "00:00:59"),
    Case(.days, 183_845, "2 d 03:04:05"),
  ]

  @Test("each form writes its units as a person would", arguments: cases)
  func forms(each: Case) {
    #expect(each.form.text(ofNanoseconds: each.seconds * Self.second) == each.text)
  }

  @Test("fractions are rounded up, into the next second where they have to")
  func fractions() {
    #expect(CountdownText.seconds.text(ofNanoseconds: 700_000_000, digits: 1) == "0.7 s")
    #expect(CountdownText.seconds.text(ofNanoseconds: 700_000_001, digits: 1) == "0.8 s")
    #expect(CountdownText.clock.text(ofNanoseconds: 59_999_000_000, digits: 2) == "01:00.00")
    #expect(CountdownText.clock.text(ofNanoseconds: 65_070_000_000, digits: 2) == "01:05.07")
    #expect(CountdownText.days.text(ofNanoseconds: 1) == "00:00:01")
  }

  @Test("what is over or never ends has a text too")
  func extremes() {
    #expect(CountdownText.clock.text(ofNanoseconds: .min) == "00:00")
    #expect(CountdownText.days.text(ofNanoseconds: .max) == "106751 d 23:47:17")
    #expect(CountdownText.seconds.text(ofNanoseconds: .max, digits: 9) == "9223372036.854775807 s")
  }

  @Test("the text of less is never the text of more")
  func monotone() {
    var random = SplitMix64(seed: 13)
    for _ in 0..<20_000 {
      let less = Int64(random.next() % 400_000_000_000_000)
      let more = less + Int64(random.next() % 3_000_000_000)
      let (a, b) = (
        CountdownText.days.text(ofNanoseconds: less), CountdownText.days.text(ofNanoseconds: more)
      )
      let isOrdered = (a.utf8.count, a) <= (b.utf8.count, b)
      if !isOrdered { #expect(isOrdered, "\(a) for \(less), \(b) for \(more)") }
    }
  }
}
