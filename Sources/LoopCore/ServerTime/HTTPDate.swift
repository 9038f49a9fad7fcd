/// The dates of HTTP headers, in the three spellings that a client has to understand.
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let longDays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// Seconds since 1970; nil if it is no date.
  ///
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, or as in the past `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`. Two digits of a year stand for 1970 to 2069.
  package static func unixSeconds(_ text: some StringProtocol) -> Int64? {
    let words = text.split(separator: " ")
    let date: CivilDate?
    switch words.count {
    case 6 where words[5] == "GMT" && words[0].last == "," && days.contains(String(words[0].dropLast())):
      date = civil(
        year: digits(words[3], 4), month: words[2], day: digits(words[1], 2), time: words[4])
    case 4 where words[3] == "GMT" && words[0].last == "," && longDays.contains(String(words[0].dropLast())):
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let year = digits(parts[2], 2) else { return nil }
      date = civil(
        year: year < 70 ? 2000 + year : 1900 + year, month: parts[1], day: digits(parts[0], 2), time: words[2]
      )
    case 5 where days.contains(String(words[0])):
      date = civil(
        year: digits(words[4], 4), month: words[1], day: digits(words[2], words[2].utf8.count), time: words[3]
      )
    default:
      date = nil
    }
    guard let date, date.isValid else { return nil }
    return date.unixSeconds
  }

  private static func civil(
    year: Int?, month: some StringProtocol, day: Int?, time: some StringProtocol
  ) -> CivilDate? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false)
    guard
      let year, let day, let month = months.firstIndex(of: String(month)), parts.count == 3,
      let hour = digits(parts[0], 2), let minute = digits(parts[1], 2), let second = digits(parts[2], 2)
    else { return nil }
    return CivilDate(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
  }

  /// The number written in exactly so many digits.
  private static func digits(_ text: some StringProtocol, _ count: Int) -> Int? {
    guard text.utf8.count == count, count > 0, count < 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}
