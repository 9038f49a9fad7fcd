import Glibc

/// A thread that runs one closure.
final class OneThread {
  private var thread = pthread_t()

  /// Starts it.
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

  /// Waits for its end.
  func join() { pthread_join(thread, nil) }
}

/// Something that one thread waits for and another one tells.
final class Signal: @unchecked Sendable {
  // Made once and never moved, as sem_t wants; its functions may be called on any thread.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func tell() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}
