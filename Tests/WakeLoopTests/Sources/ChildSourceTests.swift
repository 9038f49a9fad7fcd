import Glibc
import Synchronization
import Testing
import WakeLoop

extension SourceTests {
  @Suite struct ChildSourceTests {
    typealias Exit = Loop.ChildSource.Exit

    @Test("A child's exit code is told once, and keeps the loop alive until then")
    func exitCode() {
      onLoopThread { loop in
        let child = spawn("exit 7")
        var exits: [Exit] = []
        let source = Loop.ChildSource(processID: child) { _, exit in exits.append(exit) }
        try! loop.add(source, forMode: .common)
        loop.run()
        #expect(exits == [.exited(code: 7)])
        #expect(!source.isValid)
        #expect(isReaped(child))
      }
    }

    @Test("A killed child is told with the signal")
    func killed() {
      onLoopThread { loop in
        let child = spawn("exec sleep 1000")
        var exits: [Exit] = []
        try! loop.add(Loop.ChildSource(processID: child) { _, exit in exits.append(exit) }, forMode: .common)
        loop.runUntilQuiet()
        kill(child, SIGKILL)
        loop.run()
        #expect(exits == [.signaled(signal: Loop.Signal(rawValue: SIGKILL))])
        #expect(isReaped(child))
      }
    }

    @Test("A child that ended before it was watched is told")
    func endedBefore() {
      onLoopThread { loop in
        let child = spawn("exit 3")
        awaitEnd(of: child)
        var exits: [Exit] = []
        try! loop.add(Loop.ChildSource(processID: child) { _, exit in exits.append(exit) }, forMode: .default)
        loop.run()
        #expect(exits == [.exited(code: 3)])
      }
    }

    @Test(
      "A child reaped by somebody else, before or while it is watched, is told as such",
      arguments: [true, false])
    func reapedElsewhere(isBefore: Bool) {
      onLoopThread { loop in
        let child = spawn("exit 3")
        if isBefore { waitpid(child, nil, 0) }
        var exits: [Exit] = []
        let source = Loop.ChildSource(processID: child) { _, exit in exits.append(exit) }
        if !isBefore { waitpid(child, nil, 0) }
        try! loop.add(source, forMode: .default)
        loop.run()
        #expect(exits == [.reapedElsewhere])
      }
    }

    @Test("A number that no process has is told as reaped elsewhere")
    func noSuchProcess() {
      onLoopThread { loop in
        var exits: [Exit] = []
        let source = Loop.ChildSource(processID: .max) { _, exit in exits.append(exit) }
        try! loop.add(source, forMode: .default)
        loop.run()
        #expect(exits == [.reapedElsewhere])
      }
    }

    @Test("Several watchers of one child on several loops are all told, and the last one reaps it")
    func severalWatchers() {
      let child = spawn("exec sleep 1000")
      let watching = Atomic<Int>(0)
      let told = Atomic<Int>(0)
      let watch: @Sendable (Loop) -> Void = { loop in
        for _ in 0..<3 {
          let source = Loop.ChildSource(processID: child) { _, exit in
            #expect(exit == .signaled(signal: .terminate))
            told.add(1, ordering: .sequentiallyConsistent)
          }
          try! loop.add(source, forMode: .common)
          watching.add(1, ordering: .sequentiallyConsistent)
        }
        loop.run()
      }
      let first = SourceThread(watch)
      let second = SourceThread(watch)
      while watching.load(ordering: .sequentiallyConsistent) < 6 { usleep(100) }
      kill(child, SIGTERM)
      first.join()
      second.join()
      #expect(told.load(ordering: .sequentiallyConsistent) == 6)
      #expect(isReaped(child))
    }

    @Test("A child whose watches are all cancelled stays the application's to wait for")
    func cancelled() {
      onLoopThread { loop in
        let child = spawn("exit 4")
        let sources = (0..<2).map { _ in Loop.ChildSource(processID: child) { _, _ in Issue.record("told") } }
        for source in sources { try! loop.add(source, forMode: .default) }
        awaitEnd(of: child)
        sources[0].invalidate()
        loop.remove(sources[1], forMode: .default)
        loop.runUntilQuiet()
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect((status >> 8) & 0xff == 4)
      }
    }

    @Test("A watcher that cancels the other from its handler leaves no zombie")
    func cancelledByTheOther() {
      onLoopThread { loop in
        let child = spawn("exit 4")
        var exits: [Exit] = []
        var sources: [Loop.ChildSource] = []
        for _ in 0..<2 {
          sources.append(
            Loop.ChildSource(processID: child) { source, exit in
              exits.append(exit)
              for other in sources where other !== source { other.invalidate() }
            })
        }
        for source in sources { try! loop.add(source, forMode: .default) }
        loop.run()
        #expect(exits == [.exited(code: 4)])
        #expect(isReaped(child))
        sources = []
      }
    }

    @Test("What a child wrote before its end is told before its end", arguments: 0..<20)
    func outputFirst(round: Int) {
      onLoopThread { loop in
        let output = Ends.pipe()
        let child = spawn("echo hello", output: output.writing)
        close(output.writing)
        var bytes = 0
        var bytesAtExit = -1
        // Added first, so that only its order puts it last.
        let source = Loop.ChildSource(processID: child) { _, _ in bytesAtExit = bytes }
        try! loop.add(source, forMode: .default)
        let reader = Loop.DescriptorSource(descriptor: output.reading, order: 1000) { source, event in
          bytes += take(100, from: source.descriptor)
          if event.contains(.endOfFile) { source.invalidate() }
        }
        try! loop.add(reader, forMode: .default)
        if round % 2 == 0 { awaitEnd(of: child) }
        loop.run()
        #expect(bytesAtExit == 6)
        close(output.reading)
      }
    }

    @Test("The application's handler of SIGCHLD is neither replaced nor kept from being called")
    func sigchldIsLeftAlone() {
      onLoopThread { loop in
        sawChildSignal.store(0, ordering: .relaxed)
        let before = signal(SIGCHLD) { _ in sawChildSignal.store(1, ordering: .relaxed) }
        let child = spawn("exit 0")
        try! loop.add(Loop.ChildSource(processID: child) { _, _ in }, forMode: .default)
        loop.run()
        #expect(sawChildSignal.load(ordering: .relaxed) == 1)
        let mine = signal(SIGCHLD, before)
        #expect(mine != nil)
      }
    }

    @Test("Two hundred children on one loop are each told once")
    func many() {
      onLoopThread { loop in
        var told: [pid_t: Int] = [:]
        for round in 0..<20 {
          for code in 0..<10 {
            let child = spawn("exit \(code)")
            let source = Loop.ChildSource(processID: child) { source, exit in
              #expect(exit == .exited(code: Int32(code)))
              told[source.processID, default: 0] += 1
            }
            try! loop.add(source, forMode: .common)
          }
          loop.run()
          #expect(told.values.reduce(0, +) == (round + 1) * 10)
        }
      }
    }
  }
}

private let sawChildSignal = Atomic<Int>(0)
