import WakeLoop
import WakeLoopTesting

/// What a random program of timers that come and go in modes needs of the world that it plays in.
///
/// Times are whole nanoseconds since the beginning.
protocol TimerModesWorld: AnyObject {
  /// Called for each call of a handler, with how late it was and how many beats were missed since the last.
  var onCall: (_ timer: Int, _ late: Int64, _ missed: Int) -> Void { get set }
  var now: Int64 { get }
  func add(_ plan: TimerPlan)
  func join(_ timer: Int, _ mode: Loop.Mode)
  func leave(_ timer: Int, _ mode: Loop.Mode)
  func fire(_ timer: Int)
  func invalidate(_ timer: Int)
  func setPaused(_ timer: Int, _ isPaused: Bool)
  func block(_ duration: Int64)
  func run(_ mode: Loop.Mode, _ duration: Int64) -> Loop.RunResult
}

/// The loop in virtual time.
final class LoopTimerModesWorld: TimerModesWorld {
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
    timers.append(
      plan.interval.map { interval in
        virtual.loop.schedule(
          every: .nanoseconds(interval), startingAt: virtual.now + .nanoseconds(plan.delay),
          tolerance: tolerance, missed: plan.policy, in: plan.modes[0], body)
      } ?? virtual.loop.after(.nanoseconds(plan.delay), tolerance: tolerance, in: plan.modes[0], body))
    for mode in plan.modes.dropFirst() { join(number, mode) }
  }

  func join(_ timer: Int, _ mode: Loop.Mode) { virtual.loop.add(timers[timer], forMode: mode) }
  func leave(_ timer: Int, _ mode: Loop.Mode) { virtual.loop.remove(timers[timer], forMode: mode) }
  func fire(_ timer: Int) { timers[timer].fire() }
  func invalidate(_ timer: Int) { timers[timer].invalidate() }
  func setPaused(_ timer: Int, _ isPaused: Bool) { timers[timer].isPaused = isPaused }
  func block(_ duration: Int64) { virtual.block(for: .nanoseconds(duration)) }
  func run(_ mode: Loop.Mode, _ duration: Int64) -> Loop.RunResult {
    virtual.loop.run(mode: mode, for: .nanoseconds(duration))
  }
}

/// The same, by linear search and counting beat by beat, without queues, serials or slots.
final class PlainTimerModesWorld: TimerModesWorld {
  private enum Calling { case not, byPass, byHand }

  private struct Entry {
    var plan: TimerPlan
    var deadline: Int64
    var age: Int
    var isPaused = false
    var pausedSince = Int64.max
    var untold = 0
    var hasEnded = false
    var calling = Calling.not

    var tolerance: Int64 { plan.interval.map { min(plan.tolerance, $0 / 2) } ?? plan.tolerance }

    func acts(in mode: Loop.Mode) -> Bool {
      !hasEnded
        && plan.modes.contains { $0 == mode || ($0 == .common && (mode == .default || mode == .tracking)) }
    }

    /// Whether a pass could find it due.
    var waits: Bool { !isPaused && calling != .byPass }
  }

  var onCall: (Int, Int64, Int) -> Void = { _, _, _ in }
  private(set) var now: Int64 = 0
  private var timers: [Entry] = []
  private var lastAge = 0
  /// What each run on the stack has collected and not served.
  private var collected: [[Int]] = []

  func add(_ plan: TimerPlan) {
    lastAge += 1
    timers.append(Entry(plan: plan, deadline: now + plan.delay, age: lastAge))
  }

  func join(_ timer: Int, _ mode: Loop.Mode) {
    guard !timers[timer].hasEnded, !timers[timer].plan.modes.contains(mode) else { return }
    if timers[timer].plan.modes.isEmpty {
      lastAge += 1
      timers[timer].age = lastAge
    }
    timers[timer].plan.modes.append(mode)
    if timers[timer].isPaused { beginPause(timer) } else { endPause(timer) }
  }

  func leave(_ timer: Int, _ mode: Loop.Mode) {
    timers[timer].plan.modes.removeAll { $0 == mode }
    if timers[timer].plan.modes.isEmpty { giveUp(timer) }
  }

  func fire(_ timer: Int) {
    guard !timers[timer].hasEnded, timers[timer].calling == .not else { return }
    if timers[timer].plan.interval == nil { end(timer) }
    timers[timer].calling = .byHand
    onCall(timer, 0, 0)
    timers[timer].calling = .not
  }

  func invalidate(_ timer: Int) { end(timer) }

  func setPaused(_ timer: Int, _ isPaused: Bool) {
    guard timers[timer].isPaused != isPaused, !timers[timer].hasEnded else { return }
    timers[timer].isPaused = isPaused
    if timers[timer].plan.modes.isEmpty { return }
    giveUp(timer)
    if isPaused { beginPause(timer) } else { endPause(timer) }
  }

  func block(_ duration: Int64) { now += duration }

  func run(_ mode: Loop.Mode, _ duration: Int64) -> Loop.RunResult {
    if !timers.contains(where: { $0.acts(in: mode) }) { return .finished }
    let limit = now + duration
    while true {
      let wake =
        timers.filter { $0.acts(in: mode) && $0.waits }.map { $0.deadline + $0.tolerance }.min() ?? .max
      now = max(now, min(wake, limit))
      let stamp = now
      pass(in: mode, stamp)
      if limit <= stamp { return .timedOut }
      if !timers.contains(where: { $0.acts(in: mode) }) { return .finished }
    }
  }

  private func pass(in mode: Loop.Mode, _ stamp: Int64) {
    let due = timers.indices
      .filter { timers[$0].acts(in: mode) && timers[$0].waits && timers[$0].deadline <= stamp }
      .sorted { (timers[$0].deadline, timers[$0].age) < (timers[$1].deadline, timers[$1].age) }
    // What this run has taken is not left to the runs around it.
    for timer in due { giveUp(timer) }
    collected.append(due)
    let depth = collected.count - 1
    while !collected[depth].isEmpty {
      let timer = collected[depth].removeFirst()
      guard timers[timer].acts(in: mode) else { continue }
      let late = stamp - timers[timer].deadline
      if timers[timer].calling == .byHand {
        timers[timer].untold += goOn(timer, stamp) + 1
        continue
      }
      var missed = 0
      if timers[timer].plan.interval == nil {
        end(timer)
      } else {
        missed = goOn(timer, stamp) + timers[timer].untold
        timers[timer].untold = 0
      }
      timers[timer].calling = .byPass
      onCall(timer, late, missed)
      timers[timer].calling = .not
    }
    collected.removeLast()
  }

  /// Finds the next beat; returns how many are never told.
  private func goOn(_ timer: Int, _ stamp: Int64) -> Int {
    guard let interval = timers[timer].plan.interval else { return 0 }
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
    return passed.count
  }

  private func beginPause(_ timer: Int) {
    guard timers[timer].plan.interval != nil, timers[timer].pausedSince == .max else { return }
    timers[timer].pausedSince = now
  }

  private func endPause(_ timer: Int) {
    guard let interval = timers[timer].plan.interval, timers[timer].pausedSince != .max else { return }
    let since = timers[timer].pausedSince
    timers[timer].pausedSince = .max
    guard timers[timer].deadline > since else { return }
    while timers[timer].deadline <= now {
      timers[timer].deadline += interval
      timers[timer].untold += 1
    }
  }

  private func giveUp(_ timer: Int) {
    for depth in collected.indices { collected[depth].removeAll { $0 == timer } }
  }

  private func end(_ timer: Int) {
    timers[timer].hasEnded = true
    timers[timer].plan.modes = []
    giveUp(timer)
  }
}
