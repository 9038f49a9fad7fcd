import FoundationEssentials
import Glibc

/// A program that serves on a loopback port for one test, with a folder of its own.
///
/// It is ended with this object, or by itself after two minutes, should the test crash.
final class ServerProgram {
  let folder: String
  private var process: pid_t = 0

  /// The path of an installed program, nil if there is none.
  static func path(of name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Starts a program; `configuration` makes the text of its configuration file of the folder.
  init(
    _ path: String, configuration: (String) -> String,
    arguments: (_ folder: String, _ file: String) -> [String]
  ) {
    var template = Array("/tmp/wakeloop-server-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no folder: errno \(errno)")
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let file = "\(folder)/configuration"
    let stream = fopen(file, "w")
    fputs(configuration(folder), stream)
    fclose(stream)
    let words = ["/usr/bin/env", "timeout", "120", path] + arguments(folder, file)
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 1, "\(folder)/output", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // The thread's own mask would be inherited, and a worker thread blocks the signal that is to end the program.
    var attributes = posix_spawnattr_t()
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setsigmask(&attributes, &unblocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let code = posix_spawn(&process, words[0], &actions, &attributes, &pointers, environ)
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    precondition(code == 0, "\(path) can't be started: errno \(code)")
  }

  deinit {
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// What the program has written, to tell why a test failed.
  var output: String {
    guard let stream = fopen("\(folder)/output", "r") else { return "" }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, stream)], as: UTF8.self)
  }
}

/// The name of the user that runs the tests.
func userName() -> String {
  guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "root" }
  return String(cString: name)
}
