/// How a link is woken for its frames.
public enum FramePacing: Hashable, Sendable {
  /// By the kernel's timer, as timers are: some tenths of a millisecond late at worst on an idle machine.
  case timer
  /// Woken so much earlier, and then waiting without sleep for the exact moment.
  ///
  /// It costs the time that is spun in each frame, of a whole processor: 0.2 ms at 60 Hz is 1.2 %. What arrives
  /// meanwhile waits. Spins of more than 5 ms are cut to that, negative ones are none.
  case precise(spin: Duration)

  /// The longest spin.
  static let longestSpin: Int64 = 5_000_000

  /// Nanoseconds by which the wait ends early.
  var lead: Int64 {
    switch self {
    case .timer: 0
    case .precise(let spin): min(max(0, spin.clampedNanoseconds), Self.longestSpin)
    }
  }
}
