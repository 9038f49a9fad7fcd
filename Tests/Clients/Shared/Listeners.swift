import Dispatch
import Foundation
import Glibc
import WakeLoop

/// Listens to a loop's events in tasks.
@MainActor
final class Listener {
  private var tasks: [Task<Void, any Error>] = []
  private(set) var lines: [String] = []
  private var iterator: Loop.Beats.Iterator?

  func listen(to descriptor: Int32, child: Int32) {
    tasks.append(
      Task {
        for await pass in Loop.main.beats(every: .seconds(1), tolerance: .milliseconds(100)) {
          lines.append("\(pass.date), \(pass.missed) missed")
        }
      })
    tasks.append(
      Task {
        for await arrival in Loop.main.signals(.hangUp, .user1) where arrival.signal == .hangUp {
          lines.append("asked \(arrival.count) times")
        }
      })
    tasks.append(
      Task { [weak self] in
        for try await event in Loop.mainRemote.readiness(of: descriptor) {
          self?.lines.append("\(event)")
        }
      })
    tasks.append(
      Task {
        let end = try await Loop.main.exit(ofChild: child)
        lines.append("\(end)")
        for try await end in Loop.main.exits(ofChildren: [child]) { lines.append("\(end)") }
      })
    tasks.append(
      Task {
        for await frame in Loop.main.frames() { lines.append("\(frame.number)") }
      })
    tasks.append(
      Task {
        try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(10), clock: Loop.main.clock)
      })
  }

  /// Takes a beat now and then, from an iterator that is kept.
  func nextBeat() async -> Loop.Pass? {
    let iterator = iterator ?? Loop.main.beats(every: .milliseconds(500)).makeAsyncIterator()
    self.iterator = iterator
    return await iterator.next()
  }

  func stop() {
    for task in tasks { task.cancel() }
    tasks = []
    iterator = nil
  }

  deinit { for task in tasks { task.cancel() } }
}

/// The same from no actor at all, with the errors that the sequence has.
nonisolated func countWords(of descriptor: Int32, by remote: Loop.Remote) async -> Int {
  var words = 0
  var bytes = [UInt8](repeating: 0, count: 512)
  do {
    for try await event in remote.readiness(of: descriptor) where event.contains(.readable) {
      let count = read(descriptor, &bytes, bytes.count)
      if count > 0 { words += bytes[..<count].split(separator: 32).count }
    }
  } catch { print("\(error.advice)") }
  return words
}
