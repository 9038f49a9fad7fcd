import Glibc

/// A thread that runs one closure.
// Sendable is unchecked because the number is set once, before anybody else sees the object.
final class OwnThread: @unchecked Sendable {
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
  }

  /// Waits until it has ended.
  func join() { pthread_join(thread, nil) }
}
