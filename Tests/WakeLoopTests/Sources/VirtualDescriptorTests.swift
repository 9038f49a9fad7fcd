import Testing
import WakeLoop
import WakeLoopTesting

/// What the sources make of a scripted kernel, in virtual time.
@Suite struct VirtualDescriptorTests {
  typealias Source = Loop.DescriptorSource

  private let virtual = VirtualLoop()
  private var loop: Loop { virtual.loop }

  /// A run that goes on until nothing is ready, with a limit of virtual time that only a spin would not reach.
  private func run() { virtual.advance(by: .seconds(1)) }

  @Test("Bytes before the end of file are told first, and the end once")
  func endOfFile() {
    var left = 5
    var events: [Source.Event] = []
    let source = try! loop.watch(4, in: .default) { source, event in
      events.append(event)
      left = max(left - 1, 0)
      virtual.endPeer(4, unreadBytes: left)
    }
    virtual.endPeer(4, unreadBytes: left)
    run()
    #expect(events == Array(repeating: .readable, count: 5) + [[.readable, .endOfFile]])
    #expect(source.isValid)
  }

  @Test("A hang-up with an error is told once, all together")
  func hangUpWithError() {
    var events: [Source.Event] = []
    try! loop.watch(4, for: [.read, .write], in: .default) { _, event in events.append(event) }
    virtual.hangUp(4, withError: true)
    run()
    run()
    #expect(events == [[.readable, .writable, .endOfFile, .hangUp, .error]])
  }

  @Test("A descriptor closed under us with a duplicate living on is told as closed")
  func closedWithDuplicate() {
    var events: [Source.Event] = []
    let source = try! loop.watch(4, in: .default) { _, event in events.append(event) }
    run()
    virtual.setReady(4)
    virtual.closeDescriptor(4, duplicateLivesOn: true)
    run()
    #expect(events == [.error])
    #expect(source.failure?.code == 9 && !source.isValid)
  }

  @Test("A number that names another file by now leaves its old source and serves its new one")
  func reopened() {
    var events: [Source.Event] = []
    try! loop.watch(4, in: .default) { _, event in events.append(event) }
    run()
    virtual.reopenDescriptor(4)
    var fresh: [Source.Event] = []
    try! loop.watch(4, in: .default) { _, event in
      fresh.append(event)
      virtual.clearReady(4)
    }
    virtual.setReady(4)
    run()
    #expect(events == [.error])
    #expect(fresh == [.readable])
  }

  @Test("What the kernel refuses is thrown", arguments: [1, 28] as [Int32])
  func refused(code: Int32) {
    virtual.failWatch(4, errno: code)
    #expect(throws: Loop.SystemError.self) { try loop.watch(4, in: .default) { _, _ in } }
    virtual.failWatch(4, errno: 0)
    #expect(throws: Never.self) { try loop.watch(4, in: .default) { _, _ in } }
  }
}
