import Foundation
import Glibc
import WakeLoop

/// Reads a socket on the main loop, and writes when there is room.
@MainActor
final class Connection {
  private let descriptor: Int32
  private var source: Loop.DescriptorSource?
  private var unsent: [UInt8] = []
  private(set) var received: [UInt8] = []
  var onEnd: (() -> Void)?

  init(descriptor: Int32) { self.descriptor = descriptor }

  func open() throws {
    source = try Loop.main.watch(descriptor) { [weak self] source, event in
      guard let self else { return source.invalidate() }
      if event.contains(.writable) { self.sendMore() }
      if event.contains(.readable) { self.receiveMore() }
      if !event.isDisjoint(with: [.endOfFile, .hangUp, .error]) { self.end(source.failure) }
    }
  }

  /// Tells what was refused, with the type that the call throws.
  func reopen() -> Int32? {
    do throws(Loop.SystemError) {
      _ = try Loop.main.watch(descriptor, for: .write) { source, _ in source.invalidate() }
      return nil
    } catch { return error.code }
  }

  func send(_ bytes: [UInt8]) {
    unsent += bytes
    source?.interest = [.read, .write]
  }

  private func sendMore() {
    let count = write(descriptor, unsent, unsent.count)
    if count > 0 { unsent.removeFirst(count) }
    if unsent.isEmpty { source?.interest = .read }
  }

  private func receiveMore() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 { received += buffer[..<count] }
  }

  private func end(_ failure: Loop.SystemError?) {
    if let failure { print("lost: \(failure)") }
    source?.invalidate()
    close(descriptor)
    onEnd?()
  }

  deinit { source?.invalidate() }
}

/// Watches a child and a signal.
@MainActor
func supervise(_ processID: Int32, restart: @escaping () -> Void) throws {
  let child = Loop.ChildSource(processID: processID) { _, exit in
    if case .exited(0) = exit { return }
    restart()
  }
  try Loop.main.add(child, forMode: .common)
  let reload = Loop.SignalSource(signal: .hangUp) { _, count in print("asked \(count) times") }
  Loop.main.add(reload, forMode: .common)
  Loop.main.stop(on: .interrupt, .terminate)
}
