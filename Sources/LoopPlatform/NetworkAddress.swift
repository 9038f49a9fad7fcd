import Glibc

/// A numeric Internet address and a port, of either version of the protocol.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
  let bytes: [UInt8]
  private let text: String

  /// Reads a numeric address, such as "192.0.2.1" or "fe80::1%eth0"; nil if it is none.
  ///
  /// Names are not looked up: that could block.
  package init?(_ address: String, port: UInt16) {
    // The C library would accept an address that ends early, and "1" for 0.0.0.1.
    guard !address.utf8.contains(0), address.contains(":") || address.split(separator: ".").count == 4 else {
      return nil
    }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    guard let start = found.pointee.ai_addr else { return nil }
    // The list says how many bytes its address has, and lives until the end of this initializer.
    bytes = Array(UnsafeRawBufferPointer(start: start, count: Int(found.pointee.ai_addrlen)))
    text = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  /// AF_INET or AF_INET6.
  var family: Int32 {
    // Each kind of socket address begins with its family.
    bytes.withUnsafeBytes { Int32($0.loadUnaligned(as: sa_family_t.self)) }
  }

  package var description: String { text }
}
