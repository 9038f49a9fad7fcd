import Glibc
import WakeLoop

/// A server on the test's own loop, that answers each request as the test says.
final class FakeHTTPServer {
  /// What is sent in answer, part by part, and whether the connection is closed then.
  struct Reply {
    var parts: [String]
    var closes = true
  }

  let socket = LoopbackSocket(stream: true)
  private(set) var requests: [String] = []
  private let loop: Loop
  private var source: Loop.DescriptorSource?
  private var guests: [Int32: Loop.DescriptorSource] = [:]

  init(on loop: Loop, answer: @escaping (Int, String) -> Reply?) throws {
    self.loop = loop
    source = try loop.watch(socket.descriptor) { [weak self] _, _ in try? self?.welcome(answer) }
    source?.keepsLoopAlive = false
  }

  deinit {
    source?.invalidate()
    for (descriptor, guest) in guests {
      guest.invalidate()
      close(descriptor)
    }
  }

  private func welcome(_ answer: @escaping (Int, String) -> Reply?) throws {
    let guest = accept(socket.descriptor, nil, nil)
    _ = fcntl(guest, F_SETFL, O_NONBLOCK)
    guard guest >= 0 else { return }
    var request = ""
    guests[guest] = try loop.watch(guest) { [weak self] _, _ in
      guard let self else { return }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(guest, &bytes, bytes.count)
      guard count > 0 else { return leave(guest) }
      request += String(decoding: bytes[..<count], as: UTF8.self)
      guard request.hasSuffix("\r\n\r\n") else { return }
      requests.append(request)
      if let reply = answer(requests.count, request) { send(reply, to: guest) }
    }
    guests[guest]?.keepsLoopAlive = false
  }

  /// Sends a part in a pass each.
  private func send(_ reply: Reply, to guest: Int32) {
    guard guests[guest] != nil else { return }
    guard let part = reply.parts.first else {
      if reply.closes { leave(guest) }
      return
    }
    _ = Glibc.send(guest, part, part.utf8.count, Int32(MSG_NOSIGNAL))
    var rest = reply
    rest.parts.removeFirst()
    loop.after(.milliseconds(2)) { [weak self] _ in self?.send(rest, to: guest) }
  }

  private func leave(_ guest: Int32) {
    guests.removeValue(forKey: guest)?.invalidate()
    close(guest)
  }

  /// The present, or a time from now, as a `Date` says it.
  static func date(ahead seconds: Int = 0) -> String {
    // Not time(), which may lag by some milliseconds.
    var time = time_t(FakeNTPServer.wall / 1_000_000_000) + seconds
    var parts = tm()
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
