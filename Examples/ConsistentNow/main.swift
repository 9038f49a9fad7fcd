// Two views show one offer until its date of hiding. Do they agree on whether it is time?
//
// With `Date()` each view asks anew, so the date may pass between the two questions. With `Date.wake`
// both are told the date at which the pass began, however long the first of them works.

import Foundation
import WakeLoop
import WakeLoopTesting

hideDateInManyPasses()
acrossMidnight()

/// Draws both views in 50 passes, with a date of hiding that passes while the first view works.
@MainActor
func hideDateInManyPasses() {
  let loop = Loop.main
  let passes = 50
  // One start for both, so that they are due in the same passes.
  let start = loop.wakeInstant + .milliseconds(5)
  var hideDate = Date.distantFuture
  var header = Answers()
  var disagreements = (naive: 0, wake: 0)
  var drawn = 0

  func isShown() -> Answers {
    Answers(naive: Date() < hideDate, wake: .wake < hideDate)
  }

  loop.schedule(every: .milliseconds(5), startingAt: start) { pass in
    hideDate = pass.date.addingTimeInterval(0.002)
    header = isShown()
    // The first view has much to lay out.
    work(until: hideDate)
  }
  loop.schedule(every: .milliseconds(5), startingAt: start) { pass in
    let list = isShown()
    if list.naive != header.naive { disagreements.naive += 1 }
    if list.wake != header.wake { disagreements.wake += 1 }
    drawn += 1
    if drawn == passes { pass.timer.invalidate(); loop.stop() }
  }
  loop.run()

  print("An offer is hidden at a date; two views are drawn in each of \(passes) passes.")
  print("  asking Date():     the views disagree in \(disagreements.naive) passes")
  print("  asking Date.wake:  the views disagree in \(disagreements.wake) passes")
}

/// What a view decides with each of the two ways to ask for the date.
struct Answers {
  var naive = true
  var wake = true
}

/// Keeps the thread busy until the wall clock has passed `date`.
func work(until date: Date) {
  while Date() <= date {}
}

/// Draws two views in one pass that begins a tenth of a second before midnight and takes longer.
///
/// Virtual time puts us there at once: its wall clock is what `Date()` would have said.
func acrossMidnight() {
  let midnight = Date(timeIntervalSince1970: 1_772_323_200)  // 2026-03-01 00:00 UTC
  let virtual = VirtualLoop(wallDate: midnight.addingTimeInterval(-1))
  var lines: [String] = []

  virtual.loop.after(.milliseconds(900)) { _ in
    lines.append("title: naive \(day(of: virtual.wallDate)), wake \(day(of: .wake))")
    virtual.block(for: .milliseconds(200))
  }
  virtual.loop.after(.milliseconds(900)) { _ in
    lines.append("table: naive \(day(of: virtual.wallDate)), wake \(day(of: .wake))")
  }
  virtual.advance(by: .seconds(2))

  print("A page is drawn from 23:59:59.9 to 00:00:00.1; which day does it show?")
  for line in lines { print("  \(line)") }
}

/// The day of `date` in Greenwich, as year-month-day.
func day(of date: Date) -> String {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = .gmt
  let parts = calendar.dateComponents([.year, .month, .day], from: date)
  func twoDigits(_ number: Int?) -> String {
    let text = String(number ?? 0)
    return text.count < 2 ? "0" + text : text
  }
  return "\(parts.year ?? 0)-\(twoDigits(parts.month))-\(twoDigits(parts.day))"
}
