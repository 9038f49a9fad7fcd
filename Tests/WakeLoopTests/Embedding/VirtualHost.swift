import WakeLoop
import WakeLoopTesting

/// A host of a virtual loop that waits by deadline alone, in the loop's time.
final class VirtualHost {
  let virtual: VirtualLoop
  let guest: Loop.Guest
  private(set) var passes = 0

  init(_ virtual: VirtualLoop, mode: Loop.Mode = .default) {
    self.virtual = virtual
    // A virtual loop needs nothing that could be refused.
    guest = try! virtual.loop.makeGuest(in: mode)
  }

  /// Waits until each deadline and goes through a pass, until the guest has ended, nothing is due any more or a
  /// condition holds.
  func run(until isOver: () -> Bool = { false }) {
    while !guest.isEnded, !isOver(), let deadline = guest.nextDeadline {
      if virtual.now < deadline { virtual.block(for: virtual.now.duration(to: deadline)) }
      passes += 1
      guest.pass()
    }
  }
}
