import Foundation
import Glibc

/// A program that runs as a process of its own, with its output read by the test.
///
/// Spawned by hand: `Foundation.Process` hands down the signals that the threads of tests block, and a server or an
/// example that can't be signalled can't be ended either.
final class ChildProgram {
  private let processID: pid_t
  private let output: Int32
  private var isReaped = false

  /// Starts the program at a path.
  ///
  /// - Parameters:
  ///   - environment: what it finds in its environment; nil is the test's.
  ///   - terminal: a descriptor for its input and output; -1 makes the input empty and the output the test's.
  init(_ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, terminal: Int32 = -1)
    throws
  {
    var ends: [Int32] = [-1, -1]
    // Close-on-exec from the start, so that no other program inherits it.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if terminal >= 0 {
      posix_spawn_file_actions_adddup2(&actions, terminal, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, terminal, STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    }
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let variables = environment ?? ProcessInfo.processInfo.environment
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var pairs: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + pairs { free(word) } }
    var child = pid_t()
    let code = posix_spawn(&child, path, &actions, &attributes, &words, &pairs)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT)
    }
    processID = child
    output = ends[0]
  }

  deinit {
    kill(SIGKILL)
    _ = waitForEnd()
    close(output)
  }

  /// Sends it a signal, unless it has ended.
  func kill(_ signal: Int32) { if !isReaped { _ = Glibc.kill(processID, signal) } }

  /// Reads up to the end of a line, or of the output.
  func nextLine() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(output, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads all that is left of the output; returns when the program has closed it.
  func rest() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for its end; the exit status, or minus the signal that killed it.
  @discardableResult
  func waitForEnd() -> Int32 {
    if isReaped { return 0 }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    isReaped = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  }
}
