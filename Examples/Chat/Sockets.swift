import Glibc

/// A call to the system that failed.
struct SocketFailure: Error, CustomStringConvertible {
  let operation: String
  let code = errno

  var description: String { "\(operation): \(String(cString: strerror(code)))" }
}

/// The few system calls that a chat needs, on plain descriptors that never block.
enum Sockets {
  /// Returns a socket that listens at `port` of this machine only; port 0 lets the system choose one.
  static func listen(port: UInt16) throws -> Int32 {
    let descriptor = try open()
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let bound = withLocalAddress(port: port) { bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, 64) == 0 else {
      let failure = SocketFailure(operation: "listening at port \(port)")
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  /// Returns a socket that is being connected to `port` of this machine.
  static func connect(port: UInt16) throws -> Int32 {
    let descriptor = try open()
    let connected = withLocalAddress(port: port) { Glibc.connect(descriptor, $0, $1) }
    guard connected == 0 || errno == EINPROGRESS else {
      let failure = SocketFailure(operation: "connecting to port \(port)")
      close(descriptor)
      throw failure
    }
    return descriptor
  }

  /// Returns the port at which `descriptor` listens.
  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &length)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Returns the next guest who waits at `listener`, nil if there is none.
  static func accept(at listener: Int32) -> Int32? {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Reads what is there: nil once the peer has closed or is lost, empty if there is nothing yet.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return Array(buffer[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// Sends as much of `bytes` as the system takes now and returns how much that was, nil for a lost peer.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int? {
    let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  private static func open() throws -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(AF_INET, Int32(kind), 0)
    guard descriptor >= 0 else { throw SocketFailure(operation: "making a socket") }
    return descriptor
  }

  private static func withLocalAddress(
    port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
