import Glibc

/// A socket to one peer that never blocks, is closed on exec, and never raises SIGPIPE.
///
/// Owns its descriptor; confined to one thread.
package final class ClientSocket {
  package enum Kind: Sendable {
    /// UDP: only the peer's datagrams are received.
    case datagram
    /// TCP.
    case stream
  }

  /// What a receive has found.
  package enum Received {
    case bytes([UInt8])
    /// Nothing is there yet.
    case nothing
    /// The peer has ended its side.
    case end
  }

  package let descriptor: Int32
  private let kind: Kind

  /// Opens a socket and begins to connect it; a stream is connected once it is writable.
  package init(_ kind: Kind, to address: NetworkAddress) throws(SystemError) {
    self.kind = kind
    let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, Int32(type.rawValue) | flags, 0)
    guard descriptor >= 0 else { throw SystemError(errno: errno, call: "socket") }
    let code = address.bytes.withUnsafeBytes { bytes in
      // The bytes are those of a socket address of this length, and connect() only reads them.
      connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
        ? 0 : errno
    }
    // Interrupted, it goes on by itself, as it does when it has been put off.
    if code != 0 && code != EINPROGRESS && code != EINTR {
      Glibc.close(descriptor)
      throw SystemError(errno: code, call: "connect to \(address)")
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Takes the error that the socket has met since the last call, 0 for none.
  package func takeError() -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }

  /// Sends what fits at once; returns how many bytes that was.
  package func send(_ bytes: some Collection<UInt8>) throws(SystemError) -> Int {
    let bytes = Array(bytes)
    while true {
      let sent = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 { return sent }
      if errno == EAGAIN { return 0 }
      if errno != EINTR { throw SystemError(errno: errno, call: "send") }
    }
  }

  /// Receives one datagram, or what is there of a stream; what is longer than `limit` is cut, or left.
  package func receive(atMost limit: Int) throws(SystemError) -> Received {
    precondition(limit > 0, "nothing can be received into \(limit) bytes")
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
        // The buffer has room for `limit` bytes, and recv() writes no more.
        count = recv(descriptor, buffer.baseAddress, limit, 0)
        filled = max(0, count)
      }
      if count > 0 { return .bytes(bytes) }
      if count == 0 { return kind == .datagram ? .bytes([]) : .end }
      if errno == EAGAIN { return .nothing }
      if errno != EINTR { throw SystemError(errno: errno, call: "recv") }
    }
  }
}
