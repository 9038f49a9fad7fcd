internal import LoopCore

/// What a script says of one descriptor number.
///
/// A number that no script has named is an open file that is never ready.
struct VirtualDescriptor {
  /// What the kernel would report now.
  var readiness: Readiness = []
  /// The `errno` with which watching is refused; 0 accepts.
  var watchFailure: Int32 = 0
  /// What FIONREAD says; nil: as many bytes as the readiness makes likely.
  var unreadBytes: Int?
  /// poll(2) conditions beyond readiness: hang-up or error.
  var condition: PollBits = []
  var isOpen = true
  /// Counts the files that the number has named: a registration made for an earlier one is stale.
  var file: UInt32 = 0

  /// What poll(2) says of the number now.
  var pollBits: PollBits {
    guard isOpen else { return .invalid }
    var bits = condition
    if readiness.contains(.read) { bits.insert(.readable) }
    if readiness.contains(.write) { bits.insert(.writable) }
    if readiness.contains(.closed) { bits.insert(.peerClosed) }
    return bits
  }

  /// How many bytes could be read: one when readable and nothing else was said, none after the peer's end.
  var bytesToRead: Int {
    guard isOpen else { return -1 }
    if let unreadBytes { return unreadBytes }
    return readiness.contains(.read) && !readiness.contains(.closed) && condition.isEmpty ? 1 : 0
  }
}

/// The conditions of poll(2), by their numbers on Linux.
struct PollBits: OptionSet {
  let rawValue: Int16

  static let readable = PollBits(rawValue: 0x001)
  static let writable = PollBits(rawValue: 0x004)
  static let error = PollBits(rawValue: 0x008)
  static let hangUp = PollBits(rawValue: 0x010)
  static let invalid = PollBits(rawValue: 0x020)
  static let peerClosed = PollBits(rawValue: 0x2000)
}
