import Glibc
import LoopCore
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct ForkTests {
    @Test("A forked child has another generation; its parent keeps its own")
    func generation() {
      let before = ForkGeneration.current
      let result = inForkedChild { ForkGeneration.current == before &+ 1 ? 0 : 1 }
      #expect(result == 0)
      #expect(ForkGeneration.current == before)
    }

    @Test("A child that closes what it inherited leaves the parent's watches and timers alone")
    func closingInChild() {
      let one = OneBackend(modes: 2)
      let pipe = DescriptorPair.pipe()
      #expect(one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: 1) == 0)
      let backend = one.backend
      let number = backend.pollDescriptor(mode: 0)
      let result = inForkedChild {
        // Cancelling and closing a mode by themselves are as harmless as closing all.
        _ = backend.unwatch(mode: 0, descriptor: pipe.reading)
        backend.closeMode(1)
        backend.close(inForkedChild: true)
        return backend.isOpen(number) ? 1 : 0
      }
      #expect(result == 0)
      pipe.send()
      #expect(one.ready() == [1: .read])
      #expect(one.backend.unwatch(mode: 0, descriptor: pipe.reading) == 0)
      let deadline = one.after(milliseconds: 2)
      _ = one.wait(until: WaitDeadlines(suspending: deadline))
      #expect(one.backend.now(.suspending) >= deadline)
      #expect(one.waker.prepareToSleep())
      one.waker.raise(.wake)
      _ = one.waker.take()
      #expect(one.backend.probe(number) & ProbeResult.read != 0)
      pipe.close()
    }

    @Test("A forked child that waits on what it inherited is stopped in clear words")
    func useInChild() async {
      await #expect(processExitsWith: .success) {
        let one = OneBackend()
        let result = inForkedChild {
          _ = one.ready()
          return 0
        }
        #expect(result < 0, "a signal ends it")
      }
    }
  }
}
