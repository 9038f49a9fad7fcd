// A sale begins at ten o'clock by the shop's clock. Three countdowns wait for it on one phone, whose own clock is
// set back an hour to see whether that helps, and which then sleeps for three minutes.
//
//   naive      the date of the sale minus what the phone's clock shows
//   monotonic  what was left at first, counted down by a timer that no setting moves, but that sleeps too
//   server     the date of the sale minus the server's time, by a ServerClock
//
// It plays in virtual time, so it takes no time at all.

import Foundation
import WakeLoop
import WakeLoopTesting

let shop = Shop()
let sale = Date(timeIntervalSince1970: 1_798_797_600)  // 2027-01-01 10:00 UTC
let phone = Phone(startingAt: sale - 600, clockAheadBy: 40)
let clock = ServerClock(on: phone.loop)
clock.onSample = { clock, _ in
  guard let reading = clock.reading, let error = clock.localError else { return }
  let milliseconds = Int((reading.errorBound / .milliseconds(1)).rounded())
  phone.note("the shop was asked: known to \(milliseconds) ms, the phone is \(offset(error))")
}

// MARK: - What happens

print("   shop's time     naive monotonic    server")
shop.answer(clock, on: phone)
let deadline = phone.loop.wakeInstant + .seconds(sale.timeIntervalSince(phone.virtual.wallDate))

let table = phone.loop.schedule(every: .seconds(60), firesNow: true, clock: .continuous) { pass in
  if pass.missed > 0 { phone.note("the phone was asleep: \(pass.missed) lines were not shown") }
  let naive = sale.timeIntervalSince(pass.date)
  let monotonic = (deadline - pass.instant) / .seconds(1)
  let server = clock.wakeDate.map { sale.timeIntervalSince($0) } ?? .nan
  print(time(phone.trueDate), column(naive), column(monotonic), column(server), separator: "  ")
}
phone.at(120) {
  phone.set(by: .seconds(-3600))
  phone.note("the phone's clock is set back an hour; the server clock noticed: \(clock.wasStepped)")
}
phone.at(245) { phone.virtual.sleepMachine(for: .seconds(180)) }
phone.at(330) { shop.answer(clock, on: phone) }

// When each of the three opens the door.
phone.loop.schedule(at: sale) { _ in phone.note("naive opens") }
phone.loop.schedule(at: deadline) { _ in phone.note("monotonic opens") }
clock.schedule(at: sale) { _ in phone.note("server opens") }

phone.virtual.advance(by: .seconds(630 - 180))
table.invalidate()
phone.virtual.advance(by: .seconds(3600))
