import Glibc

/// One workload of one peer in a process of its own, so that no run finds the memory of the one before.
enum ChildRun {
  /// What a child prints for each number: workload, unit and value, by tabs.
  static func print(_ measurements: [Measurement]) {
    for measurement in measurements {
      Swift.print(measurement.workload, measurement.unit, measurement.value, separator: "\t")
    }
  }

  /// Runs this program once more for `workload` and `peer` and reads what it prints.
  static func measure(_ workload: Workload, _ peer: Peer) -> [Measurement] {
    var ends: [Int32] = [0, 0]
    require(pipe(&ends) == 0, "no pipe: errno \(errno)")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addclose(&actions, ends[1])
    let words = ["Benchmarks", "--child", workload.name, peer.rawValue]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    var environment: UnsafeMutablePointer<CChar>?
    let error = posix_spawn(&process, "/proc/self/exe", &actions, nil, arguments, &environment)
    require(error == 0, "can't start a child: errno \(error)")
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    let text = readAll(ends[0])
    close(ends[0])
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    require(status == 0, "\(workload.name) of \(peer.rawValue) failed with status \(status)")
    return text.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t")
      require(fields.count == 3, "\(workload.name) printed: \(line)")
      return Measurement(
        workload: String(fields[0]), unit: String(fields[1]), value: Double(fields[2]) ?? .nan)
    }
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer.prefix(count))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
