/// How a link is woken for its frames.
public enum FramePacing: Hashable, Sendable {
  /// By the kernel's timer, which is late by what waking a thread takes: 0.05 to 0.2 ms on an idle machine.
  ///
  /// It is set 25 µs ahead, which is what the loop itself needs from the kernel to the handler after a sleep. Where
  /// the kernel is faster than that, the rest is spun: at 60 Hz 0.15 % of a processor at most.
  case timer
  /// Woken so much earlier, and then waiting without sleep for the exact moment.
  ///
  /// It costs the time that is spun in each frame, of a whole processor: 0.2 ms at 60 Hz is 1.2 %. What arrives
  /// meanwhile waits. Spins of more than 5 ms are cut to that, negative ones are none.
  case precise(spin: Duration)

  /// What the loop needs from the kernel to a handler when its code has gone cold, as measured.
  private static let ownWay: Int64 = 25_000
  /// The longest spin.
  static let longestSpin: Int64 = 5_000_000

  /// Nanoseconds by which the wait ends early.
  var lead: Int64 {
    switch self {
    case .timer: Self.ownWay
    case .precise(let spin): min(max(0, spin.clampedNanoseconds), Self.longestSpin)
    }
  }
}
