import Glibc

/// A pipe or a pair of sockets, closed by hand, since many tests close one end under a watch.
struct DescriptorPair {
  let reading: Int32
  let writing: Int32

  static func pipe() -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    precondition(Glibc.pipe(&ends) == 0)
    for end in ends {
      precondition(fcntl(end, F_SETFD, FD_CLOEXEC) == 0 && fcntl(end, F_SETFL, O_NONBLOCK) == 0)
    }
    return DescriptorPair(reading: ends[0], writing: ends[1])
  }

  static func sockets() -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return DescriptorPair(reading: ends[0], writing: ends[1])
  }

  func send(_ count: Int = 1) {
    for _ in 0..<count { precondition(write(writing, "x", 1) == 1) }
  }

  func drain() {
    var byte: UInt8 = 0
    while read(reading, &byte, 1) == 1 {}
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}
