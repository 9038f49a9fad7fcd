import Glibc

/// Both ends of a pipe, non-blocking.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe: errno \(errno)")
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    reading = ends[0]
    writing = ends[1]
  }

  func write() { _ = Glibc.write(writing, "x", 1) }

  /// Reads at most so many bytes; returns how many there were.
  @discardableResult
  func read(_ most: Int = 64) -> Int {
    var bytes = [UInt8](repeating: 0, count: most)
    return Glibc.read(reading, &bytes, most)
  }

  func closeReading() { Glibc.close(reading) }

  func closeWriting() { Glibc.close(writing) }

  func close() {
    closeReading()
    closeWriting()
  }
}
