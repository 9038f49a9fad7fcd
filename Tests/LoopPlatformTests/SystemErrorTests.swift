import Glibc
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct SystemErrorTests {
    @Test("An error says what it means, with its number and call")
    func describes() {
      #expect(describe(errno: EBADF) == "Bad file descriptor (errno 9)")
      #expect(describe(errno: 99_999).contains("99999"))
      #expect(SystemError(errno: EPERM, call: "epoll_ctl").description.hasPrefix("epoll_ctl: Operation"))
    }

    @Test("A lock keeps a plain counter right")
    func lockCounts() {
      let counted = Counted()
      let thread = TestThread { for _ in 0..<50_000 { counted.add() } }
      for _ in 0..<50_000 { counted.add() }
      thread.join()
      #expect(counted.lock.withLock { counted.count } == 100_000)
    }
  }
}

// Safe: `count` is guarded by `lock`.
private final class Counted: @unchecked Sendable {
  let lock = Lock()
  var count = 0
  func add() { lock.withLock { count += 1 } }
}
