import FoundationEssentials
import LoopCore

/// Where the dates of an alarm come from that rings at no fixed interval: a closure that knows the next one.
final class DateRule {
  private let next: (Date) -> Date?
  /// The wall time at which it rang last, nil before the first time.
  private var lastTold: Date?
  /// Whether the closure has said that there is no further date.
  private(set) var isOver = false
  /// What the timer's deadline was set to by its last date, in nanoseconds of the wall clock.
  var deadline: Int64 = .max
  /// Called once when the alarm ends.
  var onEnd: (() -> Void)?

  /// Beyond so many dates missed in one go it stops counting them one by one.
  private static let mostCounted = 10_000

  init(_ next: @escaping (Date) -> Date?) { self.next = next }

  /// The first date after a given one; nil if there is none.
  func date(after date: Date) -> Date? {
    guard let following = next(date) else {
      isOver = true
      return nil
    }
    precondition(
      following > date,
      "the next date of an alarm after \(date.timeIntervalSinceReferenceDate) s since 2001 was given as "
        + "\(following.timeIntervalSinceReferenceDate), which is not after it")
    return following
  }

  /// The first date after the wall's now, and how many have passed since `due`, which is being told.
  func advance(from due: Date, now: Date) -> (date: Date?, missed: Int) {
    lastTold = max(due, now)
    var missed = 0
    var following = date(after: due)
    while let passed = following, passed <= now {
      missed += 1
      following = date(after: missed < Self.mostCounted ? passed : now)
    }
    return (following, missed)
  }

  /// The first date that is still to be told, by a wall clock that was set.
  func date(bySetClock now: Date) -> Date? { date(after: lastTold.map { max($0, now) } ?? now) }

  func end() {
    let end = onEnd
    onEnd = nil
    end?()
  }
}

extension Loop.Timer {
  /// Moves on to the next beat and tells how many have passed.
  func advance(_ repetition: Repetition, by policy: LoopCore.MissedBeats, now: Int64) -> Int {
    guard let rule = repetition.rule else {
      let next = policy.next(after: deadline, interval: repetition.interval, now: now)
      advance(to: next.deadline, repetition)
      return next.missed
    }
    let due = spelledFireDate.map { Date(timeIntervalSinceReferenceDate: $0) }
    let next = rule.advance(
      from: due ?? Loop.Clocks.date(ofWall: deadline), now: Loop.Clocks.date(ofWall: now))
    move(to: next.date)
    return next.missed
  }

  /// Takes a date of its rule, nil for none any more.
  func move(to date: Date?) {
    guard let date else {
      deadline = .max
      return
    }
    deadline = DatedInstant(date, "the next date of an alarm").nanoseconds
    repetition?.rule?.deadline = deadline
    spell(date.timeIntervalSinceReferenceDate)
  }

  /// Asks its rule again after the wall clock has been set; a date that has passed thereby is due.
  func clockWasSet(now: Int64) {
    // A date that was set by hand stays.
    guard let rule = repetition?.rule, deadline > now, deadline == rule.deadline else { return }
    guard let date = rule.date(bySetClock: Loop.Clocks.date(ofWall: now)) else {
      endNow()
      return
    }
    move(to: date)
    requeue()
  }
}
