import Foundation

/// The time of day in Greenwich, to tenths of a second.
func time(_ date: Date) -> String {
  let tenths = Int((date.timeIntervalSince1970 * 10).rounded(.down)) % 864_000
  let seconds = tenths / 10
  return
    "\(twoDigits(seconds / 3600)):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60)).\(tenths % 10)"
}

/// What is left, as "09:59", or "open".
///
/// A second that has begun counts, so that nothing shows 0 before it is time.
func left(_ seconds: Double) -> String {
  if seconds <= 0 { return "open" }
  let whole = Int(seconds.rounded(.up))
  let minutes = "\(twoDigits(whole / 60 % 60)):\(twoDigits(whole % 60))"
  return whole < 3600 ? minutes : "\(whole / 3600):\(minutes)"
}

/// The same at the right edge of a column.
func column(_ seconds: Double) -> String {
  let text = left(seconds)
  return String(repeating: " ", count: max(0, 8 - text.count)) + text
}

/// By how much a clock is wrong, to tenths of a second.
func offset(_ ahead: Duration) -> String {
  let tenths = Int((ahead / .milliseconds(100)).rounded())
  return "\(abs(tenths) / 10).\(abs(tenths) % 10) s \(tenths < 0 ? "behind" : "ahead")"
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
