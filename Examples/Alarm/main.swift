// An alarm clock: every day at nine in Berlin, while summer time begins, the clock is set and the machine sleeps.

import Foundation
import WakeLoop
import WakeLoopTesting

guard let berlin = TimeZone(identifier: "Europe/Berlin") else {
  print("this machine knows no time zones: install tzdata")
  exit(1)
}
var calendar = Calendar(identifier: .gregorian)
calendar.timeZone = berlin

/// A wall time in Berlin and in Greenwich.
@MainActor
func both(_ date: Date) -> String {
  let local = calendar.dateComponents([.month, .day, .hour, .minute, .second], from: date)
  func two(_ number: Int?) -> String {
    let text = String(number ?? 0)
    return text.count < 2 ? "0" + text : text
  }
  let greenwich = Int(date.timeIntervalSince1970) / 3600 % 24
  return "\(two(local.month))-\(two(local.day)) \(two(local.hour)):\(two(local.minute)):\(two(local.second))"
    + " (\(greenwich) o'clock in Greenwich)"
}

// The night from the 28th to the 29th of March 2026 is an hour short.
let evening = calendar.date(from: DateComponents(year: 2026, month: 3, day: 27, hour: 20))!
let virtual = VirtualLoop(wallDate: evening)
let loop = virtual.loop

loop.observeAbsences { print("back: \($0)") }
let nine = DateComponents(hour: 9)
loop.schedule(next: { calendar.nextDate(after: $0, matching: nine, matchingPolicy: .nextTime) }) { pass in
  let missed = pass.missed == 0 ? "" : ", after \(pass.missed) that went unheard"
  print("ring: \(both(pass.date))\(missed)")
}

virtual.advance(by: .seconds(4 * 86_400))

print("the clock is set back by twelve hours, passes nine once more, and is put right")
virtual.stepWallClock(by: .seconds(-12 * 3600))
virtual.advance(by: .seconds(2 * 3600))
virtual.stepWallClock(by: .seconds(12 * 3600))
virtual.advance(by: .seconds(86_400))

print("the machine sleeps for three days")
virtual.sleepMachine(for: .seconds(3 * 86_400))
virtual.advance(by: .seconds(86_400))
