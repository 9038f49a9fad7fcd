import WakeLoop
import WakeLoopTesting

/// What a random program of timers needs of the world that it plays in: the loop's, or a plain model's.
///
/// Times are whole nanoseconds since the beginning.
protocol TimerWorld: AnyObject {
  /// Called for each beat that is told, with how late it was and how many were missed since the last.
  var onCall: (_ timer: Int, _ late: Int64, _ missed: Int) -> Void { get set }
  var now: Int64 { get }
  /// Adds timer number `count so far`; `interval` nil is a one-shot.
  func add(_ plan: TimerPlan)
  func invalidate(_ timer: Int)
  func setPaused(_ timer: Int, _ isPaused: Bool)
  func block(_ duration: Int64)
  func advance(_ duration: Int64, in mode: Loop.Mode)
}

/// One timer of a random program.
struct TimerPlan {
  var delay: Int64
  var interval: Int64?
  var tolerance: Int64
  var policy: Loop.MissedBeats
  var modes: [Loop.Mode]
}

/// The loop in virtual time.
final class LoopTimerWorld: TimerWorld {
  var onCall: (Int, Int64, Int) -> Void = { _, _, _ in }
  private let virtual = VirtualLoop()
  private let start: Loop.Instant
  private var timers: [Loop.Timer] = []

  init() { start = virtual.now }

  var now: Int64 { virtual.now.nanoseconds - start.nanoseconds }

  func add(_ plan: TimerPlan) {
    let number = timers.count
    let tolerance = Duration.nanoseconds(plan.tolerance)
    let body: (Loop.Pass) -> Void = { [unowned self] pass in
      onCall(number, pass.instant.nanoseconds - pass.due.nanoseconds, pass.missed)
    }
    let timer =
      plan.interval.map { interval in
        virtual.loop.schedule(
          every: .nanoseconds(interval), startingAt: virtual.now + .nanoseconds(plan.delay),
          tolerance: tolerance, missed: plan.policy, in: plan.modes[0], body)
      } ?? virtual.loop.after(.nanoseconds(plan.delay), tolerance: tolerance, in: plan.modes[0], body)
    for mode in plan.modes.dropFirst() { virtual.loop.add(timer, forMode: mode) }
    timers.append(timer)
  }

  func invalidate(_ timer: Int) { timers[timer].invalidate() }
  func setPaused(_ timer: Int, _ isPaused: Bool) { timers[timer].isPaused = isPaused }
  func block(_ duration: Int64) { virtual.block(for: .nanoseconds(duration)) }
  func advance(_ duration: Int64, in mode: Loop.Mode) {
    virtual.advance(by: .nanoseconds(duration), mode: mode)
  }
}

/// The same, by linear search and counting beat by beat.
final class PlainTimerWorld: TimerWorld {
  private struct Entry {
    var plan: TimerPlan
    var deadline: Int64
    var isPaused = false
    var pausedSince = Int64.max
    var untold = 0
    var hasEnded = false

    var tolerance: Int64 { plan.interval.map { min(plan.tolerance, $0 / 2) } ?? plan.tolerance }
  }

  var onCall: (Int, Int64, Int) -> Void = { _, _, _ in }
  private(set) var now: Int64 = 0
  private var timers: [Entry] = []
  private var collected: [Int] = []

  func add(_ plan: TimerPlan) { timers.append(Entry(plan: plan, deadline: now + plan.delay)) }

  func invalidate(_ timer: Int) { timers[timer].hasEnded = true }

  func setPaused(_ timer: Int, _ isPaused: Bool) {
    guard timers[timer].isPaused != isPaused, !timers[timer].hasEnded else { return }
    timers[timer].isPaused = isPaused
    collected.removeAll { $0 == timer }
    guard let interval = timers[timer].plan.interval else { return }
    if isPaused {
      timers[timer].pausedSince = now
    } else {
      let since = timers[timer].pausedSince
      timers[timer].pausedSince = .max
      guard timers[timer].deadline > since else { return }
      while timers[timer].deadline <= now {
        timers[timer].deadline += interval
        timers[timer].untold += 1
      }
    }
  }

  func block(_ duration: Int64) { now += duration }

  func advance(_ duration: Int64, in mode: Loop.Mode) {
    let end = now + duration
    while true {
      var limit = max(end, now)
      while isAlive(in: mode) {
        now = max(now, min(nextWake(in: mode), limit))
        let stamp = now
        pass(in: mode)
        if limit <= stamp { break }
      }
      limit = end
      if now < end {
        now = end
        return
      }
      if now > end || nextWake(in: mode) > now { return }
    }
  }

  private func acts(_ entry: Entry, in mode: Loop.Mode) -> Bool {
    !entry.hasEnded
      && entry.plan.modes.contains {
        $0 == mode || ($0 == .common && (mode == .default || mode == .tracking))
      }
  }

  private func isAlive(in mode: Loop.Mode) -> Bool { timers.contains { acts($0, in: mode) } }

  private func nextWake(in mode: Loop.Mode) -> Int64 {
    timers.filter { acts($0, in: mode) && !$0.isPaused }.map { $0.deadline + $0.tolerance }.min() ?? .max
  }

  private func pass(in mode: Loop.Mode) {
    let stamp = now
    collected = timers.indices.filter {
      acts(timers[$0], in: mode) && !timers[$0].isPaused && timers[$0].deadline <= stamp
    }
    // The sort is stable, and numbers are ages.
    collected.sort { (timers[$0].deadline, $0) < (timers[$1].deadline, $1) }
    while !collected.isEmpty {
      let timer = collected.removeFirst()
      guard !timers[timer].hasEnded else { continue }
      let late = stamp - timers[timer].deadline
      let missed = goOn(timer, stamp)
      onCall(timer, late, missed)
    }
  }

  /// Finds the next beat; returns how many were missed since the last call.
  private func goOn(_ timer: Int, _ stamp: Int64) -> Int {
    guard let interval = timers[timer].plan.interval else {
      timers[timer].hasEnded = true
      return 0
    }
    var passed: [Int64] = []
    var beat = timers[timer].deadline + interval
    while beat <= stamp {
      passed.append(beat)
      beat += interval
    }
    switch timers[timer].plan.policy {
    case .skip: timers[timer].deadline = beat
    case .delay: timers[timer].deadline = stamp + interval
    case .burst(let limit):
      let told = passed.suffix(limit)
      passed.removeLast(told.count)
      timers[timer].deadline = told.first ?? beat
    }
    let missed = timers[timer].untold + passed.count
    timers[timer].untold = 0
    return missed
  }
}
