/// A day of the calendar and a time of day, in UTC.
struct CivilDate: Equatable {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  /// 60 in a leap second, which counts as the second after it.
  var second: Int

  /// Whether the calendar has such a moment.
  var isValid: Bool {
    (1...12).contains(month) && (1...daysInMonth).contains(day) && (0...23).contains(hour)
      && (0...59).contains(minute) && (0...60).contains(second) && (1...9999).contains(year)
  }

  private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private var daysInMonth: Int {
    switch month {
    case 2: isLeapYear ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Seconds since 1970.
  var unixSeconds: Int64 {
    // Years are counted from March, so that the leap day is their last; years before 1 don't come.
    let years = month > 2 ? year : year - 1
    let monthsSinceMarch = (month + 9) % 12
    let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
    let daysTo1970 = 719_468
    let days = years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - daysTo1970
    return Int64(days * 86_400 + hour * 3_600 + minute * 60 + second)
  }
}
