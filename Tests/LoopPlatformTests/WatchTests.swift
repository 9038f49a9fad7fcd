import Glibc
import LoopCore
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct WatchTests {
    @Test("A descriptor is reported with its token for as long as it is ready")
    func levelTriggered() {
      let one = OneBackend()
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 7) == 0)
      #expect(one.ready() == [:])
      pipe.send()
      #expect(one.ready() == [7: .read])
      #expect(one.ready() == [7: .read])
      pipe.drain()
      #expect(one.ready() == [:])
      #expect(one.backend.unwatch(mode: 0, descriptor: pipe.reading) == 0)
      pipe.send()
      #expect(one.ready() == [:])
      pipe.close()
    }

    @Test("A change of interest counts at once, either way")
    func changeOfInterest() {
      let one = OneBackend()
      let sockets = DescriptorPair.sockets()
      let peer = DescriptorPair(reading: sockets.writing, writing: sockets.reading)
      #expect(one.backend.watch(mode: 0, descriptor: peer.writing, interest: .read, token: 1) == 0)
      #expect(one.ready() == [:])
      #expect(one.backend.modify(mode: 0, descriptor: peer.writing, interest: [.read, .write]) == 0)
      #expect(one.ready() == [1: .write])
      sockets.send()
      #expect(one.ready() == [1: [.read, .write]])
      #expect(one.backend.modify(mode: 0, descriptor: peer.writing, interest: .read) == 0)
      #expect(one.ready() == [1: .read])
      #expect(one.backend.modify(mode: 0, descriptor: peer.writing, interest: .write) == 0)
      #expect(one.ready() == [1: .write])
      #expect(one.backend.unwatch(mode: 0, descriptor: peer.writing) == 0)
      sockets.close()
    }

    @Test(
      "A socket watched for reading tells that its peer has closed, and one watched for writing only does not"
    )
    func peerCloses() {
      let one = OneBackend()
      let sockets = DescriptorPair.sockets()
      #expect(one.backend.watch(mode: 0, descriptor: sockets.reading, interest: .write, token: 1) == 0)
      shutdown(sockets.writing, Int32(SHUT_WR))
      #expect(one.ready() == [1: .write])
      #expect(one.backend.modify(mode: 0, descriptor: sockets.reading, interest: [.read, .write]) == 0)
      #expect(one.ready() == [1: [.read, .write, .closed]])
      #expect(one.backend.modify(mode: 0, descriptor: sockets.reading, interest: .write) == 0)
      #expect(one.ready() == [1: .write])
      #expect(one.backend.modify(mode: 0, descriptor: sockets.reading, interest: .read) == 0)
      #expect(one.ready() == [1: [.read, .closed]])
      sockets.close()
    }

    @Test("A pipe whose writer has gone is readable")
    func writerGone() {
      let one = OneBackend()
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 1) == 0)
      close(pipe.writing)
      #expect(one.ready() == [1: .read])
      #expect(one.backend.probe(pipe.reading) & ProbeResult.hangUp != 0)
      #expect(one.backend.unwatch(mode: 0, descriptor: pipe.reading) == 0)
      close(pipe.reading)
    }

    @Test("Bad descriptors are refused with the kernel's reason", arguments: [-1, Int32.max])
    func badDescriptor(descriptor: Int32) {
      let one = OneBackend()
      #expect(
        one.backend.watch(mode: 0, descriptor: descriptor, interest: .read, token: 1)
          == ErrorNumber.badDescriptor)
      #expect(one.backend.unwatch(mode: 0, descriptor: descriptor) == ErrorNumber.noEntry)
      #expect(one.backend.probe(descriptor) == ProbeResult.notOpen)
      #expect(!one.backend.isOpen(descriptor))
    }

    @Test("A regular file is refused as EPERM, and the loop goes on")
    func regularFile() {
      let one = OneBackend()
      let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
      #expect(
        one.backend.watch(mode: 0, descriptor: file, interest: .read, token: 1) == ErrorNumber.notPermitted)
      #expect(one.ready() == [:])
      close(file)
    }

    @Test("Each mode reports its own watches only")
    func modesAreApart() {
      let one = OneBackend(modes: 2)
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 1) == 0)
      pipe.send()
      #expect(one.ready(mode: 1) == [:])
      #expect(one.ready(mode: 0) == [1: .read])
      let deadline = one.after(milliseconds: 5)
      #expect(one.wait(mode: 1, until: WaitDeadlines(suspending: deadline)).isEmpty)
      #expect(one.backend.now(.suspending) >= deadline)
      one.backend.closeMode(0)
      #expect(one.backend.openMode(0, servesMainQueue: false) == 0)
      #expect(one.ready(mode: 0) == [:])
      pipe.close()
    }

    @Test("A full batch says so, and polling on finds everything", arguments: [31, 32, 100, 500])
    func fullBatch(count: Int) {
      let one = OneBackend()
      let pipes = (0..<count).map { _ in DescriptorPair.pipe() }
      for (index, pipe) in pipes.enumerated() {
        #expect(
          one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: UInt(index)) == 0)
        pipe.send()
      }
      var events: [ReadyEvent] = []
      #expect(one.backend.poll(mode: 0, into: &events).contains(.batchFull) == (count >= 32))
      #expect(one.ready().count == count)
      // The batch has grown by now: one poll finds all of them, and again.
      for _ in 0..<2 {
        events = []
        while one.backend.poll(mode: 0, into: &events).contains(.batchFull) { events = [] }
        #expect(Set(events.map(\.token)).count == count)
      }
      for pipe in pipes { pipe.close() }
    }

    @Test("The poll descriptor of a mode is readable when something in it is ready")
    func pollDescriptor() {
      let one = OneBackend()
      let poll = one.backend.pollDescriptor(mode: 0)
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 1) == 0)
      #expect(one.backend.probe(poll) & ProbeResult.read == 0)
      pipe.send()
      #expect(one.backend.probe(poll) & ProbeResult.read != 0)
      pipe.close()
    }

    @Test("Unread bytes are counted")
    func unreadBytes() {
      let one = OneBackend()
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.unreadBytes(pipe.reading) == 0)
      pipe.send(3)
      #expect(one.backend.unreadBytes(pipe.reading) == 3)
      #expect(one.backend.unreadBytes(-1) == -1)
      pipe.close()
    }

    @Test("Every descriptor made is closed on exec, and closed at the end")
    func descriptorsAreOurs() {
      func openDescriptors() -> Set<Int32> { Set((0..<1024).filter { fcntl($0, F_GETFD) >= 0 }) }
      let before = openDescriptors()
      do {
        let one = OneBackend(modes: 3)
        for clock in ClockDomain.allCases {
          var deadlines = WaitDeadlines()
          switch clock {
          case .suspending: deadlines.suspending = one.after(milliseconds: 1)
          case .continuous: deadlines.continuous = one.after(milliseconds: 1, on: .continuous)
          case .wall: deadlines.wall = one.after(milliseconds: 1, on: .wall)
          }
          _ = one.wait(until: deadlines)
        }
        let made = openDescriptors().subtracting(before)
        #expect(made.count >= 7)
        for descriptor in made { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
        one.backend.close(inForkedChild: false)
      }
      // Other suites may be running beside this one.
      #expect(openDescriptors().subtracting(before).count < 7)
    }

    @Test("A process without descriptors is told so, and nothing is left behind")
    func noDescriptorsLeft() {
      let waker = Waker()
      let result = inForkedChild {
        // Its own limit; the child is alone in its process.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 3
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let backend = LibeventBackend(waker: waker)
        return backend.openMode(0, servesMainQueue: false) == EMFILE ? 0 : 1
      }
      #expect(result == 0)
    }
  }
}
