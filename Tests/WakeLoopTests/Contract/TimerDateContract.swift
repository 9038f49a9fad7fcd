import FoundationEssentials
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: timers and dates")
struct TimerDateContract {
  @Test("A repeating timer set to the distant past fires in the next pass and then on a grid from there")
  func distantPast() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var told: [Duration] = []
    var missed = 0
    let timer = within(virtual) {
      Loop.Timer(fire: .distantPast, interval: 2, repeats: true) { _ in
        told.append(virtual.loop.wakeInstant - start)
      }
    }
    #expect(timer.fireDate == .distantPast)
    virtual.loop.add(timer, forMode: .default)
    let past = virtual.loop.schedule(every: .seconds(2), startingAt: Loop.Instant(nanoseconds: .min)) {
      missed += $0.missed
      #expect($0.late == .zero)
    }
    virtual.advance(by: .seconds(5))
    #expect(told == [.zero, .seconds(2), .seconds(4)])
    #expect(timer.missedFires == 0 && missed == 0 && past.missedFires == 0)
    #expect(timer.fireDate == virtual.wallDate + 1)
    #expect(virtual.loop.limitDate(forMode: .default) == virtual.wallDate + 1)
  }

  @Test("Dates centuries ago, and beats of a nanosecond, never trap, and the next date lies ahead")
  func centuries() {
    let virtual = VirtualLoop()
    var calls = 0
    let dates: [Date] = [
      Date(timeIntervalSince1970: -9.1e9), Date(timeIntervalSince1970: -9.2e9),
      Date(timeIntervalSince1970: -9.3e9),
      Date(timeIntervalSince1970: -7.5e9), .distantPast, Date(timeIntervalSinceReferenceDate: -.infinity),
    ]
    var timers: [Loop.Timer] = []
    within(virtual) {
      for date in dates {
        for interval in [1e-9, 1, 3e9, 9e9, .infinity] {
          timers.append(Loop.Timer(fire: date, interval: interval, repeats: true) { _ in calls += 1 })
          timers.append(Loop.Timer(fireAt: date, interval: interval, repeats: true) { _ in calls += 1 })
        }
      }
    }
    for timer in timers { virtual.loop.add(timer, forMode: .default) }
    for nanoseconds in [Int64.min, Int64.min + 1, -1, 0] {
      timers.append(
        virtual.loop.schedule(every: .nanoseconds(1), startingAt: Loop.Instant(nanoseconds: nanoseconds)) {
          _ in
          calls += 1
        })
    }
    for _ in 0..<3 {
      virtual.loop.run(mode: .default, for: .zero)
      virtual.block(for: .milliseconds(1))
    }
    virtual.loop.run(mode: .default, for: .zero)
    #expect(calls >= timers.count)
    for timer in timers {
      #expect(timer.missedFires >= 0)
      #expect(
        timer.fireDate >= virtual.wallDate - 0.002, "\(timer.fireDate) of interval \(timer.timeInterval)")
    }
  }

  @Test("The fire date of a timer that delays after late beats is that of its next call")
  func delayedDate() {
    let virtual = VirtualLoop()
    let timer = virtual.loop.schedule(every: .seconds(1), missed: .delay) { _ in }
    let first = timer.fireDate
    #expect(first == virtual.wallDate + 1)
    virtual.block(for: .milliseconds(3500))
    virtual.advance(by: .zero)
    #expect(timer.fireDate == virtual.wallDate + 1)
    #expect(virtual.loop.limitDate(forMode: .default) == virtual.wallDate + 1)
  }

  @Test("A fire date that was only read follows a setting of the wall clock; one that was set reads back")
  func readDateFollowsWall() {
    let virtual = VirtualLoop()
    let read = virtual.loop.schedule(every: .seconds(10)) { _ in }
    let set = virtual.loop.schedule(every: .seconds(10)) { _ in }
    #expect(read.fireDate == virtual.wallDate + 10)
    let date = virtual.wallDate + 10
    set.fireDate = date
    virtual.stepWallClock(by: .seconds(3600))
    virtual.advance(by: .zero)
    #expect(read.fireDate == virtual.wallDate + 10)
    #expect(set.fireDate == date)
  }

  @Test("A timer paused in a loop, resumed outside it and added again counts the beats and pauses anew")
  func resumedOutside() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var told: [Duration] = []
    let timer = virtual.loop.schedule(every: .seconds(2), in: .default) { told.append($0.instant - start) }
    let hold = virtual.loop.holdOpen()
    timer.isPaused = true
    virtual.advance(by: .seconds(5))
    virtual.loop.remove(timer, forMode: .default)
    timer.isPaused = false
    virtual.loop.add(timer, forMode: .default)
    virtual.advance(by: .zero)
    #expect(timer.missedFires == 2 && told.isEmpty)
    virtual.advance(by: .milliseconds(500))
    virtual.block(for: .seconds(1))
    // The beat at six seconds was due before this pause.
    timer.isPaused = true
    virtual.advance(by: .seconds(1))
    timer.isPaused = false
    virtual.advance(by: .zero)
    #expect(told == [.milliseconds(7500)])
    #expect(timer.missedFires == 2)
    hold.invalidate()
  }

  @Test("A paused timer set to a date that has passed, or to now, fires in the pass after resuming")
  func redatedWhilePaused() {
    for past in [0, 1, 3600] as [TimeInterval] {
      let virtual = VirtualLoop()
      let start = virtual.now
      var told: [Duration] = []
      let timer = virtual.loop.schedule(every: .seconds(10)) { told.append($0.instant - start) }
      timer.isPaused = true
      virtual.advance(by: .seconds(2))
      timer.fireDate = virtual.wallDate - past
      virtual.advance(by: .seconds(1))
      #expect(told.isEmpty)
      timer.isPaused = false
      virtual.advance(by: .zero)
      #expect(told == [.seconds(3)], "set \(past) s back")
    }
  }

  @Test("A paused timer set ahead fires at that date if resumed before, and misses it if resumed after")
  func redatedAhead() {
    let virtual = VirtualLoop()
    let start = virtual.now
    var told: [Duration] = []
    let timer = virtual.loop.schedule(every: .seconds(10)) { told.append($0.instant - start) }
    timer.isPaused = true
    timer.fireDate = virtual.wallDate + 2
    virtual.advance(by: .seconds(1))
    timer.isPaused = false
    virtual.advance(by: .seconds(2))
    #expect(told == [.seconds(2)])
    timer.isPaused = true
    timer.fireDate = virtual.wallDate + 2
    virtual.advance(by: .seconds(3))
    timer.isPaused = false
    virtual.advance(by: .seconds(10))
    #expect(told == [.seconds(2), .seconds(15)])
    #expect(timer.missedFires == 1)
  }

  @Test("All timers of a pass, whatever their clock, are told of one now, however long handlers take")
  func oneNowOnAllClocks() {
    let virtual = VirtualLoop()
    var told: [String] = []
    virtual.loop.schedule(every: .seconds(1), clock: .suspending) { _ in virtual.block(for: .seconds(3)) }
    for clock in [Loop.TimerClock.continuous, .wall, .suspending] {
      virtual.loop.schedule(every: .seconds(1), clock: clock) {
        told.append("\(clock) \($0.late) \($0.missed)")
        #expect($0.due == virtual.loop.wakeInstant)
      }
    }
    virtual.loop.run(mode: .default, for: .seconds(1))
    #expect(told == ["continuous 0.0 seconds 0", "wall 0.0 seconds 0", "suspending 0.0 seconds 0"])
  }

  @Test("No timer of any clock is collected before the stamp has reached it, though an observer takes long")
  func slowObserver() {
    let virtual = VirtualLoop()
    var told: [String] = []
    virtual.loop.add(
      Loop.Observer(activities: .afterWaiting, repeats: false) { _, _ in virtual.block(for: .seconds(2)) },
      forMode: .default)
    for clock in [Loop.TimerClock.continuous, .wall, .suspending] {
      virtual.loop.schedule(every: .seconds(1), clock: clock) {
        told.append("\(clock) \($0.late)")
        $0.timer.invalidate()
      }
    }
    let hold = virtual.loop.holdOpen()
    virtual.loop.run(mode: .default, for: .zero)
    #expect(told.isEmpty)
    virtual.loop.run(mode: .default, for: .zero)
    #expect(told == ["continuous 1.0 seconds", "wall 1.0 seconds", "suspending 1.0 seconds"])
    hold.invalidate()
  }
}
