import Testing
import WakeLoop

#if canImport(Glibc)
  import Glibc
#endif

/// Runs `body` with the loop of a new thread, which has ended when this returns.
///
/// Should the body hang, its loop is stopped after a minute, so that the test fails instead.
func onLoopThread(_ body: @escaping @Sendable (Loop) throws -> Void) {
  final class Box {
    let body: @Sendable (Loop) throws -> Void
    init(_ body: @escaping @Sendable (Loop) throws -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  let result = pthread_create(
    &thread, nil,
    { argument in
      let body = Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body
      let loop = Loop.current
      loop.after(.seconds(60)) { _ in
        Issue.record("the test was still running after a minute")
        loop.stop()
      }.keepsLoopAlive = false
      do { try body(loop) } catch { Issue.record(error) }
      return nil
    }, box.toOpaque())
  precondition(result == 0, "no thread: \(result)")
  pthread_join(thread, nil)
}
