import Glibc
import WakeLoop

/// A socket on the loopback address, on a port that the system has chosen.
final class LoopbackSocket {
  let descriptor: Int32
  let port: UInt16

  init(stream: Bool) {
    let type = Int32((stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
    descriptor = socket(AF_INET, type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    precondition(descriptor >= 0, "no socket: errno \(errno)")
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = LoopbackSocket.generic(&address) { [descriptor] in bind(descriptor, $0, size) }
    precondition(bound == 0, "no port: errno \(errno)")
    let named = LoopbackSocket.generic(&address) { [descriptor] in getsockname(descriptor, $0, &size) }
    precondition(named == 0)
    port = UInt16(bigEndian: address.sin_port)
    if stream { precondition(listen(descriptor, 16) == 0) }
  }

  deinit { close(descriptor) }

  var endpoint: ServerClock.Endpoint {
    get throws { try ServerClock.Endpoint("127.0.0.1", port: port) }
  }

  /// The address as the generic one that the calls take: it has the same bytes.
  static func generic<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}

/// A port on which nobody listens: it was free a moment ago.
func deadPort(stream: Bool) -> UInt16 { LoopbackSocket(stream: stream).port }
