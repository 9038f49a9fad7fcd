import Glibc
import Testing
import WakeLoop

extension EventSequenceTests {
  @Suite("Exits of children as a sequence")
  struct ChildExitSequenceTests {
    private func withThread(_ body: (LoopThread) async throws -> Void) async throws {
      let thread = try LoopThread(name: "children")
      try await body(thread)
      #expect(await thread.itemsLeft() == [])
      thread.stop()
      thread.join()
    }

    @Test("each child is told once, also one that ended long before it is asked for, and then it ends")
    func all() async throws {
      try await withThread { thread in
        let children = (0..<20).map { spawn("exit \($0)") }
        let exits = thread.remote.exits(ofChildren: children + children)
        let iterator = exits.makeAsyncIterator()
        // Told to the loop while nobody waits: what is kept is taken later.
        while await !thread.itemsLeft().isEmpty { await Task.yield() }
        #expect(children.allSatisfy { isReaped($0) })
        var codes: [Int32: Int32] = [:]
        while let end = try await iterator.next() {
          guard case .exited(let code) = end.exit else { Issue.record("\(end)"); continue }
          #expect(codes.updateValue(code, forKey: end.processID) == nil)
        }
        for (code, child) in children.enumerated() { #expect(codes[child] == Int32(code)) }
        #expect(codes.count == 20)
        let next = try await iterator.next()
        #expect(next == nil)
        // The children are still known, though their numbers are free: a second iteration is told as well.
        var again = 0
        for try await end in exits {
          #expect(codes[end.processID].map { end.exit == .exited(code: $0) } == true)
          again += 1
        }
        #expect(again == 20)
      }
    }

    @Test("a task waits for one child and has its exit")
    func one() async throws {
      try await withThread { thread in
        let exited = try await thread.remote.exit(ofChild: spawn("exit 3"))
        #expect(exited == .exited(code: 3))
        let killed = try await thread.remote.exit(ofChild: spawn("kill -TERM $$"))
        #expect(killed == .signaled(signal: .terminate))
        // There is no such process.
        let unknown = try await thread.remote.exit(ofChild: .max)
        #expect(unknown == .reapedElsewhere)
      }
    }

    @Test("a task that is cancelled leaves the child to be waited for")
    func cancelled() async throws {
      try await withThread { thread in
        let child = spawn("exec sleep 1000")
        let task = Task { try await thread.remote.exit(ofChild: child) }
        while await thread.itemsLeft().isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await thread.itemsLeft() == [])
        kill(child, SIGKILL)
        #expect(waitpid(child, nil, 0) == child)
      }
    }

    @Test("no children are no elements")
    func none() async throws {
      try await withThread { thread in
        for try await end in thread.remote.exits(ofChildren: []) { Issue.record("\(end)") }
      }
    }
  }
}
