import Synchronization
import Testing
import WakeLoop
import WakeLoopTesting

/// Runs a loop on a thread of its own, where the real clocks are, until it is stopped.
@Suite("Frames as a sequence, and links from other threads")
struct FramesSequenceTests {
  /// Calls a closure with the remote of a loop that runs on another thread, and ends that loop afterwards.
  private func withLoop<R: Sendable>(
    _ body: (Loop.Remote) async throws -> R
  ) async throws -> R {
    let remotes = AsyncStream<Loop.Remote>.makeStream()
    let thread = OwnThread {
      let loop = Loop.current
      let hold = loop.holdOpen()
      remotes.continuation.yield(loop.remote)
      loop.run()
      hold.invalidate()
    }
    defer { thread.join() }
    var iterator = remotes.stream.makeAsyncIterator()
    let remote = await iterator.next()!
    defer { remote.stop() }
    return try await body(remote)
  }

  @Test("a task is given frame after frame, each of a later refresh")
  func frames() async throws {
    let frames = try await withLoop { remote in
      var frames: [Frame] = []
      for await frame in remote.frames() {
        frames.append(frame)
        if frames.count == 10 { break }
      }
      return frames
    }
    #expect(frames.count == 10)
    for (before, frame) in zip(frames, frames.dropFirst()) {
      #expect(frame.timestamp > before.timestamp)
      #expect(frame.timestamp <= frame.stamp.wakeInstant)
    }
  }

  @Test("frames that come while the task is busy are dropped, and the next one says how many")
  func dropped() async throws {
    try await withLoop { remote in
      let iterator = remote.frames().makeAsyncIterator()
      let first = try #require(await iterator.next())
      try await Task.sleep(for: .milliseconds(200))
      let second = try #require(await iterator.next())
      let passed = (second.timestamp - first.timestamp) / second.duration
      #expect(second.missed >= 5)
      #expect(abs(Double(second.missed + 1) - passed) < 1.5)
    }
  }

  @Test("the link ends with the iteration, with its task and with its loop")
  func ends() async throws {
    try await withLoop { remote in
      var link: FrameLink?
      for await frame in remote.frames() {
        link = frame.link
        break
      }
      #expect(link?.isValid == false)

      let task = Task {
        var count = 0
        for await _ in remote.frames() { count += 1 }
        return count
      }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      _ = await task.value
    }
    let remote = try await withLoop { $0 }
    while !remote.hasEnded { await Task.yield() }
    for await _ in remote.frames() { Issue.record("a frame came from a loop that has ended") }
  }

  @Test("a link is ended, paused and resumed from another thread")
  func foreignControl() async throws {
    try await withLoop { remote in
      let calls = Atomic<Int>(0)
      let links = AsyncStream<FrameLink>.makeStream()
      remote.perform {
        let link = Loop.current.onEachFrame { _ in calls.add(1, ordering: .relaxed) }
        links.continuation.yield(link)
      }
      var iterator = links.stream.makeAsyncIterator()
      let link = try #require(await iterator.next())
      func waitForCalls(beyond count: Int) async throws {
        while calls.load(ordering: .relaxed) <= count { try await Task.sleep(for: .milliseconds(2)) }
      }
      try await waitForCalls(beyond: 2)
      link.isPaused = true
      // One that runs already may still end.
      try await Task.sleep(for: .milliseconds(60))
      let paused = calls.load(ordering: .relaxed)
      try await Task.sleep(for: .milliseconds(100))
      #expect(calls.load(ordering: .relaxed) == paused)
      link.isPaused = false
      try await waitForCalls(beyond: paused + 2)
      link.invalidate()
      #expect(!link.isValid)
      try await Task.sleep(for: .milliseconds(60))
      let ended = calls.load(ordering: .relaxed)
      try await Task.sleep(for: .milliseconds(100))
      #expect(calls.load(ordering: .relaxed) == ended)
    }
  }

  @Test("a clock is told from another thread, and its links are called on theirs")
  func foreignTicks() async throws {
    try await withLoop { remote in
      let calls = Atomic<Int>(0)
      let clocks = AsyncStream<FrameClock>.makeStream()
      remote.perform {
        let clock = FrameClock.external()
        let loop = Loop.current
        loop.onEachFrame(of: clock) { frame in
          #expect(frame.timestamp <= loop.wakeInstant)
          calls.add(1, ordering: .relaxed)
        }
        clocks.continuation.yield(clock)
      }
      var iterator = clocks.stream.makeAsyncIterator()
      let clock = try #require(await iterator.next())
      while calls.load(ordering: .relaxed) < 10 {
        clock.tick(at: .now, refresh: .milliseconds(10))
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  @Test("real frames, plain or precise, are never early")
  func neverEarly() async throws {
    for pacing in [FramePacing.timer, .precise(spin: .microseconds(200))] {
      let late = try await withLoop { remote in
        await withCheckedContinuation { (continuation: CheckedContinuation<[Duration], Never>) in
          remote.perform {
            var late: [Duration] = []
            let link = FrameLink(clock: .grid(hz: 120)) { frame in
              late.append(Loop.Instant.now - frame.timestamp)
              if late.count == 30 {
                frame.link.invalidate()
                continuation.resume(returning: late)
              }
            }
            link.pacing = pacing
            link.add(to: .current, forMode: .common)
          }
        }
      }
      #expect(late.allSatisfy { $0 >= .zero })
    }
  }
}
