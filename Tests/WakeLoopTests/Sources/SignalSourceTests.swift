import Glibc
import Synchronization
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct SignalSourceTests {
    /// The handler's address, 0 default, 1 ignored.
    private func disposition(_ signal: Int32) -> UInt {
      var action = sigaction()
      precondition(sigaction(signal, nil, &action) == 0)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    @Test("A signal is told in a pass, with how often it came")
    func told() {
      onLoopThread { loop in
        var counts: [Int] = []
        let source = Loop.SignalSource(signal: .user1) { source, count in
          #expect(source.signal == .user1 && loop.currentMode == .default)
          counts.append(count)
        }
        loop.add(source, forMode: .common)
        for _ in 0..<3 { raise(SIGUSR1) }
        loop.runUntilQuiet()
        #expect(counts == [3])
        source.invalidate()
      }
    }

    @Test("Case 41: A signal from another thread wakes a sleeping loop")
    func wakes() {
      onLoopThread { loop in
        var total = 0
        let source = Loop.SignalSource(signal: .user1) { _, count in total += count }
        loop.add(source, forMode: .common)
        let process = getpid()
        let remote = loop.remote
        for round in 1...50 {
          let thread = SourceThread { _ in
            while !remote.isWaiting { usleep(50) }
            kill(process, SIGUSR1)
          }
          loop.run(until: { total == round })
          thread.join()
        }
        source.invalidate()
      }
    }

    @Test("Case 41: One signal watched by two loops on two threads is told to both")
    func twoLoops() {
      let ready = Atomic<Int>(0)
      let told = Atomic<Int>(0)
      let watch: @Sendable (Loop) -> Void = { loop in
        let source = Loop.SignalSource(signal: .user2) { source, _ in
          told.add(1, ordering: .sequentiallyConsistent)
          source.invalidate()
        }
        loop.add(source, forMode: .default)
        ready.add(1, ordering: .sequentiallyConsistent)
        loop.run()
      }
      let first = SourceThread(watch)
      let second = SourceThread(watch)
      while ready.load(ordering: .sequentiallyConsistent) < 2 { usleep(100) }
      kill(getpid(), SIGUSR2)
      first.join()
      second.join()
      #expect(told.load(ordering: .sequentiallyConsistent) == 2)
      #expect(disposition(SIGUSR2) == 0)
    }

    @Test("Case 41: A hundred signals during a long handler are not lost")
    func duringALongHandler() {
      onLoopThread { loop in
        var counts: [Int] = []
        let source = Loop.SignalSource(signal: .user1) { _, count in counts.append(count) }
        loop.add(source, forMode: .common)
        loop.perform { for _ in 0..<100 { raise(SIGUSR1) } }
        loop.runUntilQuiet()
        #expect(counts == [100])
        source.invalidate()
      }
    }

    @Test("Case 41: Every child is found when its signal is watched beside child sources")
    func children() {
      onLoopThread { loop in
        var left = Set((0..<20).map { _ in spawn("exit 0") })
        let source = Loop.SignalSource(signal: .child) { _, _ in
          for child in left where waitpid(child, nil, WNOHANG) == child { left.remove(child) }
        }
        loop.add(source, forMode: .common)
        // Some may have ended before the watch began.
        raise(SIGCHLD)
        loop.run(until: { left.isEmpty })
        source.invalidate()
        #expect(disposition(SIGCHLD) == 0)
      }
    }

    @Test(
      "Case 41: What the process did on a signal is back when the last source ends", arguments: [true, false])
    func dispositionIsBack(isIgnored: Bool) {
      onLoopThread { loop in
        signal(SIGUSR2, isIgnored ? SIG_IGN : SIG_DFL)
        let sources = (0..<3).map { _ in Loop.SignalSource(signal: .user2) { _, _ in } }
        for source in sources {
          loop.add(source, forMode: .default)
          loop.add(source, forMode: .tracking)
        }
        #expect(disposition(SIGUSR2) > 1)
        sources[0].invalidate()
        loop.remove(sources[1], forMode: .default)
        loop.remove(sources[1], forMode: .tracking)
        loop.remove(sources[2], forMode: .default)
        #expect(disposition(SIGUSR2) > 1)
        loop.remove(sources[2], forMode: .tracking)
        #expect(disposition(SIGUSR2) == (isIgnored ? 1 : 0))
        signal(SIGUSR2, SIG_DFL)
      }
    }

    @Test("A loop that ends with its thread gives the signals back")
    func loopEnds() {
      onLoopThread { loop in
        loop.add(Loop.SignalSource(signal: .user2) { _, _ in }, forMode: .common)
      }
      #expect(disposition(SIGUSR2) == 0)
    }

    @Test("Signals that come while the source is paused, or is between two modes, are told later")
    func whilePaused() {
      onLoopThread { loop in
        var counts: [Int] = []
        let keeper = Loop.SignalSource(signal: .user1) { _, _ in }
        loop.add(keeper, forMode: .common)
        let source = Loop.SignalSource(signal: .user1) { _, count in counts.append(count) }
        loop.add(source, forMode: .default)
        source.isPaused = true
        for _ in 0..<2 { raise(SIGUSR1) }
        loop.runUntilQuiet()
        #expect(counts.isEmpty)
        source.isPaused = false
        loop.runUntilQuiet()
        #expect(counts == [2])
        raise(SIGUSR1)
        loop.remove(source, forMode: .default)
        loop.add(source, forMode: .tracking)
        loop.runUntilQuiet(in: .tracking)
        #expect(counts == [2, 1])
        source.invalidate()
        keeper.invalidate()
      }
    }

    @Test("stop(on:) keeps no run alive and ends every run on the stack at the first signal")
    func stopOn() {
      onLoopThread { loop in
        loop.stop(on: .user1, .user2)
        #expect(loop.run(mode: .default, for: .seconds(5)) == .finished)
        let hold = loop.holdOpen()
        var inner: Loop.RunResult?
        loop.perform {
          loop.perform { raise(SIGUSR2) }
          inner = loop.run(mode: .default, for: .seconds(50))
        }
        #expect(loop.run(mode: .default, for: .seconds(50)) == .stopped)
        #expect(inner == .stopped)
        #expect(disposition(SIGUSR1) == 0 && disposition(SIGUSR2) == 0)
        hold.invalidate()
      }
    }

    @Test("After stop(on:) the first signal stops and the second one kills")
    func secondSignalKills() async {
      await #expect(processExitsWith: .signal(SIGINT)) {
        onLoopThread { loop in
          loop.stop(on: .interrupt, .terminate)
          _ = loop.holdOpen()
          loop.perform { raise(SIGTERM) }
          guard loop.run(mode: .default, for: .seconds(50)) == .stopped else { exit(1) }
          raise(SIGINT)
          exit(2)
        }
      }
    }

    @Test("Signals have C's names, and those that can't be watched say so")
    func names() {
      #expect("\(Loop.Signal.interrupt)" == "SIGINT" && Loop.Signal.windowChange.rawValue == SIGWINCH)
      for signal in [SIGKILL, SIGSTOP, SIGSEGV, 0, -1, 32, 33, 65, Int32.max] {
        #expect(!Loop.Signal(rawValue: signal).canBeWatched)
      }
      for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, 34, 64] {
        #expect(Loop.Signal(rawValue: signal).canBeWatched)
      }
    }

    @Test("A signal that can't be watched is refused by name")
    func refused() async {
      await #expect(processExitsWith: .failure) {
        _ = Loop.SignalSource(signal: Loop.Signal(rawValue: 9)) { _, _ in }
      }
    }
  }
}
