import CBenchPeers
import WakeLoop

/// What is called from another thread, through the public interface.
enum WakeLoopPosts {
  // MARK: W3, W3m

  /// W3 posts one closure again and again, W3m (`allocates`) a new one each time.
  static func post(count: Int, allocates: Bool) -> Double {
    let loop = Loop.current
    let remote = loop.remote
    let receiver = Receiver(expected: count)
    let hold = loop.holdOpen()
    let ready = Signal()
    let poster = OneThread {
      ready.wait()
      if allocates {
        for number in 1...count { remote.perform { receiver.receive(number) } }
      } else {
        let receive: @Sendable () -> Void = { receiver.receive(receiver.received + 1) }
        for _ in 0..<count { remote.perform(receive) }
      }
    }
    let start = monotonicNanoseconds()
    ready.tell()
    loop.run()
    let end = monotonicNanoseconds()
    poster.join()
    hold.invalidate()
    require(receiver.received == count, "\(receiver.received) of \(count) posts ran")
    require(receiver.isInOrder, "posts changed places")
    return Double(end - start) / Double(count)
  }

  // Only the loop's thread touches the counts; the poster only makes closures that do.
  private final class Receiver: @unchecked Sendable {
    let expected: Int
    var received = 0
    var isInOrder = true

    init(expected: Int) { self.expected = expected }

    func receive(_ number: Int) {
      isInOrder = isInOrder && number == received + 1
      received += 1
      if received == expected { Loop.current.stop() }
    }
  }

  // MARK: W4

  /// W4: two loops on two threads post to each other; the time of a round trip.
  static func pingPong(rounds: Int, onOneProcessor: Bool) -> Double {
    if onOneProcessor { bench_stay_on_this_processor() }
    let loop = Loop.current
    let ping = Player(loop.remote, left: rounds)
    let ready = Signal()
    let thread = OneThread {
      let loop = Loop.current
      let pong = Player(loop.remote, left: rounds)
      ping.other = pong
      pong.other = ping
      let hold = loop.holdOpen()
      ready.tell()
      loop.run()
      hold.invalidate()
      require(pong.left == 0, "the game ended early")
    }
    ready.wait()
    let hold = loop.holdOpen()
    let start = monotonicNanoseconds()
    ping.remote.perform { ping.play() }
    loop.run()
    thread.join()
    let end = monotonicNanoseconds()
    hold.invalidate()
    require(ping.left == 0, "the game ended early")
    return Double(end - start) / Double(rounds)
  }

  // `other` is set before the first post, `left` is touched by the player's own thread only.
  private final class Player: @unchecked Sendable {
    let remote: Loop.Remote
    var other: Player?
    var left: Int

    init(_ remote: Loop.Remote, left: Int) {
      self.remote = remote
      self.left = left
    }

    func play() {
      left -= 1
      let isLast = left == 0
      if let other { other.remote.perform { other.play() } }
      if isLast {
        other = nil
        Loop.current.stop()
      }
    }
  }
}
