import Foundation
import Glibc

/// A guest of the chat, with plain blocking calls on the test's thread.
final class ChatClient {
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    limitWaiting(on: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw ExampleProcess.Failure(what: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Waits for the next line, nil once the chat has closed the connection.
  func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += buffer[..<count]
    }
  }
}
