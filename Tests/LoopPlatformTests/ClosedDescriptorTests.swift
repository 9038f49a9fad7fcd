import Glibc
import LoopCore
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct ClosedDescriptorTests {
    let one = OneBackend()
    let victim = DescriptorPair.pipe()
    let other = DescriptorPair.pipe()

    init() {
      #expect(one.backend.watch(mode: 0, descriptor: victim.reading, interest: .read, token: 1) == 0)
      #expect(one.backend.watch(mode: 0, descriptor: other.reading, interest: .read, token: 2) == 0)
    }

    private func isTold(_ error: Int32) -> Bool {
      error == ErrorNumber.badDescriptor || error == ErrorNumber.noEntry
    }

    @Test("A descriptor closed while watched is told when its watch ends, and the others go on")
    func closed() {
      close(victim.reading)
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: victim.reading)))
      other.send()
      #expect(one.ready() == [2: .read])
      #expect(one.backend.unwatch(mode: 0, descriptor: other.reading) == 0)
    }

    @Test("A descriptor closed while watched is told when its interest changes")
    func closedThenModified() {
      close(victim.reading)
      #expect(isTold(one.backend.modify(mode: 0, descriptor: victim.reading, interest: [.read, .write])))
      #expect(isTold(one.backend.modify(mode: 0, descriptor: victim.reading, interest: .read)))
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: victim.reading)))
    }

    @Test("A duplicate that stays open neither reports nor spins once the watch has ended")
    func closedWithDuplicate() {
      let duplicate = dup(victim.reading)
      close(victim.reading)
      victim.send()
      // The kernel goes on reporting the file under the closed number.
      #expect(one.ready() == [1: .read])
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: victim.reading)))
      #expect(one.ready() == [:])
      let deadline = one.after(milliseconds: 5)
      #expect(one.wait(until: WaitDeadlines(suspending: deadline)).isEmpty)
      #expect(one.backend.now(.suspending) >= deadline)
      other.send()
      #expect(one.ready() == [2: .read])
      close(duplicate)
    }

    @Test("The waker and the deadlines go on after a rebuild")
    func internalsSurviveRebuild() {
      let duplicate = dup(victim.reading)
      close(victim.reading)
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: victim.reading)))
      let waker = one.waker
      let thread = TestThread { waker.raise(.wake) }
      while waker.take().isEmpty { _ = one.wait(until: .never) }
      thread.join()
      let deadline = one.after(milliseconds: 2)
      while one.backend.now(.suspending) < deadline {
        _ = one.wait(until: WaitDeadlines(suspending: deadline))
      }
      close(duplicate)
    }

    @Test(
      "A number reused for another file: the new watch sees its own events only", arguments: [true, false])
    func reused(keepsDuplicate: Bool) {
      let duplicate = keepsDuplicate ? dup(victim.reading) : -1
      let fresh = DescriptorPair.pipe()
      // In one step, so that no other thread gets the number between.
      dup2(fresh.reading, victim.reading)
      #expect(one.backend.unwatch(mode: 0, descriptor: victim.reading) == ErrorNumber.noEntry)
      #expect(one.backend.watch(mode: 0, descriptor: victim.reading, interest: .read, token: 3) == 0)
      if keepsDuplicate { victim.send() }
      #expect(one.ready() == [:])
      fresh.send()
      #expect(one.ready() == [3: .read])
      #expect(one.backend.unwatch(mode: 0, descriptor: victim.reading) == 0)
      if keepsDuplicate { close(duplicate) }
      fresh.close()
    }

    @Test("Another descriptor that was closed too is reported as ready after a rebuild, until its watch ends")
    func refusedByRebuild() {
      let fresh = DescriptorPair.pipe()
      dup2(fresh.reading, other.reading)
      close(victim.reading)
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: victim.reading)))
      #expect(one.ready() == [2: .read])
      // A wait does not sleep over it either.
      #expect(one.wait(until: .never).map(\.token) == [2])
      #expect(isTold(one.backend.modify(mode: 0, descriptor: other.reading, interest: .write)))
      #expect(isTold(one.backend.unwatch(mode: 0, descriptor: other.reading)))
      #expect(one.ready() == [:])
      fresh.close()
    }

    @Test("A thousand closed under us are all told")
    func manyClosed() {
      let pipes = (0..<1000).map { _ in DescriptorPair.pipe() }
      for (index, pipe) in pipes.enumerated() {
        #expect(
          one.backend.watch(mode: 0, descriptor: pipe.reading, interest: .read, token: UInt(index + 10)) == 0)
      }
      for pipe in pipes { close(pipe.reading) }
      for pipe in pipes { #expect(isTold(one.backend.unwatch(mode: 0, descriptor: pipe.reading))) }
      #expect(one.ready() == [:])
      for pipe in pipes { close(pipe.writing) }
    }

    @Test("Random programs of watching, closing and reusing report what the pipes hold", arguments: 0..<40)
    func randomPrograms(seed: Int) {
      var program = DescriptorProgram(seed: UInt64(seed))
      for _ in 0..<300 { program.step() }
      program.finish()
    }
  }
}

