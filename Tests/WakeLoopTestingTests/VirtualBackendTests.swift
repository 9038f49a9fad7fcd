import LoopCore
import Testing
import WakeLoopTesting

@Suite("The virtual backend")
struct VirtualBackendTests {
  private static let second: Int64 = 1_000_000_000
  private let backend = VirtualBackend(wall: 1_767_225_600 * Self.second)

  private var now: Int64 { backend.now(.suspending) }

  private func openBackend() -> VirtualBackend {
    #expect(backend.openMode(0, servesMainQueue: false) == 0)
    return backend
  }

  private func wait(_ deadlines: WaitDeadlines = .never, mode: Int = 0) -> ([ReadyEvent], WaitOutcome) {
    var ready: [ReadyEvent] = []
    let outcome = backend.wait(mode: mode, until: deadlines, into: &ready)
    return (ready, outcome)
  }

  @Test("a wait jumps to the earliest of the deadlines of three clocks, and to no other instant")
  func waitJumpsToTheEarliest() {
    let backend = openBackend()
    let start = now
    let wall = backend.now(.wall)
    let deadlines = WaitDeadlines(
      suspending: start + 5 * Self.second, continuous: backend.now(.continuous) + 4 * Self.second,
      wall: wall + 3 * Self.second)
    #expect(wait(deadlines).1 == [])
    #expect(now == start + 3 * Self.second)
    #expect(backend.now(.wall) == wall + 3 * Self.second)
    #expect(wait(deadlines).1 == [])
    #expect(now == start + 3 * Self.second, "a deadline that has come moves nothing")
  }

  @Test("a wait for nothing at all says that only another thread can end it")
  func waitForNothing() {
    let backend = openBackend()
    let start = now
    #expect(wait().1 == .onlyForeign)
    #expect(now == start)
    _ = backend
  }

  @Test("what is ready ends a wait at once, in the order in which it became ready, interest by interest")
  func readyEndsTheWait() {
    let backend = openBackend()
    let start = now
    #expect(backend.watch(mode: 0, descriptor: 3, interest: .read, token: 30) == 0)
    #expect(backend.watch(mode: 0, descriptor: 4, interest: [.read, .write], token: 40) == 0)
    backend.setReady(4, .write)
    backend.setReady(3, [.read, .write])
    let (ready, outcome) = wait(WaitDeadlines(suspending: start + 1))
    #expect(outcome == [])
    #expect(ready.map(\.token) == [40, 30])
    #expect(ready.map(\.readiness) == [.write, .read])
    #expect(now == start)
    backend.clearReady(3)
    backend.clearReady(4)
    #expect(wait(WaitDeadlines(suspending: start + 1)).0.isEmpty)
    #expect(now == start + 1)
  }

  @Test("a descriptor watched in another mode, or for something else, ends no wait")
  func modesAreApart() {
    let backend = openBackend()
    #expect(backend.openMode(1, servesMainQueue: false) == 0)
    #expect(backend.watch(mode: 1, descriptor: 3, interest: .read, token: 30) == 0)
    #expect(backend.watch(mode: 0, descriptor: 5, interest: .write, token: 50) == 0)
    backend.setReady(3, .read)
    backend.setReady(5, .read)
    #expect(wait().1 == .onlyForeign)
    #expect(wait(mode: 1).0.map(\.token) == [30])
    backend.closeMode(1)
    #expect(backend.openMode(1, servesMainQueue: false) == 0)
    #expect(wait(mode: 1).1 == .onlyForeign, "a mode's watches go with it")
  }

  @Test("a scripted event happens at its instant in the middle of a longer wait")
  func scriptEndsTheWait() {
    let backend = openBackend()
    let start = now
    #expect(backend.watch(mode: 0, descriptor: 3, interest: .read, token: 30) == 0)
    backend.at(start + 2, wakes: false) { backend.setReady(3, .read) }
    backend.at(start + 1, wakes: false) { backend.setReady(9, .read) }
    let (ready, _) = wait(WaitDeadlines(suspending: start + 3))
    #expect(ready.map(\.token) == [30])
    #expect(now == start + 2)
    backend.clearReady(3)
    backend.at(start + 3, wakes: true) {}
    #expect(wait(WaitDeadlines(suspending: start + 4)).1 == [])
    #expect(now == start + 3)
  }

  @Test("events of one instant happen in the order of scripting, also those that an event adds")
  func scriptOrder() {
    let backend = openBackend()
    let start = now
    var order: [Int] = []
    backend.at(start + 2, wakes: false) { order.append(3) }
    backend.at(start + 1, wakes: false) {
      order.append(1)
      backend.at(start + 2, wakes: false) { order.append(5) }
      backend.at(start, wakes: false) { order.append(2) }
    }
    backend.at(start + 2, wakes: false) { order.append(4) }
    backend.elapse(for: 2)
    #expect(order == [1, 2, 3, 4, 5])
    #expect(now == start + 2)
  }

  @Test("a machine that sleeps during a wait delays a suspending deadline and makes a continuous one due")
  func sleepDuringTheWait() {
    let backend = openBackend()
    let start = now
    let continuous = backend.now(.continuous)
    let hour = 3600 * Self.second
    backend.at(start + hour / 2, wakes: false) { backend.sleepMachine(for: 8 * hour) }
    _ = wait(WaitDeadlines(suspending: start + hour))
    #expect(now == start + hour)
    #expect(backend.now(.continuous) == continuous + 9 * hour)

    backend.at(start + 2 * hour, wakes: false) { backend.sleepMachine(for: 8 * hour) }
    _ = wait(WaitDeadlines(continuous: continuous + 11 * hour))
    #expect(now == start + 2 * hour)
    #expect(backend.now(.continuous) == continuous + 18 * hour)
  }

