import Foundation
import WakeLoop
import WakeLoopTesting

/// A phone in virtual time, whose clock its user may set.
@MainActor
final class Phone {
  let virtual: VirtualLoop
  /// By how much the phone's clock is ahead of the true time.
  private var ahead: Duration
  private let start: Loop.Instant

  init(startingAt date: Date, clockAheadBy seconds: Int) {
    ahead = .seconds(seconds)
    virtual = VirtualLoop(wallDate: date + Double(seconds))
    start = virtual.now
  }

  var loop: Loop { virtual.loop }

  /// What the time really is, and what the shop's clock shows.
  var trueDate: Date { virtual.wallDate - ahead / .seconds(1) }

  /// Sets the phone's clock forward, or back.
  func set(by step: Duration) {
    virtual.stepWallClock(by: step)
    ahead += step
  }

  /// Has something happen so many seconds after the start, while the phone was awake.
  func at(_ seconds: Int, _ event: @escaping () -> Void) {
    virtual.script(at: start + .seconds(seconds), event)
  }

  /// Prints what has happened under the true time.
  func note(_ text: String) { print("\(time(trueDate))  \(text)") }
}

/// The shop's server, which is 30 ms away, and 50 ms back.
@MainActor
struct Shop {
  func answer(_ clock: ServerClock, on phone: Phone) {
    let question = clock.question()
    phone.virtual.block(for: .milliseconds(30))
    let answer = phone.trueDate
    phone.virtual.block(for: .milliseconds(50))
    clock.take(answer, inAnswerTo: question)
  }
}
