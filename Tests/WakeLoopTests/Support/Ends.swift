import Glibc

/// The two ends of a pipe or a pair of sockets.
///
/// Their numbers are high ones, which no other test running beside this one is given when an end has been closed
/// under a watch.
struct Ends {
  let reading: Int32
  let writing: Int32

  static func pipe() -> Ends {
    var ends: [Int32] = [-1, -1]
    precondition(Glibc.pipe(&ends) == 0)
    return Ends(ends)
  }

  static func sockets() -> Ends {
    var ends: [Int32] = [-1, -1]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return Ends(ends)
  }

  init(reading: Int32, writing: Int32) {
    self.reading = reading
    self.writing = writing
  }

  private init(_ ends: [Int32]) {
    self.init(reading: moved(ends[0]), writing: moved(ends[1]))
    for end in [reading, writing] { precondition(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
  }

  func send(_ count: Int = 1) {
    precondition(write(writing, [UInt8](repeating: 120, count: count), count) == count)
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}

/// Closes one end and waits until the other one shows it.
///
/// Children that other tests start beside this one have a copy of every descriptor until they are on their own.
func close(_ end: Int32, seenBy other: Int32) {
  close(end)
  var polled = pollfd(fd: other, events: 0, revents: 0)
  while polled.revents & Int16(POLLHUP | POLLERR) == 0 { poll(&polled, 1, -1) }
}

/// Reads up to so many bytes; returns how many there were, 0 also at the end of the file.
@discardableResult
func take(_ count: Int, from descriptor: Int32) -> Int {
  var bytes = [UInt8](repeating: 0, count: count)
  return max(read(descriptor, &bytes, count), 0)
}

/// Puts a descriptor under a high number.
func moved(_ descriptor: Int32) -> Int32 {
  _ = limitIsRaised
  let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 3000)
  precondition(high >= 0, "no descriptor above 3000: errno \(errno)")
  close(descriptor)
  return high
}

private let limitIsRaised: Bool = {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
  return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
}()
