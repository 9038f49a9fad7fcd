import FoundationEssentials
import LoopCore
import WakeLoop
import WakeLoopTesting

/// A virtual loop and a server far away, whose clock runs a little fast or slow.
final class VirtualServer {
  let virtual = VirtualLoop()
  /// Nanoseconds a second by which the server's clock gains on the continuous one.
  private var rate: Int64
  private var anchorLocal: Int64
  private var anchorServer: Int64

  init(ahead: Duration = .zero, rate: Int64 = 0) {
    self.rate = rate
    anchorLocal = virtual.backend.now(.continuous)
    anchorServer = virtual.backend.now(.wall) + ahead.components.seconds * 1_000_000_000
  }

  var loop: Loop { virtual.loop }

  var continuous: Int64 { virtual.backend.now(.continuous) }

  /// The server's true time in nanoseconds since 1970.
  var truth: Int64 {
    let elapsed = Int128(continuous - anchorLocal)
    return anchorServer + Int64(elapsed + elapsed * Int128(rate) / 1_000_000_000)
  }

  var date: Date { Date(timeIntervalSince1970: Double(truth) / 1e9) }

  /// The server's date a time from now, if it does not drift.
  func date(in duration: Duration) -> Date { date + Double(duration.components.seconds) }

  func step(by duration: Duration) {
    (anchorServer, anchorLocal) = (truth + duration.components.seconds * 1_000_000_000, continuous)
  }

  func setRate(_ new: Int64) {
    (anchorServer, anchorLocal) = (truth, continuous)
    rate = new
  }

  /// Asks the server and gives the clock its answer.
  @discardableResult
  func ask(_ clock: ServerClock, out: Duration, back: Duration) -> ServerClock.Outcome {
    let question = clock.question()
    virtual.block(for: out)
    let answer = date
    virtual.block(for: back)
    return clock.take(answer, inAnswerTo: question)
  }
}
