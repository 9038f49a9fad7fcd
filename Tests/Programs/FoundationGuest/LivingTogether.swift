import CoreFoundation
import Dispatch
import Foundation
import WakeLoop
import WakeLoopFoundation

/// The main queue and the main actor are served as ever: each once, one stamp a pass, and none in Foundation's
/// turn, which can only be seen to where its descriptors were found.
@MainActor
func posts() {
  Loop.main.hostFoundationRunLoop()
  let count = 10_000
  var blocks = Array(repeating: 0, count: count)
  var jobs = Array(repeating: 0, count: count)
  var isFoundationsTurn = false
  var lastBlock = -1
  let block: @MainActor @Sendable (Int) -> Void = { number in
    check(!isFoundationsTurn, "block \(number) was run in Foundation's turn")
    check(Date.wake == Loop.main.wakeDate, "block \(number) is in no pass")
    check(number == lastBlock + 1, "block \(number) came after \(lastBlock)")
    lastBlock = number
    blocks[number] += 1
  }
  let job: @MainActor @Sendable (Int) -> Void = { number in
    check(!isFoundationsTurn, "job \(number) was run in Foundation's turn")
    jobs[number] += 1
  }
  var beats = 0
  let timer = foundationTimer(after: 0, every: 0.000_5) { beats += 1 }
  // Foundation serves its performs before it looks at what it waits for.
  let asker = Loop.main.schedule(every: .milliseconds(1)) { _ in
    RunLoop.main.perform {
      MainActor.assumeIsolated { isFoundationsTurn = FoundationGuest.looksForDescriptors }
    }
  }
  let observer = Loop.Observer(activities: [.afterWaiting, .beforeTimers]) { _, _ in
    MainActor.assumeIsolated { isFoundationsTurn = false }
  }
  Loop.main.add(observer, forMode: .common)
  Thread.detachNewThread {
    for number in 0..<count {
      DispatchQueue.main.async { MainActor.assumeIsolated { block(number) } }
      if number % 100 == 0 { Thread.sleep(forTimeInterval: 0.001) }
    }
  }
  Task.detached {
    for number in 0..<count { await MainActor.run { job(number) } }
  }
  Loop.main.runMain { lastBlock < count - 1 || jobs[count - 1] == 0 || beats < 10 }
  check(blocks.allSatisfy { $0 == 1 } && jobs.allSatisfy { $0 == 1 }, "lost, or run twice")
  timer.invalidate()
  asker.invalidate()
  observer.invalidate()

  // A block that Foundation's perform posts is the next pass's, as any handler's.
  var ranIn: UInt64 = 0
  var posted: UInt64 = 0
  let noteRun: @MainActor @Sendable () -> Void = { ranIn = Loop.main.iteration }
  let post: @MainActor @Sendable () -> Void = {
    posted = Loop.main.iteration
    DispatchQueue.main.async { MainActor.assumeIsolated { noteRun() } }
  }
  RunLoop.main.perform { MainActor.assumeIsolated { post() } }
  Loop.main.runMain { ranIn == 0 }
  check(
    ranIn == posted + 1 || !FoundationGuest.looksForDescriptors, "posted in pass \(posted), run in \(ranIn)")
}

/// Without the host Foundation's timers stand still, and ours go on.
@MainActor
func ended() {
  let guest = Loop.main.hostFoundationRunLoop()
  check(Loop.main.hostFoundationRunLoop() === guest, "hosted twice")
  var theirs = 0
  var ours = 0
  let timer = foundationTimer(after: 0, every: 0.005) { theirs += 1 }
  Loop.main.schedule(every: .milliseconds(5)) { _ in ours += 1 }
  Loop.main.runMain { theirs < 3 || ours < 3 }
  // Ended in the middle of a run, by a handler of Foundation's.
  foundationTimer(after: 0.01) { guest.invalidate() }
  Loop.main.runMain { guest.isValid }
  guest.invalidate()
  let before = (theirs, ours)
  RunLoop.main.perform { MainActor.assumeIsolated { theirs += 1_000 } }
  Loop.main.runMain { ours < before.1 + 20 }
  check(theirs == before.0, "\(theirs - before.0) times after the end")
  check(Loop.main.items.allSatisfy { $0 is Loop.Timer } && Loop.main.items.count == 1, "\(Loop.main.items)")
  // Hosted again in the middle of a run, all of it goes on.
  Loop.main.after(.zero) { _ in MainActor.assumeIsolated { _ = Loop.main.hostFoundationRunLoop() } }
  Loop.main.runMain { theirs < before.0 + 1_003 }
  timer.invalidate()
}

