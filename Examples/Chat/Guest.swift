import Glibc
import WakeLoop

/// One connected guest: its socket, what is still to be sent to it, and its idle timer.
final class Guest {
  let name: String
  private let descriptor: Int32
  private let loop: Loop
  private let idleLimit: Duration
  private var source: Loop.DescriptorSource?
  private var idleTimer: Loop.Timer?
  private var received = LineBuffer()
  private var unsent: [UInt8] = []
  private let mostUnsent = 1 << 20

  /// Called for each line that the guest sends.
  var onLine: (String) -> Void = { _ in }
  /// Called once, when the guest has gone; the text says why.
  var onEnd: (String) -> Void = { _ in }

  init(name: String, descriptor: Int32, loop: Loop, idleLimit: Duration) {
    self.name = name
    self.descriptor = descriptor
    self.loop = loop
    self.idleLimit = idleLimit
  }

  /// Starts listening to the guest.
  func start() throws {
    source = try loop.watch(descriptor) { [weak self] _, event in self?.handle(event) }
    restartIdleTimer()
  }

  /// Sends a line, now as far as the system takes it, the rest when the socket is writable again.
  func send(_ line: String) {
    guard source != nil else { return }
    unsent += Array(line.utf8) + [UInt8(ascii: "\n")]
    // Who does not read is let go, so that it can't fill our memory.
    if unsent.count > mostUnsent { return end("did not read") }
    flush()
  }

  /// Ends the connection.
  func end(_ reason: String) {
    guard let source else { return }
    self.source = nil
    source.invalidate()
    idleTimer?.invalidate()
    close(descriptor)
    onEnd(reason)
  }

  private func handle(_ event: Loop.DescriptorSource.Event) {
    if event.contains(.writable) { flush() }
    guard source != nil, event != .writable else { return }
    guard let bytes = Sockets.read(descriptor) else { return end("left") }
    if !bytes.isEmpty { restartIdleTimer() }
    for line in received.append(bytes) where source != nil { onLine(line) }
  }

  private func flush() {
    guard !unsent.isEmpty else { return }
    guard let count = Sockets.send(unsent, to: descriptor) else { return end("was lost") }
    unsent.removeFirst(count)
    // Writability is asked for only while something waits: an idle socket is always writable.
    source?.interest = unsent.isEmpty ? .read : [.read, .write]
  }

  private func restartIdleTimer() {
    idleTimer?.invalidate()
    idleTimer = loop.after(idleLimit) { [weak self] _ in
      self?.send("You were silent for too long.")
      self?.end("was silent for too long")
    }
  }
}
