import Glibc
import Synchronization
import Testing
import WakeLoop

/// The parent of the suites that share signals, children and descriptor numbers.
@Suite("Sequences of a loop's events", .serialized)
struct EventSequenceTests {}

extension EventSequenceTests {
  @Suite("How sequences end")
  struct SequenceLifeTests {
    /// A sequence that never has an element, by its name, reduced to how it ends.
    struct Silent: Sendable, CustomTestStringConvertible {
      let testDescription: String
      /// Waits for an element; returns whether there was none.
      let wait: @Sendable (Loop.Remote) async throws -> Bool
      /// Makes an iterator.
      let begin: @Sendable (Loop.Remote) -> Any
    }

    static let silent: [Silent] = [
      Silent(testDescription: "beats") {
        await $0.beats(every: .seconds(1_000)).makeAsyncIterator().next() == nil
      } begin: {
        $0.beats(every: .seconds(1_000)).makeAsyncIterator()
      },
      Silent(testDescription: "signals") {
        await $0.signals(.user1).makeAsyncIterator().next() == nil
      } begin: {
        $0.signals(.user1).makeAsyncIterator()
      },
      Silent(testDescription: "readiness") {
        try await $0.readiness(of: silentDescriptor).makeAsyncIterator().next() == nil
      } begin: {
        $0.readiness(of: silentDescriptor).makeAsyncIterator()
      },
      Silent(testDescription: "exits") {
        try await $0.exits(ofChildren: [getppid()]).makeAsyncIterator().next() == nil
      } begin: {
        $0.exits(ofChildren: [getppid()]).makeAsyncIterator()
      },
      Silent(testDescription: "frames") {
        await $0.frames(in: Loop.Mode("none")).makeAsyncIterator().next() == nil
      } begin: {
        $0.frames(in: Loop.Mode("none")).makeAsyncIterator()
      },
    ]

    /// The reading end of a pipe into which nobody writes.
    static let silentDescriptor: Int32 = {
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0)
      return ends[0]
    }()

    @Test("a task that is cancelled while it waits is told at once, and its item goes", arguments: silent)
    func cancelled(sequence: Silent) async throws {
      let thread = try LoopThread(name: "cancel")
      for round in 0..<200 {
        let task = Task { try await sequence.wait(thread.remote) }
        // Before it waits, while it begins to, and after.
        if round % 3 == 1 { await Task.yield() }
        if round % 3 == 2 { while await thread.itemsLeft().isEmpty { await Task.yield() } }
        task.cancel()
        #expect(try await task.value)
      }
      #expect(await thread.itemsLeft() == [])
      thread.stop()
      thread.join()
    }

    @Test("the item goes with the iterator, on the loop's thread at once", arguments: silent)
    func dropped(sequence: Silent) async throws {
      let thread = try LoopThread(name: "drop")
      do {
        let iterator = sequence.begin(thread.remote)
        #expect(await thread.itemsLeft().count == 1)
        withExtendedLifetime(iterator) {}
      }
      #expect(await thread.itemsLeft() == [])
      await thread.onLoop {
        var iterator: Any? = sequence.begin(thread.remote)
        #expect(Loop.current.items.count == 2)
        withExtendedLifetime(iterator) {}
        iterator = nil
        #expect(Loop.current.items.count == 1)
      }
      thread.stop()
      thread.join()
    }

    @Test("when the loop ends, whoever waits is told, and whoever asks later", arguments: silent)
    func loopGone(sequence: Silent) async throws {
      let thread = try LoopThread(name: "end")
      let task = Task { try await sequence.wait(thread.remote) }
      while await thread.itemsLeft().isEmpty { await Task.yield() }
      thread.stop()
      thread.join()
      #expect(try await task.value)
      #expect(try await sequence.wait(thread.remote))
    }

    @Test(
      "10,000 iterations that tasks begin and cancel at random leave nothing behind", arguments: [1, 2, 3])
    func churn(seed: UInt64) async throws {
      let thread = try LoopThread(name: "churn")
      var random = SplitMix64(seed: seed)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10_000 {
          let sequence = Self.silent.randomElement(using: &random)!
          let preference: (any TaskExecutor)? = Bool.random(using: &random) ? thread.taskExecutor : nil
          let pause = Int.random(in: 0..<3, using: &random)
          group.addTask {
            let task = Task(executorPreference: preference) { try await sequence.wait(thread.remote) }
            for _ in 0..<pause { await Task.yield() }
            task.cancel()
            let hasEnded = try? await task.value
            if hasEnded != true { Issue.record("\(sequence.testDescription) had something") }
          }
        }
      }
      #expect(await thread.itemsLeft() == [])
      thread.stop()
      thread.join()
    }
  }
}
