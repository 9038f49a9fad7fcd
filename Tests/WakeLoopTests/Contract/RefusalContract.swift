import Foundation
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Contract: what is refused, and in which words")
struct RefusalContract {
  /// Whether a process ended with a sentence on standard error that has all of these words.
  private func says(_ result: ExitTest.Result?, _ words: String...) -> Bool {
    guard let result else { return false }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    return words.allSatisfy(text.contains)
  }

  @Test("No number is refused by name and value in every form that takes seconds or a date")
  func notANumber() async {
    let seconds = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Loop.Timer(fire: Date(), interval: .nan, repeats: false) { _ in }
    }
    #expect(says(seconds, "interval", "nan"))
    let alarm = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Loop.Timer(fireAt: Date(timeIntervalSinceReferenceDate: .nan)) { _ in }
    }
    #expect(says(alarm, "date", "nan"))
    let tolerance = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualLoop().loop.after(.seconds(1)) { _ in }.tolerance = .nan
    }
    #expect(says(tolerance, "tolerance", "nan"))
    let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      synchronously {
        $0.run(mode: .default, before: Date(timeIntervalSinceReferenceDate: .nan))
      }
    }
    #expect(says(limit, "date", "nan"))
    let delay = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Target { func act(_ number: Int) {} }
      VirtualLoop().loop.perform(Target.act, on: Target(), with: 1, afterDelay: .nan)
    }
    #expect(says(delay, "delay", "nan"))
    let remote = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualLoop().loop.remote.schedule(at: Date(timeIntervalSinceReferenceDate: .nan)) { _ in }
    }
    #expect(says(remote, "date", "nan"))
  }

  @Test("A run in the common modes or in a mode without a name is refused, in every form")
  func modes() async {
    let common = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      synchronously { $0.run(mode: .common, for: .zero) }
    }
    #expect(says(common, "common"))
    let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      synchronously { _ = $0.limitDate(forMode: .common) }
    }
    #expect(says(limit, "common"))
    let empty = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      synchronously { $0.acceptInput(forMode: Loop.Mode(""), before: .distantPast) }
    }
    #expect(says(empty, "empty"))
  }

  @Test("An item in one loop is refused by another, with the place where it was made")
  func secondLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let one = VirtualLoop()
      let two = VirtualLoop()
      let timer = one.loop.after(.seconds(1)) { _ in }
      two.loop.add(timer, forMode: .default)
    }
    #expect(says(result, "timer", "RefusalContract.swift", "another loop"))
  }

  @Test("Use on a wrong thread is refused with the numbers of both threads")
  func wrongThread() async {
    let item = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let timer = Loop.Timer(timeInterval: 1, repeats: true) { _ in }
      Thread { _ = timer.fireDate }.start()
      sleep(5)
    }
    #expect(says(item, "timer made at", "belongs to thread"))
    let loop = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      nonisolated(unsafe) let virtual = VirtualLoop()  // Sent on purpose: it has to be refused.
      Thread { virtual.loop.perform {} }.start()
      sleep(5)
    }
    #expect(says(loop, "the loop of thread", "was used on thread"))
  }

  @Test("A loop kept beyond its end refuses to run in clear words, and takes nothing")
  func ended() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var virtual: VirtualLoop? = VirtualLoop()
      let loop = virtual!.loop
      virtual = nil
      guard !loop.after(.seconds(1), { _ in }).isValid, !loop.remote.perform({}), loop.remote.hasEnded else {
        exit(0)
      }
      loop.stop()
      synchronously { _ in loop.run() }
    }
    #expect(says(result, "a loop that has ended"))
  }
}

/// Calls what must not be called by a task, in a process of which the task is the only one, with a loop.
private func synchronously(_ body: (Loop) -> Void) {
  let virtual = VirtualLoop()
  withExtendedLifetime(virtual) { body(virtual.loop) }
}
