import Glibc
import LoopCore
import LoopPlatform
import Synchronization
import Testing

extension PlatformTests {
  @Suite struct WakerTests {
    @Test("Flags raised are united and taken once")
    func flagsAreTakenOnce() {
      let waker = Waker()
      waker.raise(.posted)
      waker.raise(.stop)
      #expect(waker.take() == [.posted, .stop])
      #expect(waker.take() == [])
    }

    @Test("What was raised keeps the loop from going to sleep")
    func raisedKeepsAwake() {
      let waker = Waker()
      waker.raise(.wake)
      #expect(!waker.prepareToSleep())
      #expect(!waker.isSleeping)
      _ = waker.take()
      #expect(waker.prepareToSleep())
      #expect(waker.isSleeping)
      waker.didWake()
      #expect(!waker.isSleeping)
    }

    @Test("A wake raised while the loop is awake writes nothing")
    func noWriteWhileAwake() {
      let one = OneBackend()
      let poll = one.backend.pollDescriptor(mode: 0)
      one.waker.raise(.posted)
      #expect(one.backend.probe(poll) & ProbeResult.read == 0)
    }

    @Test("A wake is drained, so that the next wait sleeps")
    func wakeIsDrained() {
      let one = OneBackend()
      #expect(one.waker.prepareToSleep())
      one.waker.raise(.wake)
      #expect(one.waker.take() == .wake)
      // The write is still there: one wait returns of it, and the second one sleeps to its end.
      _ = one.wait(until: WaitDeadlines(suspending: one.after(milliseconds: 10_000)))
      let deadline = one.after(milliseconds: 5)
      _ = one.wait(until: WaitDeadlines(suspending: deadline))
      #expect(one.backend.now(.suspending) >= deadline)
    }

    @Test(
      "Two threads that answer each other at once lose none, whether their waits are slept or looked through")
    func answers() {
      let rounds = 20_000
      let answered = Atomic(0)
      let one = OneBackend()
      let waker = one.waker
      let thread = TestThread {
        for round in 1...rounds {
          waker.raise(.posted)
          // Some answers take so long that a look is in vain, and every other asker is at once there again.
          while answered.load(ordering: .acquiring) < round { sched_yield() }
          if round % 16 == 0 { usleep(50) }
        }
      }
      for round in 1...rounds {
        while waker.take().isEmpty { _ = one.wait(until: .never) }
        #expect(!waker.isSleeping)
        answered.store(round, ordering: .releasing)
      }
      thread.join()
    }

    @Test("While others answer at once a deadline is kept, and is never early")
    func deadlineBetweenAnswers() {
      let one = OneBackend()
      let waker = one.waker
      let isOver = Atomic(false)
      let asked = Atomic(0)
      let answered = Atomic(0)
      let thread = TestThread {
        while !isOver.load(ordering: .acquiring) {
          let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
          waker.raise(.posted)
          while answered.load(ordering: .acquiring) < number && !isOver.load(ordering: .acquiring) {
            sched_yield()
          }
        }
      }
      var deadline = one.after(milliseconds: 1)
      var kept = 0
      while kept < 50 {
        _ = one.wait(until: WaitDeadlines(suspending: deadline))
        if !waker.take().isEmpty { answered.store(asked.load(ordering: .relaxed), ordering: .releasing) }
        if one.backend.now(.suspending) >= deadline {
          kept += 1
          deadline = one.after(milliseconds: 1)
        }
      }
      isOver.store(true, ordering: .releasing)
      thread.join()
      // With nobody to end it, a wait is slept to its end.
      _ = waker.take()
      deadline = one.after(milliseconds: 3)
      while one.backend.now(.suspending) < deadline {
        _ = one.wait(until: WaitDeadlines(suspending: deadline))
      }
    }

    @Test("A raise ends a wait that has no deadline")
    func raiseEndsWait() {
      let one = OneBackend()
      let waker = one.waker
      for _ in 0..<200 {
        let thread = TestThread { waker.raise(.posted) }
        while waker.take().isEmpty { _ = one.wait(until: .never) }
        thread.join()
      }
    }

    @Test("No raise is lost, whatever its moment", arguments: [1, 2, 4])
    func noRaiseIsLost(threads: Int) {
      let one = OneBackend(modes: 2)
      let rounds = 20_000
      let counter = Counter()
      let waker = one.waker
      let seen = Counter()
      let running = (0..<threads).map { _ in
        Running {
          for round in 0..<rounds {
            counter.value.add(1, ordering: .relaxed)
            waker.raise(.posted)
            // Often enough the loop has to have slept, or the race would never happen.
            if round % 16 == 0 {
              while seen.value.load(ordering: .relaxed) < counter.value.load(ordering: .relaxed) {
                sched_yield()
              }
            }
          }
        }
      }
      let limit = one.after(milliseconds: 60_000)
      var mode = 0
      while seen.value.load(ordering: .relaxed) < threads * rounds, one.backend.now(.suspending) < limit {
        _ = one.wait(mode: mode, until: WaitDeadlines(suspending: limit))
        if one.waker.take().contains(.posted) {
          seen.value.store(counter.value.load(ordering: .relaxed), ordering: .relaxed)
        }
        mode ^= 1
      }
      // Nobody may be left waiting if the loop gave up.
      let total = seen.value.exchange(.max, ordering: .relaxed)
      for thread in running { thread.join() }
      #expect(total == threads * rounds)
    }

    @Test("blockUntilWoken returns for what is raised before and while it sleeps")
    func blocking() {
      let waker = Waker()
      waker.raise(.stop)
      waker.blockUntilWoken()
      #expect(waker.take() == .stop)
      for _ in 0..<200 {
        let thread = TestThread { waker.raise(.posted) }
        waker.blockUntilWoken()
        #expect(waker.take() == .posted)
        thread.join()
      }
      #expect(!waker.isSleeping)
    }

    @Test("A raise in a forked child does not reach the parent")
    func childRaisesNothing() {
      let one = OneBackend()
      #expect(one.waker.prepareToSleep())
      let waker = one.waker
      let result = inForkedChild {
        waker.raise(.posted)
        return waker.take().isEmpty ? 0 : 1
      }
      #expect(result == 0)
      #expect(one.waker.isSleeping)
      #expect(one.waker.take() == [])
      #expect(one.backend.probe(one.backend.pollDescriptor(mode: 0)) & ProbeResult.read == 0)
      one.waker.didWake()
    }
  }
}

private final class Counter: Sendable {
  let value = Atomic(0)
}

private final class Running {
  private var thread: TestThread?
  init(_ body: @escaping @Sendable () -> Void) { thread = TestThread(body) }
  func join() { thread.take()?.join() }
}
