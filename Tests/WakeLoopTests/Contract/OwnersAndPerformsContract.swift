import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: owners, delayed performs and observers")
struct OwnersAndPerformsContract {
  private final class Target {
    var told: [Int] = []
    func act(_ number: Int) { told.append(number) }
    func other(_ number: Int) { told.append(-number) }
  }

  @Test("An owner that dies in a handler ends what was collected for it in the same pass")
  func ownerDiesInPass() {
    let virtual = VirtualLoop()
    var owner: Target? = Target()
    var calls = 0
    let due = virtual.now + .seconds(1)
    virtual.loop.schedule(at: due) { _ in owner = nil }
    let repeating = virtual.loop.schedule(every: .seconds(1), owner: owner!) { _, _ in calls += 1 }
    let once = virtual.loop.after(.seconds(1), owner: owner!) { _, _ in calls += 1 }
    #expect(virtual.loop.run(mode: .default, for: .seconds(10)) == .finished)
    #expect(virtual.now == due)
    #expect(calls == 0 && !repeating.isValid && !once.isValid)
  }

  @Test("Delayed performs are cancelled by target, or by target and key, and no others are")
  func cancels() {
    let virtual = VirtualLoop()
    let one = Target()
    let two = Target()
    for (number, key) in [(1, "a"), (2, "b"), (3, nil)] as [(Int, String?)] {
      virtual.loop.perform(
        Target.act, on: one, with: number, afterDelay: 1, inModes: [.default, .common], key: key)
      virtual.loop.perform(Target.act, on: two, with: number, afterDelay: 1, key: key)
    }
    let owned = virtual.loop.after(.seconds(1), owner: one) { one, _ in one.act(9) }
    virtual.loop.cancelPreviousPerforms(on: one, key: "a")
    virtual.advance(by: .zero)
    virtual.loop.cancelPreviousPerforms(on: two)
    virtual.loop.cancelPreviousPerforms(on: two)
    virtual.advance(by: .seconds(2))
    #expect(one.told == [2, 3, 9])
    #expect(two.told.isEmpty)
    #expect(!owned.isValid)
  }

  @Test("A delayed perform that cancels all of its target's in the same pass lets none of the others run")
  func cancelsInPass() {
    let virtual = VirtualLoop()
    let target = Target()
    let loop = virtual.loop
    let cancel: (Target) -> (Int) -> Void = { target in
      { number in
        target.act(number)
        loop.cancelPreviousPerforms(on: target)
        loop.perform(Target.other, on: target, with: number, afterDelay: 0)
      }
    }
    let due = virtual.wallDate + 1
    for number in 1...3 { loop.perform(cancel, on: target, with: number, afterDelay: 1) }
    virtual.advance(by: .seconds(1))
    #expect(target.told == [1, -1])
    #expect(virtual.wallDate == due)
  }

  @Test(
    "What a perform and an observer hold is released when they have served, before the next is called"
  )
  func releases() {
    let virtual = VirtualLoop()
    var log: [String] = []
    for number in 1...2 {
      let token = Token { log.append("released \(number)") }
      virtual.loop.perform(order: number) {
        token.touch()
        log.append("called \(number)")
      }
    }
    do {
      let token = Token { log.append("released observer") }
      virtual.loop.add(
        Loop.Observer(activities: .beforeTimers, repeats: false) { _, _ in
          token.touch()
          log.append("observed")
        }, forMode: .default)
    }
    virtual.advance(by: .zero)
    #expect(log == ["observed", "released observer", "called 1", "released 1", "called 2", "released 2"])
  }

  @Test("Observers that add, remove, pause and end each other and themselves skip none and repeat none")
  func observersChangeEachOther() {
    for seed in 0..<500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let virtual = VirtualLoop()
      var told: [Int] = []
      var gone: Set<Int> = []
      var observers: [Loop.Observer] = []
      var orders: [Int] = []
      func make() {
        let number = observers.count
        orders.append(Int.random(in: -2...2, using: &random))
        observers.append(
          Loop.Observer(activities: .afterWaiting, order: orders[number]) { _, _ in
            told.append(number)
            if Bool.random(using: &random) { return }
            let victim = Int.random(in: 0..<observers.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: observers[victim].invalidate()
            case 1: virtual.loop.remove(observers[victim], forMode: .common)
            case 2: observers[victim].isPaused = true
            default:
              make()
              return
            }
            gone.insert(victim)
          })
        virtual.loop.add(observers[number], forMode: .common)
        if Bool.random(using: &random) { virtual.loop.add(observers[number], forMode: .default) }
      }
      for _ in 0..<8 { make() }
      for observer in observers { virtual.loop.add(observer, forMode: .common) }
      let hold = virtual.loop.holdOpen()
      virtual.loop.run(mode: .default, for: .zero)
      // In both the mode and the common set, taking one out of the latter leaves it to the former.
      #expect(told == told.sorted { (orders[$0], $0) < (orders[$1], $1) }, "seed \(seed)")
      #expect(Set(told).count == told.count, "seed \(seed)")
      #expect(Set(0..<8).subtracting(gone).isSubset(of: told), "seed \(seed)")
      #expect(told.allSatisfy { $0 < 8 }, "seed \(seed)")
      hold.invalidate()
    }
  }

  @Test(
    "Delays and intervals at the ends of the range neither trap nor wrap in any form, here or on a remote")
  func extremes() {
    let virtual = VirtualLoop()
    let ends: [Duration] = [
      .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(Int64.max), .nanoseconds(Int64.min), .zero,
      .nanoseconds(-1), .nanoseconds(1),
      Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
      Duration(secondsComponent: .min, attosecondsComponent: -999_999_999_999_999_999),
    ]
    var calls = 0
    for delay in ends {
      for tolerance in ends {
        virtual.loop.after(delay, tolerance: tolerance) { _ in calls += 1 }
        virtual.loop.remote.after(delay, tolerance: tolerance) { _ in }
        for clock in [Loop.TimerClock.suspending, .continuous, .wall] {
          for policy in [Loop.MissedBeats.skip, .delay, .burst(limit: .max), .burst(limit: .min)] {
            let timer = virtual.loop.schedule(
              every: delay, firesNow: true, tolerance: tolerance, clock: clock, missed: policy
            ) { pass in
              calls += 1
              #expect(pass.missed >= 0 && pass.late >= .zero)
            }
            timer.leeway = tolerance
            _ = timer.fireDate
            _ = timer.tolerance
          }
        }
        virtual.loop.remote.schedule(every: delay, tolerance: tolerance) { _ in }
      }
    }
    for duration in ends.map({ min($0, .seconds(3)) }) {
      virtual.loop.stop()
      virtual.loop.run(mode: .default, for: duration)
      virtual.loop.run(mode: .default, for: min(duration, .zero))
    }
    virtual.block(for: .seconds(100 * 365 * 86_400))
    virtual.loop.run(mode: .default, for: .zero)
    virtual.loop.run(mode: .default, for: .zero)
    #expect(calls > 0)
    for case let timer as Loop.Timer in virtual.loop.items { #expect(timer.missedFires >= 0) }
  }
}
