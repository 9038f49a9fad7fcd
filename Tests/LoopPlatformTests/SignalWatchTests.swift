import CLoopShims
import Glibc
import LoopCore
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct SignalWatchTests {
    /// The handler's address, 0 default, 1 ignored.
    private func disposition(_ signal: Int32) -> UInt {
      var action = sigaction()
      precondition(sigaction(signal, nil, &action) == 0)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    @Test("Each watch of a signal counts each arrival, and wakes its own loop")
    func twoWakers() throws {
      try withSignalsUnblocked {
        let first = OneBackend()
        let second = OneBackend()
        let one = try SignalWatch(signal: SIGUSR1, waker: first.waker)
        let two = try SignalWatch(signal: SIGUSR1, waker: second.waker)
        for _ in 0..<100 { raise(SIGUSR1) }
        #expect(first.waker.take() == .signal)
        #expect(second.waker.take() == .signal)
        #expect(one.takeCount() == 100)
        #expect(two.takeCount() == 100)
        #expect(one.takeCount() == 0)
        one.end()
        raise(SIGUSR1)
        #expect(one.takeCount() == 0)
        #expect(two.takeCount() == 1)
        #expect(first.waker.take() == [])
        two.end()
        two.end()
      }
    }

    @Test("The disposition before is back when the last watch ends")
    func restored() throws {
      let waker = Waker()
      for before in [SIG_IGN, SIG_DFL] {
        Glibc.signal(SIGUSR2, before)
        let original = disposition(SIGUSR2)
        let one = try SignalWatch(signal: SIGUSR2, waker: waker)
        let two = try SignalWatch(signal: SIGUSR2, waker: waker)
        #expect(disposition(SIGUSR2) != original)
        one.end()
        #expect(disposition(SIGUSR2) != original)
        two.end()
        #expect(disposition(SIGUSR2) == original)
      }
    }

    @Test("A disposition that someone else has set meanwhile is left alone")
    func notRestoredOverOthers() throws {
      let waker = Waker()
      Glibc.signal(SIGUSR2, SIG_DFL)
      let watch = try SignalWatch(signal: SIGUSR2, waker: waker)
      Glibc.signal(SIGUSR2, SIG_IGN)
      watch.end()
      #expect(disposition(SIGUSR2) == 1)
      Glibc.signal(SIGUSR2, SIG_DFL)
    }

    @Test("A watched signal is not blocked, in its handler or after")
    func notBlocked() throws {
      try withSignalsUnblocked {
        let watch = try SignalWatch(signal: SIGUSR1, waker: Waker())
        raise(SIGUSR1)
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        #expect(sigismember(&mask, SIGUSR1) == 0)
        watch.end()
      }
    }

    @Test(
      "What can't be watched is refused as EINVAL",
      arguments: [0, -1, 65, 1000, Int32.max, SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL])
    func refused(signal: Int32) {
      #expect(throws: SystemError(errno: EINVAL, call: "sigaction")) {
        try SignalWatch(signal: signal, waker: Waker())
      }
    }

    @Test("A signal ends a wait that has no deadline")
    func endsWait() throws {
      try withSignalsUnblocked {
        let one = OneBackend()
        let watch = try SignalWatch(signal: SIGUSR1, waker: one.waker)
        let process = getpid()
        for _ in 0..<100 {
          let thread = TestThread { kill(process, SIGUSR1) }
          while !one.waker.take().contains(.signal) { _ = one.wait(until: .never) }
          #expect(watch.takeCount() == 1)
          thread.join()
        }
        watch.end()
      }
    }

    @Test("An unwatched loop sleeps on through other signals")
    func sleepsThroughOthers() throws {
      try withSignalsUnblocked {
        let one = OneBackend()
        let elsewhere = try SignalWatch(signal: SIGUSR1, waker: Waker())
        let here = pthread_self()
        let deadline = one.after(milliseconds: 10)
        let thread = TestThread {
          usleep(2_000)
          pthread_kill(here, SIGUSR1)
        }
        _ = one.wait(until: WaitDeadlines(suspending: deadline))
        #expect(one.backend.now(.suspending) >= deadline)
        thread.join()
        elsewhere.end()
      }
    }

    @Test("Watches that begin and end while signals arrive neither crash nor reach a waker that is gone")
    func endsUnderFire() throws {
      try withSignalsUnblocked {
        // One watch stays, so that no signal finds the default disposition.
        let keeper = try SignalWatch(signal: SIGUSR1, waker: Waker())
        // Aimed at this thread: one for the process may be another thread's, which comes to it after the last watch.
        let here = pthread_self()
        let thread = TestThread { for _ in 0..<5_000 { pthread_kill(here, SIGUSR1) } }
        for _ in 0..<2_000 {
          let watch = try SignalWatch(signal: SIGUSR1, waker: Waker())
          _ = watch.takeCount()
          watch.end()
        }
        thread.join()
        #expect(keeper.takeCount() > 0)
        keeper.end()
      }
    }

    @Test("What no thread has taken when the last watch ends is counted, not left to what was there before")
    func pendingAtEnd() {
      // In a process of one thread, a signal that it blocks stays pending.
      let result = inForkedChild {
        guard let watch = try? SignalWatch(signal: SIGUSR1, waker: Waker()) else { return 1 }
        var blocked = sigset_t()
        var before = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        kill(getpid(), SIGUSR1)
        guard watch.takeCount() == 0 else { return 2 }
        let left = watch.end()
        var now = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &now)
        guard sigismember(&now, SIGUSR1) == 1 else { return 3 }
        // Killed here if it is still pending.
        sigdelset(&before, SIGUSR1)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return left == 1 ? 0 : 4
      }
      #expect(result == 0)
    }

    @Test("A forked child has the dispositions before, and its signals do not reach the parent")
    func forkedChild() throws {
      try withSignalsUnblocked {
        let one = OneBackend()
        Glibc.signal(SIGUSR2, SIG_IGN)
        let first = try SignalWatch(signal: SIGUSR1, waker: one.waker)
        let second = try SignalWatch(signal: SIGUSR2, waker: one.waker)
        #expect(one.waker.prepareToSleep())
        let survives = inForkedChild {
          raise(SIGUSR2)
          return 7
        }
        #expect(survives == 7)
        let dies = inForkedChild {
          raise(SIGUSR1)
          return 7
        }
        #expect(dies == -SIGUSR1)
        #expect(one.waker.isSleeping)
        #expect(one.waker.take() == [])
        one.waker.didWake()
        #expect(first.takeCount() == 0)
        first.end()
        second.end()
        #expect(disposition(SIGUSR2) == 1)
        Glibc.signal(SIGUSR2, SIG_DFL)
      }
    }

    @Test("A forked child may end what it inherited and watch anew")
    func childWatchesAnew() throws {
      try withSignalsUnblocked {
        let waker = Waker()
        let watch = try SignalWatch(signal: SIGUSR1, waker: waker)
        let result = inForkedChild {
          watch.end()
          let waker = Waker()
          guard let own = try? SignalWatch(signal: SIGUSR1, waker: waker) else { return 1 }
          raise(SIGUSR1)
          guard waker.take() == .signal, own.takeCount() == 1 else { return 2 }
          own.end()
          return 0
        }
        #expect(result == 0)
        raise(SIGUSR1)
        #expect(watch.takeCount() == 1)
        watch.end()
      }
    }

    @Test("Signals have C's names")
    func names() {
      #expect(SignalNumber.name(SIGINT) == "SIGINT")
      #expect(SignalNumber.name(SIGTERM) == "SIGTERM")
      #expect(SignalNumber.name(0) == "signal 0")
      #expect(SignalNumber.name(9999) == "signal 9999")
      #expect(SignalNumber.name(64) == "SIGRTMIN+30")
    }
  }
}
