import Foundation
import Synchronization
import Testing
import WakeLoop

/// A host on the loop's thread that waits for the guest's descriptor alone, without a deadline.
private final class Host {
  /// How the host waits.
  enum Way: CaseIterable {
    case poll, epoll
  }

  let guest: Loop.Guest
  private let way: Way
  private var set: Int32 = -1
  /// How often the descriptor was readable.
  private(set) var passes = 0

  init(_ loop: Loop, _ way: Way, mode: Loop.Mode = .default) throws {
    guest = try loop.makeGuest(in: mode)
    self.way = way
    guard way == .epoll else { return }
    set = epollCreate(0)
    // An event as C lays it out begins with what is asked for; 1 is EPOLLIN, and EPOLL_CTL_ADD.
    var event: (UInt32, UInt32, UInt64) = (1, 0, 0)
    precondition(epollControl(set, 1, guest.descriptor, &event) == 0)
  }

  deinit { if set >= 0 { close(set) } }

  /// Whether the descriptor becomes readable within so many milliseconds; −1 waits for ever.
  func isReadable(within timeout: Int32) -> Bool {
    while true {
      let count: Int32
      if way == .epoll {
        var event: (UInt32, UInt32, UInt64) = (0, 0, 0)
        count = epollWait(set, &event, 1, timeout)
      } else {
        var entry = pollfd(fd: guest.descriptor, events: Int16(POLLIN), revents: 0)
        count = Glibc.poll(&entry, 1, timeout)
      }
      if count >= 0 { return count > 0 }
      precondition(errno == EINTR)
    }
  }

  func run(until isOver: () -> Bool) {
    while !guest.isEnded && !isOver() {
      precondition(isReadable(within: -1))
      passes += 1
      guest.pass()
    }
  }
}

extension SourceTests {
  @Suite("A host that polls the guest's descriptor") struct PollingHostTests {
    @Test(
      "is woken for timers, on time and never early, with a pass for each date", arguments: Host.Way.allCases)
    fileprivate func timers(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        var fired = 0
        loop.schedule(every: .milliseconds(5)) { pass in
          if pass.instant < pass.due { Issue.record("due at \(pass.due), called at \(pass.instant)") }
          fired += 1
        }
        loop.after(.milliseconds(52)) { _ in loop.stop() }
        host.run(until: { false })
        #expect(host.guest.isEnded && host.guest.descriptor == -1)
        #expect(fired >= 1)
        // A pass for each beat and one for the stop: what is not due wakes nobody.
        #expect(host.passes <= fired + 2, "\(host.passes) passes for \(fired) beats")
      }
    }

