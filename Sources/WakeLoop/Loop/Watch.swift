import LoopCore

/// One descriptor's registration in one open mode, shared by the sources that watch it there.
final class Watch {
  let descriptor: Int32
  @exclusivity(unchecked) var sources: [Loop.Source] = []
  /// What the backend has been asked to watch for; empty when it is out of the set.
  var installed: Readiness = []
  /// Its place in the table, -1 when it is in none.
  fileprivate(set) var index = -1

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// What its sources want together.
  var wanted: Readiness {
    var all: Readiness = []
    for source in sources { all.formUnion(source.effectiveInterest) }
    return all
  }

  /// What the backend hands back when the descriptor is ready.
  var token: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The watch of a token.
  // A watch lives while it is registered, and the ready list is read before any handler can end it.
  static func of(_ token: UInt) -> Watch {
    Unmanaged<Watch>.fromOpaque(UnsafeRawPointer(bitPattern: token)!).takeUnretainedValue()
  }
}

/// The watches of one open mode: found by number, and visited in turn.
struct WatchTable {
  private var byDescriptor: [Int32: Watch] = [:]
  /// Every watch, in no particular order.
  private(set) var all: [Watch] = []
  private var cursor = 0

  subscript(descriptor: Int32) -> Watch? { byDescriptor[descriptor] }

  /// Makes a watch for a number that has none.
  mutating func make(_ descriptor: Int32) -> Watch {
    let watch = Watch(descriptor: descriptor)
    watch.index = all.count
    all.append(watch)
    let before = byDescriptor.updateValue(watch, forKey: descriptor)
    assert(before == nil, "descriptor \(descriptor) has two watches in one mode")
    return watch
  }

  /// Takes a watch out in constant time: the last one moves to its place.
  mutating func remove(_ watch: Watch) {
    guard watch.index >= 0 else { return }
    assert(all[watch.index] === watch, "the watch of descriptor \(watch.descriptor) is not in its place")
    let last = all.removeLast()
    if last !== watch {
      all[watch.index] = last
      last.index = watch.index
    }
    watch.index = -1
    byDescriptor[watch.descriptor] = nil
  }

  mutating func removeAll() {
    for watch in all { watch.index = -1 }
    self = WatchTable()
  }

  /// The watch whose turn it is, nil if there is none.
  mutating func next() -> Watch? {
    if all.isEmpty { return nil }
    cursor = cursor + 1 < all.count ? cursor + 1 : 0
    return all[cursor]
  }
}
