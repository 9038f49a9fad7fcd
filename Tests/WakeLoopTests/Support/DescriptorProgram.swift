import Glibc
import Testing
import WakeLoop

/// Pipes that are watched, filled, read, hung up, closed under their watch and replaced, beside a plain model of
/// what each source should be told.
final class DescriptorProgram {
  /// A source, and what it was told since the last look.
  private final class Listener {
    private(set) var source: Loop.DescriptorSource!
    var bytes = 0
    var ends = 0
    var errors = 0

    init(_ descriptor: Int32, on loop: Loop) {
      source = try! loop.watch(descriptor) { [self] source, event in
        if event.contains(.error) {
          errors += 1
          return
        }
        bytes += take(1, from: source.descriptor)
        if event.contains(.endOfFile) { ends += 1 }
      }
    }
  }

  /// A number, the pipe that it names now, and its listener.
  private final class Slot {
    var ends = Ends.pipe()
    var listener: Listener?
    // The model.
    var unread = 0
    var isWriterGone = false
    var isEndTold = false
  }

  private let loop: Loop
  private var random: SplitMix64
  private let slots = (0..<10).map { _ in Slot() }
  /// Those whose descriptor was closed under them: each is to be told so once, and nothing else.
  private var bereaved: [Listener] = []
  private var duplicates: [Int32] = []

  init(seed: UInt64, loop: Loop) {
    self.loop = loop
    random = SplitMix64(seed: seed)
    // Before the first run in a mode nothing is registered in it, and nobody could tell a number's files apart.
    loop.runUntilQuiet()
  }

  func step() {
    let slot = slots.randomElement(using: &random)!
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1: watchOrCancel(slot)
    case 2, 3, 4: send(slot)
    case 5: closeWriter(slot)
    case 6, 7: closeUnderUs(slot)
    case 8: slot.listener?.source.isPaused.toggle()
    default: look()
    }
  }

  func finish() {
    for slot in slots { slot.listener?.source.isPaused = false }
    look()
    for slot in slots {
      slot.listener?.source.invalidate()
      close(slot.ends.reading)
      if !slot.isWriterGone { close(slot.ends.writing) }
    }
    for duplicate in duplicates { close(duplicate) }
    #expect(loop.run(mode: .default, for: .zero) == .finished)
  }

  // MARK: Steps

  private func watchOrCancel(_ slot: Slot) {
    slot.isEndTold = false
    if let listener = slot.listener {
      listener.source.invalidate()
      slot.listener = nil
    } else {
      slot.listener = Listener(slot.ends.reading, on: loop)
    }
  }

  private func send(_ slot: Slot) {
    if slot.isWriterGone || slot.unread > 20 { return }
    slot.ends.send(3)
    slot.unread += 3
  }

  private func closeWriter(_ slot: Slot) {
    if slot.isWriterGone { return }
    close(slot.ends.writing, seenBy: slot.ends.reading)
    slot.isWriterGone = true
  }

  /// Closes the number, or puts another file behind it, with or without a duplicate of the old one.
  private func closeUnderUs(_ slot: Slot) {
    // One that is out of the poll set is told on resuming, if its number has not been given to another file.
    guard let listener = slot.listener, !listener.source.isPaused, !slot.isEndTold else { return }
    if Bool.random(using: &random) {
      let duplicate = moved(dup(slot.ends.reading))
      duplicates.append(duplicate)
      if !slot.isWriterGone { slot.ends.send(1) }
    }
    let isReused = Bool.random(using: &random)
    let fresh = Ends.pipe()
    let number = slot.ends.reading
    if !slot.isWriterGone { close(slot.ends.writing) }
    slot.unread = 0
    slot.isWriterGone = false
    slot.listener = nil
    bereaved.append(listener)
    if isReused {
      dup2(fresh.reading, number)
      close(fresh.reading)
      slot.ends = Ends(reading: number, writing: fresh.writing)
      slot.listener = Listener(number, on: loop)
      send(slot)
    } else {
      slot.ends = fresh
      close(number)
      look()
    }
  }

  // MARK: The comparison

  /// Runs until all is quiet, and compares.
  private func look() {
    loop.runUntilQuiet()
    for slot in slots { compare(slot) }
    for listener in bereaved {
      #expect(listener.errors == 1 && listener.bytes == 0 && listener.ends == 0)
      #expect(!listener.source.isValid && listener.source.failure?.code == EBADF)
    }
    bereaved = []
  }

  private func compare(_ slot: Slot) {
    guard let listener = slot.listener else { return }
    let listens = !listener.source.isPaused && !slot.isEndTold
    let end = listens && slot.isWriterGone
    #expect(listener.bytes == (listens ? slot.unread : 0))
    #expect(listener.ends == (end ? 1 : 0))
    #expect(listener.errors == 0)
    slot.unread -= listener.bytes
    slot.isEndTold = slot.isEndTold || end
    listener.bytes = 0
    listener.ends = 0
  }
}
