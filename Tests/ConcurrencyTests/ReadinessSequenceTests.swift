import Glibc
import Testing
import WakeLoop
import WakeLoopTesting

extension EventSequenceTests {
  @Suite("Readiness as a sequence")
  struct ReadinessSequenceTests {
    /// The two ends of a pipe, closed when the test ends unless it has done so.
    private func pipe() -> (reading: Int32, writing: Int32) {
      var ends: [Int32] = [-1, -1]
      precondition(Glibc.pipe(&ends) == 0)
      for end in ends { precondition(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
      return (ends[0], ends[1])
    }

    private func withThread(_ body: (LoopThread) async throws -> Void) async throws {
      let thread = try LoopThread(name: "readiness")
      try await body(thread)
      #expect(await thread.itemsLeft() == [])
      thread.stop()
      thread.join()
    }

    @Test("a task reads all that a thread writes, with the end of the file told once")
    func everything() async throws {
      try await withThread { thread in
        let (reading, writing) = pipe()
        let writer = Task {
          for count in 1...400 {
            let bytes = [UInt8](repeating: 7, count: count)
            while write(writing, bytes, count) < 0 { await Task.yield() }
            if count % 50 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
          }
          close(writing)
        }
        var total = 0
        var ends = 0
        var bytes = [UInt8](repeating: 0, count: 64)
        for try await event in thread.remote.readiness(of: reading) {
          #expect(event.contains(.readable))
          // Much less than there may be: what is left is told again.
          total += max(0, read(reading, &bytes, bytes.count))
          if event.contains(.endOfFile) { ends += 1 }
        }
        await writer.value
        #expect(total == 400 * 401 / 2)
        #expect(ends == 1)
        #expect(read(reading, &bytes, 1) == 0)
        close(reading)
      }
    }

    @Test("what nobody reads makes no pass, before the first element and between two")
    func noSpin() async throws {
      try await withThread { thread in
        let (reading, writing) = pipe()
        precondition(write(writing, "xx", 2) == 2)
        let iterator = thread.remote.readiness(of: reading).makeAsyncIterator()
        for _ in 0..<2 {
          let before = await thread.passes()
          try await Task.sleep(for: .milliseconds(100))
          // The questions themselves make some.
          #expect(await thread.passes() - before < 10)
          let event = try await iterator.next()
          #expect(event == .readable)
        }
        let writable = thread.remote.readiness(of: writing, for: .write).makeAsyncIterator()
        let event = try await writable.next()
        #expect(event == .writable)
        let before = await thread.passes()
        try await Task.sleep(for: .milliseconds(100))
        #expect(await thread.passes() - before < 10)
        close(reading)
        close(writing)
      }
    }

    @Test("a descriptor that is closed, or can't be watched, is thrown once")
    func refused() async throws {
      try await withThread { thread in
        let folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for (descriptor, code) in [(-1, EBADF), (9_999, EBADF), (folder, EPERM)] as [(Int32, Int32)] {
          let iterator = thread.remote.readiness(of: descriptor).makeAsyncIterator()
          let error = await #expect(throws: Loop.SystemError.self) { try await iterator.next() }
          #expect(error?.code == code)
          let next = try await iterator.next()
          #expect(next == nil)
        }
        close(folder)
      }
    }

    @Test("a descriptor closed while it rests is thrown when it is asked for")
    func closed() async throws {
      try await withThread { thread in
        let (reading, writing) = pipe()
        // A number that nobody else is given meanwhile.
        let high = fcntl(reading, F_DUPFD_CLOEXEC, 900)
        let iterator = thread.remote.readiness(of: high).makeAsyncIterator()
        precondition(write(writing, "x", 1) == 1)
        let event = try await iterator.next()
        #expect(event == .readable)
        close(high)
        let error = await #expect(throws: Loop.SystemError.self) { try await iterator.next() }
        #expect(error?.code == EBADF)
        close(reading)
        close(writing)
      }
    }

    @Test("a hang-up with an error is told with all its marks, and then it ends")
    func hangUp() {
      let log = VirtualLog<Loop.DescriptorSource.Event?>()
      _ = log.start { log in
        let iterator = log.virtual.loop.readiness(of: 4, for: [.read, .write]).makeAsyncIterator()
        for _ in 0..<3 { log.add(try await iterator.next()) }
      }
      log.virtual.hangUp(4, withError: true, at: log.virtual.now + .seconds(2))
      log.virtual.advance(by: .seconds(5))
      #expect(log.entries == [[.readable, .writable, .endOfFile, .hangUp, .error], nil, nil])
      #expect(log.virtual.loop.items.isEmpty)
    }

    @Test("in virtual time bytes before the end are told first, and unread ones make no pass")
    func virtualEnd() {
      let log = VirtualLog<Loop.DescriptorSource.Event>()
      let begin = log.virtual.now
      _ = log.start { log in
        var left = 3
        let clock = log.virtual.loop.clock
        for try await event in log.virtual.loop.readiness(of: 4) {
          log.add(event)
          let before = log.virtual.loop.iteration
          try await clock.sleep(until: clock.now + .seconds(10))
          #expect(log.virtual.loop.iteration - before <= 5)
          left -= 1
          if left >= 0 { log.virtual.endPeer(4, unreadBytes: left) }
        }
      }
      log.virtual.endPeer(4, unreadBytes: 3, at: begin + .seconds(1))
      log.virtual.advance(by: .seconds(100))
      #expect(log.entries == [.readable, .readable, .readable, [.readable, .endOfFile]])
      #expect(log.instants.map { begin.duration(to: $0) } == [1, 11, 21, 31].map { .seconds($0) })
      #expect(log.virtual.loop.items.isEmpty)
    }
  }
}

extension LoopThread {
  /// How many stamps the loop has taken.
  func passes() async -> UInt64 {
    await withCheckedContinuation { continuation in
      remote.perform { continuation.resume(returning: Loop.current.iteration) }
    }
  }

  /// Runs a closure on the loop's thread and waits for it.
  func onLoop(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      remote.perform {
        body()
        continuation.resume()
      }
    }
  }
}
