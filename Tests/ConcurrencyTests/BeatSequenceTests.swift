import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Beats as a sequence")
struct BeatSequenceTests {
  @Test("1,000 random programs see what a plain model says, and leave nothing in the loop")
  func programs() {
    var beats = 0
    var missed = 0
    var ends = 0
    for seed in 1...1_000 as ClosedRange<UInt64> {
      let program = BeatProgram(seed: seed)
      let (sights, itemsLeft) = program.play()
      #expect(sights == program.expected(), "seed \(seed)")
      #expect(itemsLeft == 0, "seed \(seed)")
      for sight in sights {
        if case .beat(_, let count, _) = sight { (beats, missed) = (beats + 1, missed + count) }
        if case .end = sight { ends += 1 }
      }
    }
    // The programs are not empty ones.
    #expect(beats > 2_000 && missed > 1_000 && ends > 50)
  }

  @Test("a task that keeps up is given each beat in its pass, one that does not the latest and a count")
  func latest() {
    let log = VirtualLog<Int>()
    let begin = log.virtual.now
    let task = log.start { log in
      let clock = log.virtual.loop.clock
      for await pass in log.virtual.loop.beats(every: .seconds(1)) {
        log.add(pass.missed)
        if log.entries.count == 2 { try await clock.sleep(until: clock.now + .milliseconds(3_500)) }
        if log.entries.count == 3 { break }
      }
    }
    _ = task
    // The third is that of five seconds, which is taken at five and a half.
    log.virtual.loop.schedule(at: begin + .milliseconds(5_400)) { _ in #expect(log.entries == [0, 0]) }
    let late = log.virtual.advance(by: .seconds(10))
    #expect(late == .reachedEnd)
    #expect(log.entries == [0, 0, 2])
    #expect(log.instants.map { begin.duration(to: $0) } == [.seconds(1), .seconds(2), .milliseconds(5_500)])
    #expect(log.virtual.loop.items.isEmpty)
  }

  @Test("each iteration has a timer and a grid of its own, and none is there before or after it")
  func iterations() {
    let virtual = VirtualLoop()
    let beats = virtual.loop.beats(every: .seconds(1))
    #expect(virtual.loop.items.isEmpty)
    var iterators = [beats.makeAsyncIterator(), beats.makeAsyncIterator()]
    virtual.advance(by: .zero)
    #expect(virtual.loop.items.count == 2)
    virtual.advance(by: .milliseconds(2_500))
    // On the loop's own thread the timer is gone with the iterator.
    iterators.removeLast()
    #expect(virtual.loop.items.count == 1)
    weak let timer = virtual.loop.items.first
    #expect(timer != nil)
    iterators.removeLast()
    #expect(virtual.loop.items.isEmpty)
    virtual.advance(by: .zero)
    #expect(timer == nil)
  }

  @Test("a task that is cancelled while it waits lets go of its timer, and a beat that was kept is dropped")
  func cancelled() {
    let log = VirtualLog<Loop.Pass?>()
    let task = log.start { log in
      let iterator = log.virtual.loop.beats(every: .seconds(1)).makeAsyncIterator()
      try? await log.virtual.loop.clock.sleep(until: log.virtual.now + .seconds(100))
      log.add(await iterator.next())
      log.add(await iterator.next())
    }
    log.virtual.advance(by: .milliseconds(2_500))
    weak let timer = log.virtual.loop.items.first { ($0 as? Loop.Timer)?.timeInterval == 1 }
    #expect(timer != nil)
    task.cancel()
    log.virtual.advance(by: .zero)
    #expect(log.entries.count == 2 && log.entries.allSatisfy { $0 == nil })
    #expect(log.virtual.loop.items.isEmpty)
    #expect(timer == nil)
  }

  @Test("tolerance, clock and mode are the timer's")
  func settings() throws {
    let virtual = VirtualLoop()
    let iterator = virtual.loop.beats(
      every: .seconds(10), tolerance: .seconds(2), clock: .continuous, in: .tracking
    ).makeAsyncIterator()
    virtual.advance(by: .zero)
    let timer = try #require(virtual.loop.items.first as? Loop.Timer)
    #expect(timer.leeway == .seconds(2) && timer.modes == [.tracking] && timer.timeInterval == 10)
    // Sleep counts on that clock: it is due as soon as the machine wakes.
    virtual.sleepMachine(for: .seconds(60))
    virtual.advance(by: .zero, mode: .tracking)
    #expect(timer.missedFires == 5)
    withExtendedLifetime(iterator) {}
  }

  @Test("on a thread's loop beats are never early, and an actor goes on where it is")
  func realTime() async throws {
    let thread = try LoopThread(name: "beats")
    let counter = BeatCounter(on: thread)
    let begin = Loop.Instant.now
    let total = await counter.count(10, of: thread.remote.beats(every: .milliseconds(2)))
    #expect(total >= 10)
    #expect(begin.duration(to: .now) >= .milliseconds(2 * total))
    #expect(await thread.itemsLeft() == [])
    thread.stop()
    thread.join()
  }
}

/// Counts beats on the loop's own thread.
private actor BeatCounter {
  private let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Kept in the actor, whose own it is: it is not Sendable.
  private var iterator: Loop.Beats.Iterator?

  init(on thread: LoopThread) { executor = thread.executor }

  /// Takes so many beats; returns how many have passed.
  func count(_ count: Int, of beats: Loop.Beats) async -> Int {
    let iterator = beats.makeAsyncIterator()
    self.iterator = iterator
    var passed = 0
    for _ in 0..<count {
      guard let pass = await iterator.next() else { break }
      executor.checkIsolated()
      #expect(pass.instant <= Loop.Instant.now)
      passed += pass.missed + 1
    }
    self.iterator = nil
    return passed
  }
}
