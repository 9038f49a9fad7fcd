import Glibc
import WakeLoop

/// W5: bytes that travel around a ring of sockets, `active` of them at a time.
enum WakeLoopDescriptors {
  /// The median of 25 runs in microseconds; each writes `writes` bytes beyond the first ones, and reads all.
  static func ring(count: Int, active: Int, writes: Int) -> Double {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let ring = Ring(count: count)
    var times: [Int64] = []
    for round in 0...25 {
      ring.writesLeft = writes
      ring.readsLeft = active + writes
      for index in 0..<active { ring.write(to: index * (count / active)) }
      let start = monotonicNanoseconds()
      ring.loop.run()
      let end = monotonicNanoseconds()
      require(ring.readsLeft == 0 && ring.writesLeft == 0, "bytes were lost")
      // The first one warms up.
      if round > 0 { times.append(end - start) }
    }
    return Double(times.sorted()[12]) / 1e3
  }

  private final class Ring {
    let loop = Loop.current
    var writesLeft = 0
    var readsLeft = 0
    private var writers: [Int32] = []

    init(count: Int) {
      for index in 0..<count {
        var ends: [Int32] = [0, 0]
        require(
          socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0,
          "no more descriptors: errno \(errno)")
        writers.append(ends[1])
        do {
          try loop.watch(ends[0], in: .default) { source, _ in
            self.read(source.descriptor, then: index + 1 == count ? 0 : index + 1)
          }
        } catch { require(false, "\(error)") }
      }
    }

    func write(to index: Int) {
      require(Glibc.write(writers[index], "x", 1) == 1, "can't write: errno \(errno)")
    }

    private func read(_ descriptor: Int32, then next: Int) {
      var byte: UInt8 = 0
      require(Glibc.read(descriptor, &byte, 1) == 1, "a readable descriptor has nothing to read")
      if writesLeft > 0 {
        writesLeft -= 1
        write(to: next)
      }
      readsLeft -= 1
      if readsLeft == 0 { loop.stop() }
    }
  }
}
