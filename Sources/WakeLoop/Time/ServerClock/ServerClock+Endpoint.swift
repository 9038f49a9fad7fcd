import LoopPlatform

extension ServerClock {
  /// Where a server is: a numeric address and a port.
  ///
  /// Names are not looked up, since the system's way to do that blocks its thread. An app that has a resolver of its
  /// own gives it to the source.
  public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    let address: NetworkAddress

    /// Reads a numeric address.
    ///
    /// - Parameters:
    ///   - address: IPv4 such as "192.0.2.1", or IPv6 such as "2001:db8::1" or "fe80::1%eth0".
    ///   - port: 1 to 65,535; 123 is NTP's, 80 HTTP's.
    /// - Throws: A ``Failure`` of the kind `.badAddress` if it is not a numeric address, or the port is 0.
    public init(_ address: String, port: UInt16) throws(Failure) {
      guard port > 0, let address = NetworkAddress(address, port: port) else {
        throw Failure(.badAddress, "\"\(address)\" with port \(port) is no numeric address of a server")
      }
      self.address = address
    }

    /// The address and the port, such as `192.0.2.1:123` or `[2001:db8::1]:123`.
    public var description: String { address.description }
  }

  /// Why a server's time could not be had.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; others may come.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      private enum Code: String {
        case badAddress, noAddress, timedOut, unreachable, badAnswer, unsynchronized, denied, askedTooOften
      }

      private let code: Code

      /// An address that is not a numeric one.
      public static let badAddress = Kind(code: .badAddress)
      /// The resolver gave no address.
      public static let noAddress = Kind(code: .noAddress)
      /// No valid answer came in time.
      public static let timedOut = Kind(code: .timedOut)
      /// The system could not reach the server.
      public static let unreachable = Kind(code: .unreachable)
      /// The answer was not valid.
      public static let badAnswer = Kind(code: .badAnswer)
      /// The server says that it does not know the time itself.
      public static let unsynchronized = Kind(code: .unsynchronized)
      /// The server does not want to be asked any more, and is not.
      public static let denied = Kind(code: .denied)
      /// The server wants to be asked less often, and is.
      public static let askedTooOften = Kind(code: .askedTooOften)

      /// The kind's name.
      public var description: String { code.rawValue }
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What happened, in words.
    public let message: String

    init(_ kind: Kind, _ message: String) {
      self.kind = kind
      self.message = message
    }

    /// The kind and what happened.
    public var description: String { "\(kind): \(message)" }
  }
}
