internal import LoopCore
public import WakeLoop

// What happens in the world outside the loop: now, or when virtual time comes to an instant.
extension VirtualLoop {
  /// Has something happen outside the loop when virtual time comes to an instant.
  ///
  /// It happens while the loop waits, or a handler blocks, so in no pass, as what another thread does; a loop that
  /// waits looks up afterwards. It may script, post through the loop's remote, and touch what the test owns.
  ///
  /// - Parameters:
  ///   - instant: when; one that has passed is the next time the loop looks.
  ///   - event: called once, on this thread. Events of one instant happen in the order of scripting.
  public func script(at instant: Loop.Instant, _ event: @escaping () -> Void) {
    backend.at(instant.nanoseconds, wakes: true, event)
  }

  /// Makes a descriptor ready, beside what it is ready for already; it stays so until cleared.
  ///
  /// - Parameters:
  ///   - descriptor: any number from 0 on; no file needs to stand behind it.
  ///   - readiness: for what.
  ///   - unreadBytes: how many bytes could be read; nil: one, if readable.
  ///   - instant: when; nil is now.
  public func setReady(
    _ descriptor: Int32, for readiness: Readiness = .read, unreadBytes: Int? = nil,
    at instant: Loop.Instant? = nil
  ) {
    let readiness = LoopCore.Readiness(rawValue: readiness.rawValue)
    happen(at: instant) { $0.setReady(descriptor, readiness, unreadBytes: unreadBytes) }
  }

  /// Makes a descriptor not ready any more, as by reading it empty.
  public func clearReady(
    _ descriptor: Int32, for readiness: Readiness = [.read, .write], at instant: Loop.Instant? = nil
  ) {
    let readiness = LoopCore.Readiness(rawValue: readiness.rawValue)
    happen(at: instant) { $0.clearReady(descriptor, readiness) }
  }

  /// Lets the peer close its writing side: end of file after so many bytes.
  public func endPeer(_ descriptor: Int32, unreadBytes: Int = 0, at instant: Loop.Instant? = nil) {
    happen(at: instant) { $0.endPeer(descriptor, unreadBytes: unreadBytes) }
  }

  /// Lets the other side go away altogether: hang-up, and an error where the connection broke.
  public func hangUp(
    _ descriptor: Int32, withError: Bool = false, unreadBytes: Int = 0, at instant: Loop.Instant? = nil
  ) {
    happen(at: instant) { $0.hangUp(descriptor, withError: withError, unreadBytes: unreadBytes) }
  }

  /// Closes the number behind the loop's back.
  ///
  /// - Parameters:
  ///   - descriptor: a number that is watched, or was.
  ///   - duplicateLivesOn: a copy keeps the file open, so that the kernel goes on reporting it.
  ///   - instant: when; nil is now.
  public func closeDescriptor(
    _ descriptor: Int32, duplicateLivesOn: Bool = false, at instant: Loop.Instant? = nil
  ) {
    happen(at: instant) { $0.closeDescriptor(descriptor, duplicateLivesOn: duplicateLivesOn) }
  }

  /// Lets a number name another file from now on, which is not ready.
  public func reopenDescriptor(_ descriptor: Int32, at instant: Loop.Instant? = nil) {
    happen(at: instant) { $0.reopenDescriptor(descriptor) }
  }

  /// Has watching a number refused with an `errno` value; 0 accepts again.
  public func failWatch(_ descriptor: Int32, errno code: Int32) {
    backend.failWatch(descriptor, errno: code)
  }

  /// Does something to the world now, or at an instant.
  func happen(at instant: Loop.Instant?, _ change: @escaping (VirtualBackend) -> Void) {
    guard let instant else { return change(backend) }
    // The backend owns the script, so it must not be owned by it.
    backend.at(instant.nanoseconds, wakes: false) { [unowned backend] in change(backend) }
  }
}

extension VirtualLoop {
  /// What a script makes a descriptor ready for.
  public struct Readiness: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// There is something to read.
    public static let read = Readiness(rawValue: LoopCore.Readiness.read.rawValue)
    /// There is room to write.
    public static let write = Readiness(rawValue: LoopCore.Readiness.write.rawValue)
  }
}
