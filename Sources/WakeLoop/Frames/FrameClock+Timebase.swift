import LoopPlatform

extension FrameClock {
  /// The kernel clock on which a display tells its times.
  public enum Timebase: Hashable, Sendable {
    /// CLOCK_MONOTONIC, the suspending clock: the X Present extension, and most compositors.
    case monotonic
    /// CLOCK_MONOTONIC_RAW, which no time service slews: some compositors.
    case monotonicRaw
    /// CLOCK_BOOTTIME, the continuous clock.
    case boottime
    /// CLOCK_REALTIME, the wall clock.
    case realtime
  }

  /// Tells that the display refreshes, or has done so, by a reading of another clock.
  ///
  /// The reading is carried over by what both clocks say now, which is exact to what they drift apart since: nothing
  /// that matters within a few refreshes. Any thread; for loops on the system's clocks.
  /// - Parameters:
  ///   - nanoseconds: The display's reading.
  ///   - timebase: The clock that it was read on.
  ///   - refresh: The interval that the display advertises; zero or nonsense if it says nothing.
  public func tick(atNanoseconds nanoseconds: Int64, of timebase: Timebase, refresh: Duration = .zero) {
    let ahead =
      switch timebase {
      case .monotonic: Int64(0)
      case .monotonicRaw: SystemClock.offset(of: .raw)
      case .boottime: SystemClock.offset(of: .continuous)
      case .realtime: SystemClock.offset(of: .wall)
      }
    tick(at: Loop.Instant(nanoseconds: saturatingSubtract(nanoseconds, ahead)), refresh: refresh)
  }
}
