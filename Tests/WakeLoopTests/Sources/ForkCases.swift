import Glibc
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct ForkCases {
    @Test("Case 43: A forked child's end of what it inherited leaves its parent's loop alone")
    func parentIsUnaffected() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        var calls = 0
        let source = try! loop.watch(ends.reading) { source, _ in calls += take(1, from: source.descriptor) }
        let signals = Loop.SignalSource(signal: .user1) { _, count in calls += 10 * count }
        loop.add(signals, forMode: .common)
        loop.runUntilQuiet()
        let status = inForkedChild {
          source.invalidate()
          signals.invalidate()
          return 0
        }
        #expect(status == 0)
        ends.send()
        raise(SIGUSR1)
        loop.runUntilQuiet()
        #expect(calls == 11)
        source.invalidate()
        signals.invalidate()
        ends.close()
      }
    }

    @Test("Case 43: A forked child that runs the loop it inherited is refused")
    func childIsRefused() {
      onLoopThread { loop in
        let ends = Ends.pipe()
        let words = Ends.pipe()
        let source = try! loop.watch(ends.reading) { _, _ in }
        loop.runUntilQuiet()
        let status = inForkedChild {
          dup2(words.writing, 2)
          loop.run()
          return 0
        }
        // A signal ends it, or the sanitizer does.
        #expect(status != 0)
        var text = [UInt8](repeating: 0, count: 4096)
        let count = max(read(words.reading, &text, text.count), 0)
        #expect(String(decoding: text[..<count], as: UTF8.self).contains("inherited over fork()"))
        source.invalidate()
        ends.close()
        words.close()
      }
    }
  }
}