    @Test("is not woken while nothing is due", arguments: Host.Way.allCases)
    fileprivate func idle(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        loop.after(.seconds(3600)) { _ in }
        let ends = Ends.pipe()
        _ = try! loop.watch(ends.reading) { source, _ in take(9, from: source.descriptor) }
        // What was added may have to be looked at once.
        while host.isReadable(within: 0) { host.guest.pass() }
        #expect(!host.isReadable(within: 200))
        ends.send()
        #expect(host.isReadable(within: -1))
        host.guest.pass()
        #expect(!host.isReadable(within: 200))
        host.guest.end()
        ends.close()
      }
    }

    @Test("loses none of 20,000 posts from four threads", arguments: Host.Way.allCases)
    fileprivate func posts(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        let served = Mutex(0)
        let remote = loop.remote
        for _ in 0..<4 {
          Thread.detachNewThread {
            for number in 0..<5_000 {
              remote.perform { served.withLock { $0 += 1 } }
              if number % 64 == 0 { sched_yield() }
            }
          }
        }
        host.run(until: { served.withLock { $0 } == 20_000 })
        #expect(served.withLock { $0 } == 20_000)
      }
    }

    @Test(
      "answers each post of a thread that waits for the answer before the next", arguments: Host.Way.allCases)
    fileprivate func pingPong(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        let remote = loop.remote
        let answered = Atomic(0)
        Thread.detachNewThread {
          for number in 1...2_000 {
            remote.perform { answered.store(number, ordering: .releasing) }
            while answered.load(ordering: .acquiring) < number { sched_yield() }
          }
          remote.stop()
        }
        host.run(until: { false })
        #expect(answered.load(ordering: .acquiring) == 2_000)
        // One for each post, one for the stop, and a few for those that came while awake.
        #expect(host.passes <= 4_100, "\(host.passes) passes")
      }
    }

    @Test("is woken for descriptors, signals and children", arguments: Host.Way.allCases)
    fileprivate func sources(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        var calls: Set<String> = []
        let ends = Ends.pipe()
        let reader = try! loop.watch(ends.reading) { source, _ in
          take(9, from: source.descriptor)
          calls.insert("descriptor")
        }
        let signal = Loop.SignalSource(signal: .user1) { _, _ in calls.insert("signal") }
        loop.add(signal, forMode: .common)
        ends.send()
        kill(getpid(), SIGUSR1)
        host.run(until: { calls == ["descriptor", "signal"] })
        let source = Loop.ChildSource(processID: spawn("exit 3")) { _, _ in calls.insert("child") }
        try! loop.add(source, forMode: .common)
        host.run(until: { calls.contains("child") })
        #expect(calls == ["descriptor", "signal", "child"])
        reader.invalidate()
        signal.invalidate()
        host.guest.end()
        ends.close()
      }
    }

    @Test(
      "still sees the loop when its base was rebuilt since a watched descriptor was closed",
      arguments: Host.Way.allCases)
    fileprivate func rebuilt(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        let descriptor = host.guest.descriptor
        var calls = 0
        let survivor = Ends.pipe()
        let kept = try! loop.watch(survivor.reading) { source, _ in
          take(9, from: source.descriptor)
          calls += 1
        }
        for round in 1...3 {
          let victim = Ends.pipe()
          let source = try! loop.watch(victim.reading) { _, _ in }
          // The file lives on under another number, so that only the loop can get rid of it.
          let duplicate = moved(dup(victim.reading))
          close(victim.reading)
          victim.send()
          survivor.send()
          host.run(until: { calls == round && !source.isValid })
          #expect(host.guest.descriptor == descriptor)
          close(duplicate)
          close(victim.writing)
        }
        // Nothing is left that would wake the host for ever.
        var idlePasses = 0
        while host.isReadable(within: 20) && idlePasses < 50 {
          host.guest.pass()
          idlePasses += 1
        }
        #expect(idlePasses <= 4)
        survivor.send()
        host.run(until: { calls == 4 })
        kept.invalidate()
        host.guest.end()
        survivor.close()
      }
    }

    @Test("is woken for what an ordinary run between its passes has left", arguments: Host.Way.allCases)
    fileprivate func ordinaryRuns(way: Host.Way) {
      onLoopThread { loop in
        let host = try! Host(loop, way)
        var calls = 0
        for round in 1...50 {
          // The run takes the wake with it, and is not in the mode of the perform.
          loop.perform { calls += 1 }
          loop.after(.zero, in: .tracking) { _ in }
          loop.run(mode: .tracking, for: .zero)
          #expect(host.isReadable(within: 0), "round \(round)")
          host.guest.pass()
          #expect(calls == round)
        }
        host.guest.end()
      }
    }

    @Test("may be run by a handler, and is woken there for timers and posts")
    func nestedHost() {
      onLoopThread { loop in
        let host = try! Host(loop, .poll)
        let remote = loop.remote
        var calls: [String] = []
        loop.perform {
          calls.append("dialog")
          host.guest.prepare()
          host.run(until: { calls.contains("posted") && calls.contains("timer") })
          calls.append("closed")
          loop.stop()
        }
        loop.perform { calls.append("beside") }
        loop.after(.milliseconds(5)) { _ in calls.append("timer") }
        let box = SharedLog()
        Thread.detachNewThread { remote.perform { box.append("posted") } }
        loop.schedule(every: .milliseconds(1)) { _ in
          if !box.entries.isEmpty && !calls.contains("posted") { calls.append("posted") }
        }
        host.run(until: { false })
        #expect(calls.first == "dialog" && calls.last == "closed")
        #expect(calls.contains("beside"))
        #expect(host.guest.isEnded)
      }
    }

    @Test("2,000 guests leave no descriptor behind, also those that are dropped")
    func descriptors() {
      onLoopThread { loop in
        // What the loop opens once for all its modes.
        _ = try! loop.makeGuest()
        let before = openDescriptors()
        for round in 0..<2_000 {
          let guest = try! loop.makeGuest(in: Loop.Mode("mode \(round % 3)"))
          if round % 2 == 0 { guest.end() }
        }
        #expect(openDescriptors() <= before)
      }
    }
  }
}

// The system's module has no epoll.
@_silgen_name("epoll_create1") private func epollCreate(_ flags: Int32) -> Int32
@_silgen_name("epoll_ctl")
private func epollControl(_ set: Int32, _ what: Int32, _ descriptor: Int32, _ event: UnsafeRawPointer)
  -> Int32
@_silgen_name("epoll_wait")
private func epollWait(
  _ set: Int32, _ events: UnsafeMutableRawPointer, _ count: Int32, _ timeout: Int32
) -> Int32

private func openDescriptors() -> Int {
  (0..<8192 as Range<Int32>).count { fcntl($0, F_GETFD) >= 0 }
}
