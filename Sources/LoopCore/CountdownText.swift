/// The texts of a countdown, made from integers alone: no locale, no formatter.
///
/// ```
/// seconds    59 s      3605 s        0.7 s
/// clock      00:59     1:00:05       00:00.7
/// days       00:00:59  2 d 03:04:05  00:00:00.7
/// ```
package enum CountdownText: Sendable, Equatable {
  /// Seconds alone.
  case seconds
  /// Minutes and seconds, and hours from the first hour on.
  case clock
  /// Hours, minutes and seconds, and days from the first day on.
  case days

  /// The text of a time in nanoseconds, rounded up to `digits` decimal places of a second, 0 to 9; negative is 0.
  ///
  /// Rounded up for the same reason as a countdown's value: nothing reads as over before it is.
  package func text(ofNanoseconds nanoseconds: Int64, digits: Int = 0) -> String {
    precondition((0...9).contains(digits), "a second is shown with 0 to 9 digits, not with \(digits)")
    var unit: Int64 = 1_000_000_000
    for _ in 0..<digits { unit /= 10 }
    let unitsPerSecond = 1_000_000_000 / unit
    let nanoseconds = max(0, nanoseconds)
    let units = nanoseconds / unit + (nanoseconds % unit == 0 ? 0 : 1)
    let seconds = units / unitsPerSecond
    var text = Self.whole(seconds, as: self)
    if digits > 0 {
      text += "."
      text += Self.padded(units % unitsPerSecond, width: digits)
    }
    if self == .seconds { text += " s" }
    return text
  }

  private static func whole(_ seconds: Int64, as form: CountdownText) -> String {
    let minutes = seconds / 60
    switch form {
    case .seconds:
      return String(seconds)
    case .clock:
      let low = "\(padded(minutes % 60)):\(padded(seconds % 60))"
      return minutes < 60 ? low : "\(minutes / 60):\(low)"
    case .days:
      let hours = minutes / 60
      let low = "\(padded(hours % 24)):\(padded(minutes % 60)):\(padded(seconds % 60))"
      return hours < 24 ? low : "\(hours / 24) d \(low)"
    }
  }

  private static func padded(_ value: Int64, width: Int = 2) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
