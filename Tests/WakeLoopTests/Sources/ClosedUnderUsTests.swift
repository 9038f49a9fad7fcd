import Glibc
import Synchronization
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct ClosedUnderUsTests {
    typealias Source = Loop.DescriptorSource

    /// A source that counts what it is told, and reads a byte at each call.
    ///
    /// Its source holds it until it ends.
    private final class Listener {
      var events: [Source.Event] = []
      private(set) var source: Source!

      init(_ descriptor: Int32, on loop: Loop, mode: Loop.Mode = .common) {
        source = try! loop.watch(descriptor, in: mode) { [self] source, event in
          events.append(event)
          if event == .readable { take(1, from: source.descriptor) }
        }
      }

      var isToldClosed: Bool { events.last == .error && source.failure?.code == EBADF && !source.isValid }
    }

    @Test("Case 38: A closed descriptor is told at the start of the next run, and the others go on")
    func toldAtRun() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let other = Ends.pipe()
        let closed = Listener(victim.reading, on: loop)
        let open = Listener(other.reading, on: loop)
        loop.runUntilQuiet()
        close(victim.reading)
        other.send()
        loop.runUntilQuiet()
        #expect(closed.isToldClosed && closed.events == [.error])
        #expect(open.events == [.readable])
        open.source.invalidate()
        other.close()
        close(victim.writing)
      }
    }

    @Test("Case 38: A descriptor closed during a run is told within as many passes as there are descriptors")
    func toldByTheRound() {
      onLoopThread { loop in
        let victims = (0..<8).map { _ in Ends.pipe() }
        let listeners = victims.map { Listener($0.reading, on: loop) }
        let clockwork = Ends.pipe()
        var calls = 0
        let busy = try! loop.watch(clockwork.reading) { _, _ in
          calls += 1
          if calls == 1 { close(victims[3].reading) }
        }
        clockwork.send()
        loop.run(until: { calls == 12 })
        #expect(listeners[3].isToldClosed)
        #expect(listeners.enumerated().allSatisfy { $0 == 3 || $1.source.isValid })
        busy.invalidate()
        for (index, listener) in listeners.enumerated() where index != 3 { listener.source.invalidate() }
        for (index, victim) in victims.enumerated() {
          if index != 3 { close(victim.reading) }
          close(victim.writing)
        }
        clockwork.close()
      }
    }

    @Test(
      "Case 38: A descriptor whose duplicate lives on is told as closed when its file becomes ready, and does not spin"
    )
    func duplicateLivesOn() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let listener = Listener(victim.reading, on: loop)
        let duplicate = moved(dup(victim.reading))
        // Closed while the loop runs, so that only the kernel's report can find it out.
        loop.perform {
          close(victim.reading)
          victim.send()
        }
        loop.runUntilQuiet()
        #expect(listener.isToldClosed && listener.events == [.error])
        close(duplicate)
        close(victim.writing)
      }
    }

    @Test(
      "Case 38: A number reused for another file with a duplicate living on: each sees only its own events",
      arguments: [true, false])
    func reused(keepsDuplicate: Bool) {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let fresh = Ends.pipe()
        let old = Listener(victim.reading, on: loop)
        loop.runUntilQuiet()
        let duplicate = keepsDuplicate ? moved(dup(victim.reading)) : -1
        dup2(fresh.reading, victim.reading)
        let new = Listener(victim.reading, on: loop)
        if keepsDuplicate { victim.send() }
        fresh.send(2)
        loop.runUntilQuiet()
        #expect(old.isToldClosed && old.events == [.error])
        #expect(new.events == [.readable, .readable])
        new.source.invalidate()
        if keepsDuplicate { close(duplicate) }
        close(victim.writing)
        close(victim.reading)
        fresh.close()
      }
    }

    @Test("A stale registration whose number names another ready file is found out by its first report")
    func reusedAndReady() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let fresh = Ends.pipe()
        let listener = Listener(victim.reading, on: loop)
        loop.runUntilQuiet()
        let duplicate = moved(dup(victim.reading))
        dup2(fresh.reading, victim.reading)
        fresh.send()
        victim.send()
        loop.runUntilQuiet()
        #expect(listener.isToldClosed && listener.events == [.error])
        #expect(take(10, from: fresh.reading) == 1)
        close(duplicate)
        close(victim.writing)
        close(victim.reading)
        fresh.close()
      }
    }

    @Test("Closed while paused is told on resuming")
    func closedWhilePaused() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let listener = Listener(victim.reading, on: loop)
        loop.runUntilQuiet()
        listener.source.isPaused = true
        loop.perform { close(victim.reading) }
        loop.runUntilQuiet()
        #expect(listener.events.isEmpty)
        listener.source.isPaused = false
        loop.runUntilQuiet()
        #expect(listener.isToldClosed)
        close(victim.writing)
      }
    }

    @Test("Closed is told at the next change of interest")
    func closedThenChanged() {
      onLoopThread { loop in
        let victim = Ends.sockets()
        let listener = Listener(victim.reading, on: loop)
        var wasTold = false
        loop.perform {
          close(victim.reading)
          listener.source.interest = [.read, .write]
          loop.perform { wasTold = listener.isToldClosed }
        }
        loop.runUntilQuiet()
        #expect(wasTold || listener.isToldClosed)
        #expect(listener.events == [.error])
        close(victim.writing)
      }
    }

    @Test("A closed source that is taken out of its mode is told when it is added to another")
    func closedThenRemoved() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let listener = Listener(victim.reading, on: loop, mode: .default)
        loop.runUntilQuiet()
        close(victim.reading)
        loop.remove(listener.source, forMode: .default)
        #expect(listener.source.isValid)
        loop.add(listener.source as Loop.Item, forMode: .tracking)
        loop.runUntilQuiet(in: .tracking)
        #expect(listener.isToldClosed)
        close(victim.writing)
      }
    }

    @Test("A source told in one mode leaves no trace in the others")
    func severalModes() {
      onLoopThread { loop in
        let victim = Ends.pipe()
        let listener = Listener(victim.reading, on: loop)
        loop.runUntilQuiet(in: .tracking)
        loop.runUntilQuiet(in: .default)
        let duplicate = moved(dup(victim.reading))
        close(victim.reading)
        victim.send()
        loop.runUntilQuiet(in: .default)
        loop.runUntilQuiet(in: .tracking)
        #expect(listener.events == [.error])
        #expect(loop.run(mode: .default, for: .zero) == .finished)
        close(duplicate)
        close(victim.writing)
      }
    }

    @Test("Ending a source after its descriptor was closed is reported, once a loop")
    func reported() {
      let reports = Mutex<[String]>([])
      let before = Loop.onReport
      Loop.onReport = { report in
        if report.kind == .descriptorLost { reports.withLock { $0.append(report.message) } }
      }
      onLoopThread { loop in
        for _ in 0..<3 {
          let victim = Ends.pipe()
          let listener = Listener(victim.reading, on: loop)
          loop.perform {
            close(victim.reading)
            listener.source.invalidate()
          }
          loop.runUntilQuiet()
          #expect(listener.events.isEmpty)
          close(victim.writing)
        }
      }
      Loop.onReport = before
      #expect(reports.withLock(\.count) == 1)
      #expect(reports.withLock(\.first)?.contains("invalidate first") == true)
    }

    @Test("Case 39: A source cancelled earlier in the same pass is not told, even when its number is reused")
    func cancelledInPass() {
      onLoopThread { loop in
        let one = Ends.pipe()
        let two = Ends.pipe()
        let fresh = Ends.pipe()
        one.send()
        two.send()
        var told: [String] = []
        let second = Source(descriptor: two.reading, order: 2) { _, _ in told.append("second") }
        let first = Source(descriptor: one.reading, order: 1) { source, _ in
          told.append("first")
          take(1, from: source.descriptor)
          second.invalidate()
          dup2(fresh.reading, two.reading)
          try! loop.watch(two.reading) { source, _ in
            told.append("new")
            take(1, from: source.descriptor)
          }
        }
        try! loop.add(first, forMode: .default)
        try! loop.add(second, forMode: .default)
        loop.runUntilQuiet()
        #expect(told == ["first"])
        fresh.send()
        loop.runUntilQuiet()
        #expect(told == ["first", "new"])
        for item in loop.items where item !== first { item.invalidate() }
        first.invalidate()
        one.close()
        two.close()
        fresh.close()
      }
    }

    @Test(
      "Random programs of opening, closing, duplicating and reusing tell every readiness to the right source",
      arguments: 0..<30)
    func randomPrograms(seed: Int) {
      onLoopThread { loop in
        let program = DescriptorProgram(seed: UInt64(seed), loop: loop)
        for _ in 0..<120 { program.step() }
        program.finish()
      }
    }
  }
}
