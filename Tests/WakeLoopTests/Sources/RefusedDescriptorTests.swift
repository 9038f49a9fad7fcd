import Glibc
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct RefusedDescriptorTests {
    private func refusal(of descriptor: Int32, on loop: Loop, mode: Loop.Mode = .common) -> Loop.SystemError?
    {
      do throws(Loop.SystemError) {
        try loop.watch(descriptor, in: mode) { _, _ in Issue.record("a refused source was called") }
        return nil
      } catch {
        return error
      }
    }

    @Test(
      "Case 40: A number that is not open is refused, whether or not a run has been in its mode",
      arguments: [-1, Int32.max, 3999, Int32.min])
    func notOpen(descriptor: Int32) {
      onLoopThread { loop in
        #expect(refusal(of: descriptor, on: loop)?.code == EBADF)
        loop.holdOpen().invalidate()
        let hold = loop.holdOpen()
        loop.run(mode: .default, for: .zero)
        #expect(refusal(of: descriptor, on: loop)?.code == EBADF)
        #expect(refusal(of: descriptor, on: loop, mode: Loop.Mode("new"))?.code == EBADF)
        hold.invalidate()
        #expect(loop.run(mode: .default, for: .zero) == .finished)
      }
    }

    @Test("Case 40: A file and a directory are refused with the reason", arguments: ["/proc/self/exe", "/"])
    func alwaysReady(path: String) {
      onLoopThread { loop in
        let file = open(path, O_RDONLY | O_CLOEXEC)
        for isOpen in [false, true] {
          let error = refusal(of: file, on: loop)
          #expect(error?.code == EPERM)
          #expect(error?.operation.contains("\(file)") == true)
          #expect(error?.advice.contains("files and directories") == true)
          if !isOpen {
            let hold = loop.holdOpen()
            loop.run(mode: .default, for: .zero)
            hold.invalidate()
          }
        }
        close(file)
      }
    }

    @Test("Case 40: Descriptor 0 is an ordinary descriptor")
    func zero() async {
      // In a process of its own, whose standard input may be replaced.
      await #expect(processExitsWith: .success) {
        onLoopThread { loop in
          let ends = Ends.pipe()
          precondition(dup2(ends.reading, 0) == 0)
          var told: Loop.DescriptorSource.Event = []
          try! loop.watch(0) { source, event in
            told = event
            source.invalidate()
          }
          ends.send()
          loop.run()
          precondition(told == .readable)
        }
      }
    }

    @Test("A refused source may be added again once its descriptor is open")
    func addedAgain() {
      onLoopThread { loop in
        let hold = loop.holdOpen()
        loop.run(mode: .default, for: .zero)
        var calls = 0
        let ends = Ends.pipe()
        let source = Loop.DescriptorSource(descriptor: 3998) { source, _ in
          calls += 1
          source.invalidate()
        }
        #expect(throws: Loop.SystemError.self) { try loop.add(source, forMode: .default) }
        #expect(source.isValid && source.failure == nil && source.modes.isEmpty)
        dup2(ends.reading, 3998)
        #expect(throws: Never.self) { try loop.add(source, forMode: .default) }
        ends.send()
        loop.run(mode: .default, for: .milliseconds(10))
        #expect(calls == 1)
        hold.invalidate()
        close(3998)
        ends.close()
      }
    }

    @Test("A source that is added as an item, where nothing can be thrown, is told and ended")
    func toldInstead() {
      onLoopThread { loop in
        var failures: [Int32?] = []
        for descriptor in [-1, 3997] as [Int32] {
          let source = Loop.DescriptorSource(descriptor: descriptor) { source, event in
            #expect(event == .error)
            failures.append(source.failure?.code)
          }
          loop.add(source as Loop.Item, forMode: .default)
          loop.run(mode: .default, for: .milliseconds(10))
          #expect(!source.isValid)
        }
        #expect(failures == [EBADF, EBADF])
      }
    }

    @Test("An error says in one line what was refused, why, and what to do")
    func description() {
      onLoopThread { loop in
        let text = refusal(of: 3996, on: loop).map { "\($0)" } ?? ""
        #expect(
          text.contains("descriptor 3996") && text.contains("errno \(EBADF)")
            && text.contains("end its source"))
      }
    }
  }
}
