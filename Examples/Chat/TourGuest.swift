import Glibc
import WakeLoop

/// A scripted guest for the tour: connects to the chat from within the same program and the same loop.
final class TourGuest {
  private let descriptor: Int32
  private var source: Loop.DescriptorSource?
  private var received = LineBuffer()

  /// Connects to `port`; `onLine` is called for each line that the chat sends.
  init(loop: Loop, port: UInt16, onLine: @escaping (TourGuest, String) -> Void) throws {
    descriptor = try Sockets.connect(port: port)
    source = try loop.watch(descriptor) { [weak self] source, _ in
      guard let self else { return }
      let bytes = Sockets.read(descriptor)
      for line in received.append(bytes ?? []) { onLine(self, line) }
      if bytes == nil { source.invalidate() }
    }
  }

  deinit {
    source?.invalidate()
    close(descriptor)
  }

  /// Says a line in the chat.
  func say(_ line: String) {
    _ = Sockets.send(Array("\(line)\n".utf8), to: descriptor)
  }
}
