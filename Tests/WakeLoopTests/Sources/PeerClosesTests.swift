import Glibc
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct PeerClosesTests {
    typealias Source = Loop.DescriptorSource

    /// Records what a source is told while its handler does `reading`.
    private func told(
      _ ends: Ends, on loop: Loop, interest: Source.Interest = .read,
      reading: @escaping (Int32) -> Void = { _ in }
    ) -> [Source.Event] {
      var events: [Source.Event] = []
      let source = try! loop.watch(ends.reading, for: interest) { source, event in
        events.append(event)
        reading(source.descriptor)
      }
      loop.runUntilQuiet()
      #expect(source.isValid && source.failure == nil)
      source.invalidate()
      return events
    }

    private func count(_ state: Source.Event, in events: [Source.Event]) -> Int {
      events.filter { $0.contains(state) }.count
    }

    @Test(
      "Case 37: A closed peer is told once, and nobody who does not read makes the loop spin",
      arguments: [true, false])
    func peerCloses(isPipe: Bool) {
      onLoopThread { loop in
        let ends = isPipe ? Ends.pipe() : Ends.sockets()
        close(ends.writing, seenBy: ends.reading)
        let events = told(ends, on: loop)
        #expect(events == [[.readable, .endOfFile, .hangUp]])
        close(ends.reading)
      }
    }

    @Test("Case 37: A half-closed socket is told as the end of file, and goes on being written")
    func halfClose() {
      onLoopThread { loop in
        let ends = Ends.sockets()
        shutdown(ends.writing, Int32(SHUT_WR))
        var events: [Source.Event] = []
        let source = try! loop.watch(ends.reading, for: [.read, .write]) { source, event in
          events.append(event)
          if events.count == 50 { source.interest = .read }
        }
        loop.runUntilQuiet()
        #expect(events.count == 50)
        #expect(count(.endOfFile, in: events) == 1)
        #expect(count(.readable, in: events) == 1)
        #expect(count(.hangUp, in: events) == 0)
        source.interest = .write
        close(ends.writing, seenBy: ends.reading)
        loop.runUntilQuiet()
        #expect(count(.hangUp, in: events) == 1)
        #expect(count(.endOfFile, in: events) == 1)
        source.invalidate()
        close(ends.reading)
      }
    }

    @Test("Case 37: A reset connection is told once as an error, and does not spin")
    func reset() {
      onLoopThread { loop in
        let (client, server) = connectedOverTCP()
        var no = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &no, socklen_t(MemoryLayout<linger>.size))
        close(client, seenBy: server)
        var events: [Source.Event] = []
        let source = try! loop.watch(server, for: [.read, .write]) { _, event in events.append(event) }
        loop.runUntilQuiet()
        #expect(count(.error, in: events) == 1)
        #expect(count(.hangUp, in: events) == 1)
        #expect(count(.endOfFile, in: events) == 1)
        source.invalidate()
        close(server)
      }
    }

    @Test("A pipe whose reader has gone is told to its writer once, as an error")
    func readerGone() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        let backwards = Ends(reading: ends.writing, writing: ends.reading)
        close(ends.reading, seenBy: ends.writing)
        let events = told(backwards, on: loop, interest: .write)
        #expect(events == [[.writable, .error]])
        close(ends.writing)
      }
    }

    @Test("Bytes left by a closed peer are all readable before the end is told", arguments: [true, false])
    func bytesBeforeTheEnd(isPipe: Bool) {
      onLoopThread { loop in
        let ends = isPipe ? Ends.pipe() : Ends.sockets()
        ends.send(100)
        close(ends.writing, seenBy: ends.reading)
        var left = 100
        let events = told(ends, on: loop) { left -= take(1, from: $0) }
        #expect(left == 0)
        #expect(events.dropLast().allSatisfy { $0 == .readable })
        #expect(events.last == [.readable, .endOfFile, .hangUp])
        #expect(events.count == 101)
        close(ends.reading)
      }
    }

    @Test(
      "A handler that reads none of the bytes left is told the end and not called again",
      arguments: [true, false])
    func bytesNobodyReads(isPipe: Bool) {
      onLoopThread { loop in
        let ends = isPipe ? Ends.pipe() : Ends.sockets()
        ends.send(100)
        close(ends.writing, seenBy: ends.reading)
        let events = told(ends, on: loop)
        #expect(events == [.readable, [.readable, .endOfFile, .hangUp]])
        #expect(take(200, from: ends.reading) == 100)
        close(ends.reading)
      }
    }

    @Test(
      "A state that came while the source was paused is told on resuming, once", arguments: [true, false])
    func whilePaused(isPipe: Bool) {
      onLoopThread { loop in
        let ends = isPipe ? Ends.pipe() : Ends.sockets()
        var events: [Source.Event] = []
        let source = try! loop.watch(ends.reading) { _, event in events.append(event) }
        source.isPaused = true
        close(ends.writing, seenBy: ends.reading)
        loop.runUntilQuiet()
        #expect(events.isEmpty)
        for _ in 0..<3 {
          source.isPaused = false
          loop.runUntilQuiet()
          #expect(events == [[.readable, .endOfFile, .hangUp]])
          source.isPaused = true
        }
        source.invalidate()
        close(ends.reading)
      }
    }

    @Test("The handler that is told of the end may close the descriptor before it ends the source")
    func closedInHandler() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        close(ends.writing, seenBy: ends.reading)
        var calls = 0
        try! loop.watch(ends.reading) { source, _ in
          calls += 1
          close(source.descriptor)
          source.invalidate()
        }
        loop.runUntilQuiet()
        #expect(calls == 1)
      }
    }

    @Test("A hung-up descriptor keeps the loop alive and asleep, also after thousands of busy calls")
    func afterABusyTime() {
      onLoopThread { loop in
        let ends = Ends.sockets()
        ends.send()
        var calls = 0
        let source = try! loop.watch(ends.reading) { source, event in
          calls += 1
          if calls == 5_000 { close(ends.writing, seenBy: ends.reading) }
          if calls < 5_000 { return }
          take(1, from: source.descriptor)
        }
        loop.run(until: { calls >= 5_000 })
        let before = calls
        loop.runUntilQuiet()
        #expect(calls - before <= 33)
        source.invalidate()
        close(ends.reading)
      }
    }

    @Test("A hung-up pipe is found out though other handlers run the loop in between")
    func amongNestedRuns() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send()
        var calls = 0
        let source = try! loop.watch(ends.reading) { source, _ in
          calls += 1
          take(1, from: source.descriptor)
        }
        loop.run(until: { calls == 1 })
        close(ends.writing, seenBy: ends.reading)
        var rounds = 0
        let mode = Loop.Mode("nested")
        let other = Loop.UserSource { [unowned loop] in
          rounds += 1
          let hold = loop.holdOpen()
          for _ in 0..<10 { loop.run(mode: mode, for: .zero) }
          hold.invalidate()
        }
        loop.add(other, forMode: .default)
        let again = Loop.Observer(activities: .beforeWaiting) { _, _ in other.signal() }
        loop.add(again, forMode: .default)
        loop.run(until: { rounds == 200 })
        #expect(calls <= 40)
        for item in [source, other, again] as [Loop.Item] { item.invalidate() }
        close(ends.reading)
      }
    }

    @Test("Case 42: Nothing that the library does for a source whose reader has gone raises SIGPIPE")
    func neverSIGPIPE() {
      onLoopThread { loop in
        let before = signal(SIGPIPE) { _ in sawPipeSignal = 1 }
        defer { signal(SIGPIPE, before) }
        let ends = Ends.pipe()
        let source = try! loop.watch(ends.writing, for: .write) { _, _ in }
        close(ends.reading, seenBy: ends.writing)
        loop.runUntilQuiet()
        source.isPaused = true
        source.isPaused = false
        loop.runUntilQuiet()
        source.invalidate()
        close(ends.writing)
        #expect(sawPipeSignal == 0)
      }
    }
  }
}

// Written by a signal handler of one thread only.
nonisolated(unsafe) private var sawPipeSignal: sig_atomic_t = 0

/// Two ends of a connection over the loopback interface.
private func connectedOverTCP() -> (client: Int32, server: Int32) {
  let kind = Int32(SOCK_STREAM.rawValue)
  let listener = socket(AF_INET, kind, 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(UInt32(0x7f00_0001).bigEndian)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let client = socket(AF_INET, kind, 0)
  let server = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      precondition(bind(listener, address, size) == 0 && listen(listener, 1) == 0)
      precondition(getsockname(listener, address, &size) == 0)
      precondition(connect(client, address, size) == 0)
      return accept(listener, nil, nil)
    }
  }
  precondition(server >= 0)
  close(listener)
  return (moved(client), moved(server))
}