/// A run in a common mode serves Foundation's common timers, one in a private mode none.
@MainActor
func modes() {
  Loop.main.hostFoundationRunLoop()
  Loop.main.runFor(milliseconds: 1)
  Loop.main.runFor(milliseconds: 1, mode: .tracking)
  var common = 0
  var plain = 0
  var tracking = 0
  foundationTimer(after: 0, every: 0.005, in: .common) { common += 1 }
  foundationTimer(after: 0, every: 0.005) { plain += 1 }
  foundationTimer(after: 0, every: 0.005, in: .init(Loop.Mode.tracking.rawValue)) { tracking += 1 }
  Loop.main.runMain(mode: .tracking) { common < 5 || tracking < 5 }
  check(plain == 0, "a timer of the default mode fired \(plain) times in another")
  Loop.main.runMain { plain < 5 }
  let before = (common, plain, tracking)
  let ownMode = Loop.Mode("private")
  let timer = Loop.Timer(timeInterval: 0.05, repeats: false) { _ in }
  Loop.main.add(timer, forMode: ownMode)
  Loop.main.run(mode: ownMode, for: .seconds(10))
  check(before == (common, plain, tracking), "Foundation was served in a private mode")

  // A mode that becomes common later.
  let later = Loop.Mode("later")
  Loop.main.addCommonMode(later)
  Loop.main.run(mode: later, for: .zero)
  common = 0
  foundationTimer(after: 0, in: .common) { common = -1 }
  Loop.main.runMain(mode: later) { common != -1 }
}

/// Handlers of Foundation's run our loop, handlers of ours run Foundation's.
@MainActor
func nested() {
  Loop.main.hostFoundationRunLoop()
  var beats = 0
  let timer = foundationTimer(after: 0, every: 0.002) { beats += 1 }
  var over = 0
  // In a timer's closure and in a perform, with another timer that goes on meanwhile and the main queue.
  for _ in 0..<3 {
    var served = 0
    let serve: @MainActor @Sendable () -> Void = { served += 1 }
    let inside: @MainActor @Sendable () -> Void = {
      let stamp = Loop.main.stamp
      let before = beats
      DispatchQueue.main.async { MainActor.assumeIsolated { serve() } }
      Loop.main.runMain { beats < before + 3 || served == 0 }
      check(Loop.main.stamp == stamp, "the outer pass's stamp is not back")
      over += 1
    }
    let goal = over + 2
    foundationTimer(after: 0.003) { inside() }
    Loop.main.runMain { over < goal - 1 }
    served = 0
    Loop.main.after(.zero) { _ in RunLoop.main.perform { MainActor.assumeIsolated { inside() } } }
    Loop.main.runMain { over < goal }
  }
  // Foundation's own run, in a handler of ours and in its own: it serves the queue, and all goes on afterwards.
  var blocks = 0
  let block: @MainActor @Sendable () -> Void = {
    blocks += 1
    Loop.main.stop()
  }
  var ownRuns = 0
  let runFoundation: @MainActor @Sendable () -> Void = {
    blocks = 0
    DispatchQueue.main.async { MainActor.assumeIsolated { block() } }
    let before = beats
    let limit = Date() + 60
    while beats < before + 3 || blocks == 0, Date() < limit {
      // Timers don't end it.
      _ = RunLoop.main.run(mode: .default, before: Date() + 0.005)
    }
    check(blocks == 1 && beats >= before + 3, "Foundation's own run: \(blocks) blocks")
    DispatchQueue.main.async { MainActor.assumeIsolated { block() } }
    ownRuns += 1
  }
  Loop.main.after(.zero) { _ in runFoundation() }
  while ownRuns < 1 || blocks < 2 { Loop.main.run() }
  foundationTimer(after: 0) { runFoundation() }
  while ownRuns < 2 || blocks < 2 { Loop.main.run() }
  RunLoop.main.perform { MainActor.assumeIsolated { runFoundation() } }
  while ownRuns < 3 || blocks < 2 { Loop.main.run() }
  timer.invalidate()

  // Nothing but a block of the queue ends the wait of a run that a perform makes.
  var hasWaited = false
  let waitForBlock: @MainActor @Sendable () -> Void = {
    var isServed = false
    let serve: @MainActor @Sendable () -> Void = { isServed = true }
    DispatchQueue.main.async { MainActor.assumeIsolated { serve() } }
    _ = RunLoop.main.run(mode: .default, before: Date() + 60)
    check(isServed || !FoundationGuest.looksForDescriptors, "a run of Foundation's has not served the queue")
    hasWaited = true
    Loop.main.stop()
  }
  let never = foundationTimer(after: 3600) {}
  RunLoop.main.perform { MainActor.assumeIsolated { waitForBlock() } }
  let start = ContinuousClock.now
  while !hasWaited { Loop.main.run() }
  check(
    start.duration(to: .now) < .seconds(30), "the run of a perform waited for \(start.duration(to: .now))")
  never.invalidate()
  hostedAnew()
}