/// Pipes that are watched, filled, closed under their watch and replaced, beside what should be reported.
private struct DescriptorProgram {
  private struct Slot {
    var pipe: DescriptorPair
    var isWatched = false
    var isStolen = false
    var holdsBytes = false
    var writerIsGone = false
    var duplicate: Int32 = -1
  }

  private let one = OneBackend()
  private var random: SplitMix64
  private var slots: [Slot] = (0..<12).map { _ in Slot(pipe: .pipe()) }

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func step() {
    let index = Int.random(in: slots.indices, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: watchOrUnwatch(index)
    case 2, 3:
      if !slots[index].writerIsGone {
        slots[index].pipe.send()
        slots[index].holdsBytes = true
      }
    case 4:
      if !slots[index].isStolen {
        slots[index].pipe.drain()
        slots[index].holdsBytes = false
      }
    case 5: steal(index)
    case 6: closeWriter(index)
    case 7:
      if slots[index].isWatched, !slots[index].isStolen {
        // A reading end can't be written: the interest changes, the reports do not.
        let interest: Readiness = Bool.random(using: &random) ? .read : [.read, .write]
        #expect(one.backend.modify(mode: 0, descriptor: slots[index].pipe.reading, interest: interest) == 0)
      }
    default: check()
    }
  }

  private mutating func watchOrUnwatch(_ index: Int) {
    let descriptor = slots[index].pipe.reading
    guard !slots[index].isWatched else {
      let error = one.backend.unwatch(mode: 0, descriptor: descriptor)
      if slots[index].isStolen {
        #expect(error == ErrorNumber.badDescriptor || error == ErrorNumber.noEntry)
        replace(index)
      } else {
        #expect(error == 0)
      }
      slots[index].isWatched = false
      return
    }
    #expect(one.backend.watch(mode: 0, descriptor: descriptor, interest: .read, token: UInt(index)) == 0)
    slots[index].isWatched = true
  }

  /// Puts another file behind the number, with or without a duplicate of the old one.
  private mutating func steal(_ index: Int) {
    guard slots[index].isWatched, !slots[index].isStolen else { return }
    if Bool.random(using: &random) { slots[index].duplicate = dup(slots[index].pipe.reading) }
    let fresh = DescriptorPair.pipe()
    dup2(fresh.reading, slots[index].pipe.reading)
    fresh.close()
    slots[index].isStolen = true
    // Without a reader left, another byte would raise SIGPIPE.
    closeWriter(index)
  }

  private mutating func closeWriter(_ index: Int) {
    guard !slots[index].writerIsGone else { return }
    close(slots[index].pipe.writing)
    slots[index].writerIsGone = true
    if slots[index].isStolen { return }
    // Children that other tests start beside this one have a copy of every descriptor until they are on their own.
    var polled = pollfd(fd: slots[index].pipe.reading, events: 0, revents: 0)
    while polled.revents & Int16(POLLHUP) == 0 { poll(&polled, 1, -1) }
  }

  private mutating func replace(_ index: Int) {
    close(slots[index].pipe.reading)
    if slots[index].duplicate >= 0 { close(slots[index].duplicate) }
    slots[index] = Slot(pipe: .pipe())
  }

  private func check() {
    let stolen = Set(slots.indices.filter { slots[$0].isStolen }.map { UInt($0) })
    let expected = slots.indices.filter {
      slots[$0].isWatched && !slots[$0].isStolen && (slots[$0].holdsBytes || slots[$0].writerIsGone)
    }
    let reported = Set(one.ready().keys).subtracting(stolen)
    #expect(reported == Set(expected.map { UInt($0) }))
  }

  mutating func finish() {
    check()
    for index in slots.indices where slots[index].isWatched { watchOrUnwatch(index) }
    #expect(one.ready() == [:])
    for index in slots.indices {
      closeWriter(index)
      close(slots[index].pipe.reading)
    }
  }
}
