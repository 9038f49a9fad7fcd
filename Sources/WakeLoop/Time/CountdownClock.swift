import LoopCore

/// The clock that a countdown goes by: one of the loop's, or a time computed from one of them.
///
/// A server's time is such a computed one: so far ahead of the continuous clock, by the latest estimate; a server
/// clock hands it out as ``ServerClock/countdownClock``. What a countdown needs of it is how its readings and those
/// of the loop's clock correspond, and to be told when that changes.
public struct CountdownClock {
  /// How readings correspond to those of the loop's clock; nil if they are those.
  struct Conversion {
    let reading: (_ underlying: Int64) -> Int64
    let underlying: (_ reading: Int64) -> Int64
    let observe: (_ changed: @escaping () -> Void) -> () -> Void
  }

  let underlying: Loop.TimerClock
  /// Whether its readings count from 1970, so that dates can be looked up in them.
  let isDated: Bool
  let conversion: Conversion?

  private init(_ underlying: Loop.TimerClock, isDated: Bool) {
    self.underlying = underlying
    self.isDated = isDated
    conversion = nil
  }

  /// Makes a clock whose time is computed from one of the loop's.
  ///
  /// All values are nanoseconds. The closures are called on the thread of whatever counts down, and must agree: a
  /// reading at an instant that `underlying` returned is not less than the one asked about.
  ///
  /// - Parameters:
  ///   - clock: the loop's clock that it is computed from.
  ///   - isDated: whether its readings count from the first moment of 1970.
  ///   - reading: what it reads when the loop's clock reads so much.
  ///   - underlying: the first reading of the loop's clock at which it reads so much or more; `Int64.max` is never.
  ///   - observe: keeps a closure to be called on the loop's thread after each change of the correspondence, and
  ///     returns what ends that.
  public init(
    computedFrom clock: Loop.TimerClock, isDated: Bool, reading: @escaping (_ underlying: Int64) -> Int64,
    underlying: @escaping (_ reading: Int64) -> Int64,
    observe: @escaping (_ changed: @escaping () -> Void) -> () -> Void = { _ in {} }
  ) {
    self.underlying = clock
    self.isDated = isDated
    conversion = Conversion(reading: reading, underlying: underlying, observe: observe)
  }

  /// The continuous clock: counts sleep, and no setting of the clock moves it.
  public static var continuous: CountdownClock { CountdownClock(.continuous, isDated: false) }

  /// The suspending clock: stands still while the machine sleeps, and no setting of the clock moves it.
  public static var suspending: CountdownClock { CountdownClock(.suspending, isDated: false) }

  /// The wall clock, however it is set.
  public static var wall: CountdownClock { CountdownClock(.wall, isDated: true) }

  // MARK: Inside

  /// What durations are measured by: the loop's clock itself, since a corrected date does not make them longer.
  var forDurations: CountdownClock {
    conversion == nil ? self : CountdownClock(underlying, isDated: underlying == .wall)
  }

  /// What it reads when the loop's clock reads so much.
  func reading(at underlying: Int64) -> Int64 { conversion?.reading(underlying) ?? underlying }

  /// What it reads now.
  func now(in loop: Loop) -> Int64 { reading(at: loop.backend.now(underlying.domain)) }

  /// When the loop has to wake for a reading.
  func wakeInstant(for reading: Int64) -> Int64 {
    if reading == .max { return .max }
    return conversion?.underlying(reading) ?? reading
  }

  /// What it will read at a date: by itself if it is dated, else by how far the date is ahead on the wall clock now.
  func reading(at date: DatedInstant, in loop: Loop) -> Int64 {
    if date.nanoseconds == .max || isDated { return date.nanoseconds }
    // The wall first: read after the other, it would make the end too early.
    let wall = loop.backend.now(.wall)
    return saturatingAdd(now(in: loop), saturatingSubtract(date.nanoseconds, wall))
  }

  /// Has a closure called when readings jump against what was expected; returns what ends that.
  func observeChanges(in loop: Loop, _ changed: @escaping () -> Void) -> () -> Void {
    let end = conversion?.observe(changed)
    guard underlying == .wall else { return end ?? {} }
    let observer = loop.observeAbsences { absence in
      if absence.clockStep != .zero { changed() }
    }
    return {
      observer.invalidate()
      end?()
    }
  }
}
