import FoundationEssentials
import LoopCore

/// A date as the wall clock's nanoseconds since 1970, rounded up; `.max` from the distant future on.
struct DatedInstant {
  let nanoseconds: Int64

  /// Converts a date, which must not be NaN; `argument` names it where it is.
  init(_ date: Date, _ argument: String) {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let wall = TimeConversion.wallNanoseconds(fromReferenceSeconds: seconds) else {
      preconditionFailure("\(argument) is not a number: \(seconds)")
    }
    nanoseconds = date >= .distantFuture ? .max : wall
  }
}
