import Glibc
import LoopCore
import LoopPlatform
import Synchronization
import Testing

private let ended = Atomic(0)
private let remade = Atomic(0)

extension PlatformTests {
  @Suite struct ThreadStateTests {
    @Test("A stamp is seen on its own thread only")
    func stampIsOfThread() {
      let thread = TestThread {
        #expect(ThreadState.wakeDate.isNaN)
        ThreadState.setStamp(wakeDate: 12.5, wakeInstant: 34, iteration: 56)
        #expect(ThreadState.wakeDate == 12.5)
        #expect(ThreadState.wakeInstant == 34)
        #expect(ThreadState.iteration == 56)
        TestThread { #expect(ThreadState.wakeDate.isNaN) }.join()
        ThreadState.clearStamp()
        #expect(ThreadState.wakeDate.isNaN)
      }
      thread.join()
    }

    @Test("A thread knows its number, and whether it is the main one")
    func threadNumbers() {
      let process = getpid()
      TestThread {
        #expect(ThreadState.threadID != process)
        #expect(!ThreadState.isMainThread)
      }.join()
      let result = inForkedChild {
        ThreadState.isMainThread && ThreadState.threadID == getpid() ? 0 : 1
      }
      #expect(result == 0)
    }

    @Test("The exit hook gets the thread's loop, and one made meanwhile in turn")
    func exitHook() async {
      // In a process of its own: there is one hook a process, and it belongs to the loop above.
      await #expect(processExitsWith: .success) {
        ThreadState.onThreadExit { loop in
          ended.add(1, ordering: .relaxed)
          guard ThreadState.ownLoop == loop else { return }
          let number = UInt(bitPattern: loop)
          // Numbers below three make a loop anew.
          ThreadState.ownLoop = number < 3 ? UnsafeMutableRawPointer(bitPattern: number + 1) : nil
          if number < 3 { remade.add(1, ordering: .relaxed) }
        }
        TestThread { ThreadState.ownLoop = UnsafeMutableRawPointer(bitPattern: 1) }.join()
        TestThread {}.join()
        TestThread {
          ThreadState.ownLoop = UnsafeMutableRawPointer(bitPattern: 3)
          ThreadState.ownLoop = nil
        }.join()
        let calls = ended.load(ordering: .relaxed)
        let makings = remade.load(ordering: .relaxed)
        #expect(calls == 3)
        #expect(makings == 2)
      }
    }
  }
}
