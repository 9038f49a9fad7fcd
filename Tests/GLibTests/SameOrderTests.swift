import CGLib
import GLibHost
import Glibc
import Testing
import WakeLoop

/// Sources of GLib's that add and remove each other and write to each other's pipes, all by one generator: a difference
/// in a single call makes all after it different.
private final class Play {
  let context = MainContext()
  private(set) var log: [String] = []
  private var generator: SplitMix64
  private var pipes: [Pipe] = []
  private var watches: [UInt32] = []
  private var made = 0

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    for _ in 0..<4 { addPipe() }
    for _ in 0..<6 { addSource() }
  }

  deinit { for pipe in pipes { pipe.close() } }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

  private func addPipe() {
    let number = pipes.count
    let pipe = Pipe()
    pipes.append(pipe)
    watches.append(
      context.watch(pipe.reading, for: POLLIN) { [unowned self] _ in act("pipe \(number)", pipe) })
    if chance(50) { pipe.write() }
  }

  private func addSource() {
    made += 1
    let name = "source \(made)"
    let body = { [unowned self] in act(name, nil) }
    // A timeout of nothing is always due, between the two in what is done about it first.
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: context.whenIdle(body)
    case 1: context.every(0, body)
    default: context.every(0) { [unowned self] in act(name + " once", nil) && false }
    }
  }

  /// Takes note of a call, and does something; returns whether to be called again.
  private func act(_ name: String, _ pipe: Pipe?) -> Bool {
    log.append(name)
    if log.count > 300 { return false }
    if let pipe, chance(70) { pipe.read(Int.random(in: 1...3, using: &generator)) }
    if chance(40) { pipes.randomElement(using: &generator)?.write() }
    if chance(25) { addSource() }
    if chance(10) && pipes.count < 12 { addPipe() }
    if chance(10), let watch = watches.randomElement(using: &generator) { context.remove(watch) }
    return pipe != nil ? chance(95) : chance(60)
  }
}

@Suite("A hosted context")
struct SameOrderTests {
  @Test("calls the same handlers in the same order as GLib by itself", arguments: 1...40)
  func sameOrder(seed: UInt64) throws {
    let alone = Play(seed: seed)
    while glib_iterate(alone.context.pointer, 0) != 0 {}

    let hosted = Play(seed: seed)
    let loop = Loop.current
    let host = try GLibHost(context: hosted.context.pointer, in: loop)
    var count = -1
    while hosted.log.count > count {
      count = hosted.log.count
      loop.run(mode: .default, for: .zero)
    }
    host.invalidate()
    #expect(alone.log.count > 10)
    #expect(hosted.log == alone.log)
  }
}
