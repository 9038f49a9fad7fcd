import Glibc
import Synchronization
import Testing
import WakeLoop

extension EventSequenceTests {
  @Suite("Signals as a sequence")
  struct SignalSequenceTests {
    /// A thread that runs a loop and takes signals, which the test runner's block.
    private func withThread(_ body: (LoopThread) async throws -> Void) async throws {
      let thread = try LoopThread(name: "signals")
      await thread.onLoop {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
      }
      try await body(thread)
      #expect(await thread.itemsLeft() == [])
      thread.stop()
      thread.join()
    }

    /// The handler's address, 0 default, 1 ignored.
    private func disposition(_ signal: Int32) -> UInt {
      var action = sigaction()
      precondition(sigaction(signal, nil, &action) == 0)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    @Test("of 20,000 arrivals of three signals, sent by a thread to a task that is often away, none is lost")
    func noneLost() async throws {
      try await withThread { thread in
        let signals = [SIGUSR1, SIGUSR2, SIGWINCH]
        let iterator = thread.remote.signals(.user1, .user2, .windowChange).makeAsyncIterator()
        // Raised on the loop's thread, as the kernel itself merges what waits for a process.
        let sender = Task {
          for round in 0..<200 {
            await thread.onLoop { for number in 0..<100 { raise(signals[(round + number) % 3]) } }
          }
        }
        var counts: [Loop.Signal: Int] = [:]
        var elements = 0
        while counts.values.reduce(0, +) < 20_000 {
          let arrival = try #require(await iterator.next())
          #expect(arrival.count > 0)
          counts[arrival.signal, default: 0] += arrival.count
          elements += 1
          if elements % 7 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        await sender.value
        #expect(counts.values.reduce(0, +) == 20_000 && counts.count == 3)
        #expect(counts.values.allSatisfy { abs($0 - 6_667) <= 67 })
      }
    }

    @Test(
      "signals come in the order in which they first arrived, whatever their numbers and the order of asking")
    func order() async throws {
      try await withThread { thread in
        let signals: [Loop.Signal] = [.windowChange, .user1, .hangUp, .user2]
        let iterator = thread.remote.signals(.user1, .user2, .hangUp, .windowChange).makeAsyncIterator()
        var shuffled = SplitMix64(seed: 7)
        for _ in 0..<50 {
          let sent = signals.shuffled(using: &shuffled)
          // Twice each: the first decides. In one handler, so that the loop finds them all together.
          await thread.onLoop { for signal in sent + sent.reversed() { raise(signal.rawValue) } }
          for signal in sent {
            let arrival = await iterator.next()
            #expect(arrival?.signal == signal && arrival?.count == 2)
          }
        }
      }
    }

    @Test("signals are watched as soon as an iteration begins, and no longer than that")
    func watched() async throws {
      let before = disposition(SIGUSR1)
      try await withThread { thread in
        do {
          let signals = thread.remote.signals(.user1, .user1)
          #expect(disposition(SIGUSR1) == before)
          // The loop is busy and hears of the iteration only after the signal has come.
          let isBusy = Atomic(true)
          thread.remote.perform { while isBusy.load(ordering: .acquiring) { usleep(100) } }
          let iterator = signals.makeAsyncIterator()
          #expect(disposition(SIGUSR1) != before)
          thread.remote.perform { raise(SIGUSR1) }
          isBusy.store(false, ordering: .releasing)
          #expect(await iterator.next()?.count == 1)
        }
        #expect(disposition(SIGUSR1) == before)
        let task = Task {
          for await _ in thread.remote.signals(.user1) { Issue.record("no signal was sent") }
        }
        while disposition(SIGUSR1) == before { await Task.yield() }
        task.cancel()
        await task.value
        #expect(disposition(SIGUSR1) == before)
      }
    }

    @Test("two iterations are each told of a signal")
    func two() async throws {
      try await withThread { thread in
        let signals = thread.remote.signals(.user2)
        let (one, other) = (signals.makeAsyncIterator(), signals.makeAsyncIterator())
        await thread.onLoop { raise(SIGUSR2) }
        #expect(await one.next() != nil)
        #expect(await other.next() != nil)
      }
    }
  }
}
