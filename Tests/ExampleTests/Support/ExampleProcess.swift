import Foundation
import Glibc
import Testing

/// An example that runs as a process of its own, with its standard output and error read by the test.
///
/// Spawned by hand: `Foundation.Process` watches its children through a run loop of Foundation's.
final class ExampleProcess {
  private let processID: pid_t
  private let output: Int32
  private var unread: [UInt8] = []
  private var all: [UInt8] = []
  private var isReaped = false

  struct Failure: Error {
    let what: String
    let code: Int32
  }

  /// How the example ended.
  enum End: Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  /// Starts the executable `name`, which lies beside the tests.
  convenience init(_ name: String, arguments: [String] = []) throws {
    try self.init(path: Products.executable(name).path, arguments: arguments)
  }

  /// Starts the executable at `path`.
  init(path: String, arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    // A pair of sockets can be made close-on-exec in one call, so that no example inherits another's output.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Failure(what: "socketpair", code: errno)
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)

    // The threads that run tests block signals, and a process inherits the mask of the thread that starts it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, path, &actions, &attributes, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Failure(what: "starting \(path)", code: code)
    }
    processID = child
    output = ends[0]
    limitWaiting(on: output)
  }

  deinit {
    if !isReaped {
      kill(processID, SIGKILL)
      _ = waitForEnd()
    }
    // The status of an example that was killed does not tell what a sanitizer has found.
    while readMore() {}
    let text = String(decoding: all, as: UTF8.self)
    if text.contains("Sanitizer:") { Issue.record("\(text)") }
    close(output)
  }

  /// Reads the next line of output, nil when there will be none any more.
  func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard readMore() else { return nil }
    }
  }

  /// Reads all lines to the end of the output.
  func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    return lines
  }

  /// Sends a signal to the example.
  func send(_ signal: Int32) {
    kill(processID, signal)
  }

  /// Waits until the example has ended.
  func waitForEnd() -> End {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    isReaped = true
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      unread += buffer[..<count]
      all += buffer[..<count]
      return true
    }
  }
}

/// Lets reading from a socket give up after a minute, so that a fault fails its test instead of hanging them all.
func limitWaiting(on descriptor: Int32) {
  var limit = timeval(tv_sec: 60, tv_usec: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
}
