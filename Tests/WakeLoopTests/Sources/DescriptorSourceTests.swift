import Glibc
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct DescriptorSourceTests {
    typealias Source = Loop.DescriptorSource

    @Test("A source is told of bytes in each pass until they are read, and then the loop sleeps")
    func readable() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send(3)
        var events: [Source.Event] = []
        let source = try! loop.watch(ends.reading) { source, event in
          events.append(event)
          take(1, from: source.descriptor)
        }
        loop.runUntilQuiet()
        #expect(events == [.readable, .readable, .readable])
        #expect(source.isValid)
        source.invalidate()
        ends.close()
      }
    }

    @Test("Interest in both directions, changed from the handler, counts at once")
    func interestChanges() {
      onLoopThread { loop in
        let ends = Ends.sockets()
        var events: [Source.Event] = []
        let source = try! loop.watch(ends.reading, for: [.read, .write]) { source, event in
          events.append(event)
          source.interest = .read
        }
        loop.runUntilQuiet()
        #expect(events == [.writable])
        ends.send()
        source.interest = .write
        _ = loop.run(mode: .default, for: .zero)
        #expect(events == [.writable, .writable])
        #expect(source.interest == .read)
        source.invalidate()
        ends.close()
      }
    }

    @Test("A source without interest is out of the poll set and told nothing")
    func noInterest() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send()
        var calls = 0
        let source = try! loop.watch(ends.reading, for: []) { source, _ in
          calls += 1
          take(1, from: source.descriptor)
        }
        close(ends.writing)
        loop.runUntilQuiet()
        #expect(calls == 0)
        source.interest = .read
        loop.runUntilQuiet()
        #expect(calls > 0)
        source.invalidate()
        close(ends.reading)
      }
    }

    @Test("Interest taken away earlier in the same pass is respected")
    func interestTakenAwayInPass() {
      onLoopThread { loop in
        let one = Ends.pipe()
        let two = Ends.pipe()
        one.send()
        two.send()
        var calls = 0
        let second = Source(descriptor: two.reading, order: 2) { _, _ in calls += 1 }
        let first = Source(descriptor: one.reading, order: 1) { source, _ in
          take(1, from: source.descriptor)
          second.interest = []
        }
        try! loop.add(second, forMode: .default)
        try! loop.add(first, forMode: .default)
        loop.runUntilQuiet()
        #expect(calls == 0)
        first.invalidate()
        second.invalidate()
        one.close()
        two.close()
      }
    }

    @Test("Two sources on one descriptor each get what they asked for")
    func sharedDescriptor() {
      onLoopThread { loop in
        let ends = Ends.sockets()
        ends.send()
        var reads: [Source.Event] = []
        var writes: [Source.Event] = []
        let reader = try! loop.watch(ends.reading) { source, event in
          reads.append(event)
          take(1, from: source.descriptor)
        }
        let writer = try! loop.watch(ends.reading, for: .write) { source, event in
          writes.append(event)
          source.invalidate()
        }
        loop.runUntilQuiet()
        #expect(reads == [.readable])
        #expect(writes == [.writable])
        #expect(reader.isValid && !writer.isValid)
        ends.send()
        loop.runUntilQuiet()
        #expect(reads == [.readable, .readable])
        reader.invalidate()
        ends.close()
      }
    }

    @Test("A source whose library read ahead is served though its descriptor is silent")
    func isPending() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        var queue = [1, 2, 3]
        var events: [Source.Event] = []
        let source = Source(descriptor: ends.reading, isPending: { !queue.isEmpty }) { _, event in
          events.append(event)
          queue.removeFirst()
        }
        try! loop.add(source, forMode: .default)
        loop.runUntilQuiet()
        #expect(events == [.readable, .readable, .readable])
        queue = [4]
        source.interest = []
        loop.runUntilQuiet()
        #expect(queue == [4])
        source.invalidate()
        ends.close()
      }
    }

    @Test("A source whose handler runs the loop is not called in there, and does not make it spin")
    func nestedRun() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send(2)
        var depth = 0
        var passes = 0
        let source = try! loop.watch(ends.reading) { source, _ in
          depth += 1
          #expect(depth == 1)
          passes = max(passes, loop.runUntilQuiet())
          take(1, from: source.descriptor)
          depth -= 1
        }
        loop.run(until: { passes > 0 })
        loop.runUntilQuiet()
        source.invalidate()
        ends.close()
      }
    }

    @Test("A source finds nothing because another has read in the same pass, and stays valid")
    func readBySomebodyElse() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send()
        var calls = 0
        let thief = Source(descriptor: ends.reading, order: -1) { source, _ in
          take(10, from: source.descriptor)
        }
        let source = Source(descriptor: ends.reading) { _, _ in calls += 1 }
        try! loop.add(thief, forMode: .default)
        try! loop.add(source, forMode: .default)
        loop.runUntilQuiet()
        #expect(source.isValid && calls == 1)
        thief.invalidate()
        source.invalidate()
        ends.close()
      }
    }

    @Test("A source removed from one mode goes on in the others, and acts once a pass in two of them")
    func modes() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        ends.send()
        var calls = 0
        let source = Source(descriptor: ends.reading) { _, _ in calls += 1 }
        try! loop.add(source, forMode: .common)
        try! loop.add(source, forMode: .default)
        try! loop.add(source, forMode: Loop.Mode("private"))
        loop.run(mode: .default, for: .zero)
        #expect(calls == 1)
        loop.remove(source, forMode: .common)
        loop.run(mode: .default, for: .zero)
        loop.run(mode: .tracking, for: .zero)
        #expect(calls == 2)
        loop.run(mode: Loop.Mode("private"), for: .zero)
        #expect(calls == 3)
        loop.remove(source, forMode: .default)
        loop.run(mode: .default, for: .zero)
        #expect(calls == 3)
        source.invalidate()
        ends.close()
      }
    }

    @Test("A source is let go with its closures when it ends")
    func letsGo() {
      onLoopThread { loop in
        final class Payload {}
        let ends = Ends.pipe()
        var payload: Payload? = Payload()
        weak let weakPayload = payload
        let source = try! loop.watch(ends.reading) { [payload] _, _ in _ = payload }
        payload = nil
        #expect(weakPayload != nil)
        source.invalidate()
        #expect(weakPayload == nil)
        ends.close()
      }
    }
  }
}
