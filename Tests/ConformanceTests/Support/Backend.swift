import Foundation
import WakeLoop
import WakeLoopTesting

/// The two things that a loop can wait on: every case of this suite runs on both.
enum Backend: String, CaseIterable, Sendable {
  case libevent, virtual

  /// Calls `body` on a thread of its own with a loop of this kind; hands back what it found.
  func run<Value: Sendable>(_ body: @escaping @Sendable (World) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        let value: Value
        switch self {
        case .libevent: value = body(World(loop: .current, virtual: nil))
        case .virtual:
          let virtual = VirtualLoop()
          value = withExtendedLifetime(virtual) { body(World(loop: virtual.loop, virtual: virtual)) }
        }
        continuation.resume(returning: value)
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }
}

/// What a case has to do with: a loop, its time and its descriptors, real or not.
final class World {
  let loop: Loop
  // The loop's handlers hold the world; the virtual loop outlives it by `run(_:)`.
  private unowned(unsafe) let virtual: VirtualLoop?
  private var nextNumber: Int32 = 3
  /// The instant at which the case began.
  private(set) var start = Loop.Instant(nanoseconds: 0)
  /// What happened, in order.
  var log: [String] = []

  init(loop: Loop, virtual: VirtualLoop?) {
    self.loop = loop
    self.virtual = virtual
    start = now
  }

  /// The present on the suspending clock.
  var now: Loop.Instant { virtual?.now ?? .now }

  /// The present on the wall clock.
  var date: Date { virtual?.wallDate ?? Date() }

  /// Lets a handler work so long.
  func work(_ duration: Duration) {
    if let virtual { return virtual.block(for: duration) }
    let end = now + duration
    while now < end { usleep(200) }
  }

  /// Makes a descriptor that is not ready yet.
  func makeDescriptor() -> TestDescriptor {
    if let virtual {
      nextNumber += 1
      return TestDescriptor(virtual: virtual, number: nextNumber)
    }
    return TestDescriptor()
  }

  /// Calls `body` in a pass of the loop, so that `Loop.current` is this one.
  func within(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      loop.perform { body() }
      _ = loop.run(mode: .default, for: .zero)
    }
  }
}

/// A descriptor that a test makes ready: a pipe's reading end, or a number of a script.
final class TestDescriptor {
  private unowned(unsafe) let virtual: VirtualLoop?
  let number: Int32
  private let writingEnd: Int32

  init(virtual: VirtualLoop, number: Int32) {
    self.virtual = virtual
    self.number = number
    writingEnd = -1
  }

  init() {
    virtual = nil
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe: errno \(errno)")
    number = ends[0]
    writingEnd = ends[1]
  }

  deinit {
    if writingEnd >= 0 {
      close(number)
      close(writingEnd)
    }
  }

  /// Makes it readable.
  func write() {
    if let virtual { return virtual.setReady(number) }
    var byte: UInt8 = 1
    precondition(Foundation.write(writingEnd, &byte, 1) == 1, "no write: errno \(errno)")
  }

  /// Reads it empty.
  func read() {
    if let virtual { return virtual.clearReady(number) }
    var bytes = [UInt8](repeating: 0, count: 64)
    _ = Foundation.read(number, &bytes, bytes.count)
  }
}