/// Ended and hosted again in the midst of Foundation's runs, nothing of the old host stays behind.
@MainActor
private func hostedAnew() {
  let guest = Loop.main.hostFoundationRunLoop()
  var rounds = 0
  // In its turn, and within that in a turn of the new one.
  foundationTimer(after: 0) {
    guest.invalidate()
    let new = Loop.main.hostFoundationRunLoop()
    check(new !== guest && new.isValid, "not hosted anew")
    foundationTimer(after: 0) { rounds += 1 }
    Loop.main.runMain { rounds < 1 }
  }
  Loop.main.runMain { rounds < 1 }
  // In a run that is not a turn of ours.
  Loop.main.hostFoundationRunLoop().invalidate()
  foundationTimer(after: 0) {
    Loop.main.hostFoundationRunLoop()
    foundationTimer(after: 0) { rounds += 1 }
    Loop.main.runMain { rounds < 2 }
  }
  RunLoop.main.run(until: Date() + 0.01)
  check(rounds == 2, "\(rounds) rounds")
  // Ended in its turn, it leaves the queue to Foundation's own runs, from the first wait on.
  let last = Loop.main.hostFoundationRunLoop()
  foundationTimer(after: 0) { last.invalidate() }
  Loop.main.runMain { last.isValid }
  var isServed = false
  let serve: @MainActor @Sendable () -> Void = { isServed = true }
  let never = foundationTimer(after: 3600) {}
  DispatchQueue.main.async { MainActor.assumeIsolated { serve() } }
  let start = ContinuousClock.now
  while !isServed { _ = RunLoop.main.run(mode: .default, before: Date() + 60) }
  check(start.duration(to: .now) < .seconds(30), "the queue waited for \(start.duration(to: .now))")
  never.invalidate()
}

/// An async body that waits for a timer of Foundation's, run by our loop.
@MainActor
func bodies() {
  Loop.main.hostFoundationRunLoop()
  let rounds = Loop.main.run {
    var rounds = 0
    for _ in 0..<20 {
      await withCheckedContinuation { continuation in
        foundationTimer(after: 0.001) { continuation.resume() }
      }
      check(Thread.isMainThread, "round \(rounds) is not on the main thread")
      rounds += 1
    }
    return rounds
  }
  check(rounds == 20, "\(rounds) rounds")
}