  @Test("a wall clock stepped during a wait moves the wait's end with it")
  func stepDuringTheWait() {
    let backend = openBackend()
    let start = now
    let wall = backend.now(.wall)
    let hour = 3600 * Self.second
    backend.at(start + hour / 2, wakes: false) { backend.stepWall(by: -hour) }
    _ = wait(WaitDeadlines(wall: wall + hour))
    #expect(now == start + 2 * hour)
    backend.at(now + 1, wakes: false) { backend.stepWall(by: 3 * hour) }
    _ = wait(WaitDeadlines(wall: wall + 3 * hour))
    #expect(now == start + 2 * hour + 1)
  }

  @Test("on coarse clocks a wait ends when the clock reads the deadline or later, and never hangs")
  func coarseClocks() {
    let tick: Int64 = 4_000_000
    let backend = VirtualBackend(wall: 1_767_225_600 * Self.second, resolution: tick)
    #expect(backend.openMode(0, servesMainQueue: false) == 0)
    var now: Int64 { backend.now(.suspending) }
    var ready: [ReadyEvent] = []
    func wait(_ deadlines: WaitDeadlines) -> WaitOutcome {
      backend.wait(mode: 0, until: deadlines, into: &ready)
    }
    let start = now
    _ = wait(WaitDeadlines(suspending: start + 5_000_001))
    #expect(now == start + 2 * tick)
    backend.elapse(for: 1)
    #expect(now == start + 2 * tick)
    _ = wait(WaitDeadlines(wall: backend.now(.wall) + 1))
    #expect(now == start + 3 * tick)
  }

  @Test("any number may be watched but a negative one, a closed one and one scripted to fail")
  func refusals() {
    let backend = openBackend()
    #expect(backend.watch(mode: 0, descriptor: 0, interest: .read, token: 1) == 0)
    #expect(backend.watch(mode: 0, descriptor: .max, interest: .read, token: 2) == 0)
    #expect(backend.watch(mode: 0, descriptor: -1, interest: .read, token: 3) == 9)
    backend.failWatch(7, errno: 1)
    #expect(backend.watch(mode: 0, descriptor: 7, interest: .read, token: 4) == 1)
    backend.failWatch(7, errno: 0)
    #expect(backend.watch(mode: 0, descriptor: 7, interest: .read, token: 4) == 0)
    backend.closeDescriptor(8)
    #expect(backend.watch(mode: 0, descriptor: 8, interest: .read, token: 5) == 9)
    #expect(!backend.isOpen(8) && !backend.isOpen(-1) && backend.isOpen(0))
  }

  @Test("a number closed under us is EBADF to those who hold it, and with a duplicate still reported")
  func closedUnderUs() {
    let backend = openBackend()
    for descriptor in [3, 4] as [Int32] {
      #expect(backend.watch(mode: 0, descriptor: descriptor, interest: .read, token: UInt(descriptor)) == 0)
      backend.setReady(descriptor, .read)
    }
    backend.closeDescriptor(3)
    backend.closeDescriptor(4, duplicateLivesOn: true)
    #expect(wait().0.map(\.token) == [4])
    #expect(backend.probe(3) == 0x20 && backend.probe(4) == 0x20)
    #expect(backend.modify(mode: 0, descriptor: 3, interest: .write) == 9)
    #expect(backend.unwatch(mode: 0, descriptor: 3) == 9)
    #expect(backend.unwatch(mode: 0, descriptor: 4) == 9)
    #expect(wait().1 == .onlyForeign)
  }

  @Test("a number that names another file is ENOENT to the old watch, and only the new one hears of it")
  func reopened() {
    let backend = openBackend()
    #expect(backend.watch(mode: 0, descriptor: 3, interest: .read, token: 30) == 0)
    backend.closeDescriptor(3)
    backend.reopenDescriptor(3)
    backend.setReady(3, .read)
    #expect(wait().1 == .onlyForeign)
    #expect(backend.modify(mode: 0, descriptor: 3, interest: .write) == 2)
    #expect(backend.unwatch(mode: 0, descriptor: 3) == 2)
    #expect(backend.watch(mode: 0, descriptor: 3, interest: .read, token: 31) == 0)
    #expect(wait().0.map(\.token) == [31])
    #expect(backend.modify(mode: 0, descriptor: 3, interest: .write) == 0)
    #expect(wait().1 == .onlyForeign)
    #expect(backend.unwatch(mode: 0, descriptor: 3) == 0)
    #expect(backend.unwatch(mode: 0, descriptor: 3) == 2)
  }

  @Test("the probe and the count of unread bytes tell readiness, end of file, hang-up and error apart")
  func probes() {
    let backend = openBackend()
    #expect(backend.probe(3) == 0 && backend.unreadBytes(3) == 0)
    backend.setReady(3, .read)
    #expect(backend.probe(3) == 1 && backend.unreadBytes(3) == 1)
    backend.setReady(3, .write, unreadBytes: 80)
    #expect(backend.probe(3) == 5 && backend.unreadBytes(3) == 80)
    backend.endPeer(4)
    #expect(backend.probe(4) == 0x2001 && backend.unreadBytes(4) == 0)
    backend.hangUp(5, withError: true)
    #expect(backend.probe(5) == 0x1D && backend.unreadBytes(5) == 0)
    #expect(backend.watch(mode: 0, descriptor: 4, interest: .write, token: 40) == 0)
    #expect(wait().0.isEmpty)
    #expect(backend.modify(mode: 0, descriptor: 4, interest: .read) == 0)
    #expect(wait().0.map(\.readiness) == [[.read, .closed]])
  }
}
