internal import CoreFoundation
internal import LoopPlatform
internal import WakeLoop

/// One mode of Foundation's main run loop.
@MainActor
final class GuestMode {
  let mode: Loop.Mode
  /// What Foundation waits for in this mode, its kernel timer among it; nil where it can't be found.
  let pollSet: ForeignPollSet?
  /// Where the set is known: keeps the main queue out of the turns.
  private let gate: MainQueueGate?
  private let name: CFString
  private let runLoop: CFRunLoop = CFRunLoopGetMain()

  init(_ mode: Loop.Mode) {
    self.mode = mode
    if mode == .default {
      name = kCFRunLoopDefaultMode
    } else {
      name = CFStringCreateWithCString(nil, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
      CFRunLoopAddCommonMode(runLoop, name)
    }
    pollSet =
      FoundationGuest.looksForDescriptors ? GuestMode.findPollSet(of: runLoop, mode: name) : nil
    if let pollSet, let mainQueue = MainDispatchQueue.descriptor {
      gate = MainQueueGate(pollSet: pollSet, mainQueue: mainQueue, runLoop: runLoop, mode: name)
    } else {
      gate = nil
    }
    if pollSet == nil {
      Loop.report(
        .fallback,
        "Foundation's descriptor for mode \(mode) was not found; its run loop is served by its next date, and what "
          + "other threads add to it waits for the loop's next pass")
    }
  }

  /// Makes one polling pass of Foundation's.
  ///
  /// One pass serves one of its descriptors, such as the timer's, and all performs and signalled sources.
  func poll() {
    guard let gate else {
      CFRunLoopRunInMode(name, 0, false)
      return
    }
    gate.takeTurn { CFRunLoopRunInMode(name, 0, false) }
  }

  func end() { gate?.end() }

  /// When Foundation's next timer in this mode is due, in seconds since the reference date; nil if there is none.
  var nextDate: Double? {
    let date = CFRunLoopGetNextTimerFireDate(runLoop, name)
    return date == 0 ? nil : date
  }

  /// Finds the set that Foundation waits with in a mode, by a port that is put into it for a moment.
  private static func findPollSet(of runLoop: CFRunLoop, mode: CFString) -> ForeignPollSet? {
    ForeignPollSet { mark, whileWatched in
      var context = CFRunLoopSourceContext1()
      context.version = 1
      context.info = UnsafeMutableRawPointer(bitPattern: Int(mark))
      context.getPort = { Int32(truncatingIfNeeded: Int(bitPattern: $0)) }
      context.perform = { _ in }
      // The function takes either kind of context and tells them apart by the version, the first field of both.
      let port = withUnsafeMutablePointer(to: &context) {
        $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
          CFRunLoopSourceCreate(nil, 0, $0)
        }
      }
      CFRunLoopAddSource(runLoop, port, mode)
      whileWatched()
      CFRunLoopRemoveSource(runLoop, port, mode)
    }
  }
}
