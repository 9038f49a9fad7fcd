import Glibc
import WakeLoop

/// What is called from another thread, or in the next pass, through the public interface.
enum WakeLoopPosts {
  /// W3 posts one closure again and again, W3m (`allocates`) a new one each time.
  static func post(count: Int, allocates: Bool) -> Double {
    let loop = Loop.current
    let remote = loop.remote
    let receiver = Receiver(expected: count)
    let hold = loop.holdOpen()
    let poster = Poster {
      receiver.waitForStart()
      if allocates {
        for number in 1...count { remote.perform { receiver.receive(number) } }
      } else {
        let receive: @Sendable () -> Void = { receiver.receive(receiver.received + 1) }
        for _ in 0..<count { remote.perform(receive) }
      }
    }
    let start = monotonicNanoseconds()
    receiver.start()
    loop.run()
    let end = monotonicNanoseconds()
    poster.join()
    hold.invalidate()
    require(receiver.received == count, "\(receiver.received) of \(count) posts ran")
    require(receiver.isInOrder, "posts changed places")
    return Double(end - start) / Double(count)
  }

  // Only the loop's thread touches the counts; the semaphore orders the start before the poster's work.
  private final class Receiver: @unchecked Sendable {
    let expected: Int
    var received = 0
    var isInOrder = true
    private let semaphore: UnsafeMutablePointer<sem_t>

    init(expected: Int) {
      self.expected = expected
      semaphore = .allocate(capacity: 1)
      sem_init(semaphore, 0, 0)
    }

    deinit { semaphore.deallocate() }

    func start() { sem_post(semaphore) }
    func waitForStart() { while sem_wait(semaphore) != 0 {} }

    func receive(_ number: Int) {
      isInOrder = isInOrder && number == received + 1
      received += 1
      if received == expected { Loop.current.stop() }
    }
  }

  /// A thread that runs one closure.
  private final class Poster {
    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
      final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
      }
      let context = Unmanaged.passRetained(Box(body)).toOpaque()
      let error = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
          return nil
        }, context)
      require(error == 0, "no thread: errno \(error)")
    }

    func join() { pthread_join(thread, nil) }
  }

  /// W9: each call asks for the next one, which the next pass makes after a poll.
  static func chain(calls: Int, pending: Int) -> Double {
    let chain = Chain(calls: calls)
    var random = SplitMix64(seed: 1)
    for _ in 0..<pending {
      chain.loop.after(.nanoseconds(random.nextDelay()), in: .default) { _ in chain.fired += 1 }
    }
    let firstPass = chain.loop.iteration
    chain.loop.perform { chain.call() }
    let start = monotonicNanoseconds()
    chain.loop.run()
    let end = monotonicNanoseconds()
    require(chain.left == 0, "\(chain.left) calls were not made")
    require(chain.fired == 0, "\(chain.fired) timers an hour ahead fired")
    let passes = chain.loop.iteration - firstPass
    require(passes >= UInt64(calls), "\(calls) calls took only \(passes) passes")
    return Double(end - start) / Double(calls)
  }

  private final class Chain {
    let loop = Loop.current
    var left: Int
    var fired = 0

    init(calls: Int) { left = calls }

    func call() {
      left -= 1
      if left > 0 {
        loop.perform { [unowned self] in call() }
      } else {
        loop.stop()
      }
    }
  }
}
