import FoundationEssentials
import WakeLoop

/// Holds every stamp that handlers see against what DESIGN promises of them.
///
/// The first violation is kept as a sentence; checking goes on, so that a program plays to its end.
final class StampChecker {
  /// The points of one stamp's life in a run, in the order in which they come.
  enum Phase: Int, Comparable {
    case entry, afterWaiting, timers, sources, performs, beforeTimers, beforeSources, beforeWaiting, exit

    static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Frame {
    var stamp: Loop.Stamp?
    var phase = Phase.entry
  }

  private(set) var violation: String?
  private(set) var handlers = 0
  private(set) var nestedReturns = 0
  private var seen: [UInt64: Loop.Stamp] = [:]
  private var newest: UInt64 = 0
  private var latest = Loop.Instant(nanoseconds: .min)
  private var frames: [Frame] = []

  var depth: Int { frames.count }
  /// How many different stamps handlers have seen.
  var stamps: Int { seen.count }

  /// Follows a run that `body` makes.
  func run(_ body: () -> Void) {
    frames.append(Frame())
    body()
    frames.removeLast()
  }

  /// Follows one handler: its stamp has to be that of its pass from its first line to its last.
  func handler(_ phase: Phase, on loop: Loop, _ body: () -> Void) {
    handlers += 1
    let stamp = loop.stamp
    enter(stamp, phase)
    check(loop, stamp)
    let nestedBefore = nestedReturns
    body()
    if loop.stamp != stamp {
      fail("\(phase) began under \(stamp) and ended under \(loop.stamp)")
    }
    check(loop, stamp)
    _ = nestedBefore
  }

  /// Notes that a nested run has come back to its handler.
  func returned() { nestedReturns += 1 }

  private func enter(_ stamp: Loop.Stamp, _ phase: Phase) {
    if let known = seen[stamp.iteration] {
      if known != stamp { fail("number \(stamp.iteration) was \(known) and is \(stamp)") }
    } else {
      if stamp.iteration <= newest { fail("number \(stamp.iteration) comes after \(newest)") }
      if stamp.wakeInstant < latest { fail("the instant of \(stamp) is before \(latest)") }
      newest = stamp.iteration
      latest = stamp.wakeInstant
      seen[stamp.iteration] = stamp
    }
    guard var frame = frames.last else { return fail("\(phase) outside any run") }
    if let last = frame.stamp {
      if stamp.iteration < last.iteration { fail("a run went back from \(last) to \(stamp)") }
      if stamp.iteration == last.iteration && phase < frame.phase {
        fail("\(phase) came after \(frame.phase) under one stamp, \(stamp)")
      }
    } else if phase != .entry {
      fail("a run began with \(phase)")
    }
    if frames.count > 1, let outer = frames[frames.count - 2].stamp, stamp.iteration <= outer.iteration {
      fail("a nested run has \(stamp) inside \(outer)")
    }
    frame.stamp = stamp
    frame.phase = phase
    frames[frames.count - 1] = frame
  }

  private func check(_ loop: Loop, _ stamp: Loop.Stamp) {
    if loop.wakeDate != stamp.wakeDate || loop.wakeInstant != stamp.wakeInstant
      || loop.iteration != stamp.iteration
    {
      fail("the loop's three readings are not its stamp, \(stamp)")
    }
    if Date.wake != stamp.wakeDate { fail("Date.wake is \(Date.wake) under \(stamp)") }
  }

  func fail(_ sentence: String) {
    if violation == nil { violation = sentence }
  }
}
