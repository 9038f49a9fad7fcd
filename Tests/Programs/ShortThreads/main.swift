import Foundation
import WakeLoop

/// Starts thousands of threads, one after the other, that each run a loop of their own in two modes, and says how
/// many descriptors and how much memory the process has after the first and after the last of them.

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000

// Sendable is unchecked because the lock guards the number.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0
  func add() { lock.withLock { number += 1 } }
  var value: Int { lock.withLock { number } }
}

let fired = Counter()

func runShortThread() {
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    let loop = Loop.current
    let other = Loop.Mode("other")
    loop.schedule(at: loop.wakeInstant) { _ in fired.add() }
    loop.schedule(at: loop.wakeInstant, in: other) { _ in fired.add() }
    loop.after(.seconds(3600)) { _ in }
    _ = loop.run(mode: .default, for: .zero)
    _ = loop.run(mode: other, for: .zero)
    ended.signal()
  }
  thread.start()
  ended.wait()
  while !thread.isFinished { sched_yield() }
}

func report(_ word: String) throws {
  let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  print(word, descriptors, (Int(pages[1]) ?? 0) * 4)
}

for _ in 0..<count / 5 { runShortThread() }
try report("early")
for _ in count / 5..<count { runShortThread() }
try report("late")
print("fired", fired.value)
