import CBenchPeers
import Dispatch
import Glibc
import Synchronization
import WakeLoop

/// Jobs of the main actor, by whatever serves the main thread; each ends the process, since some never return.
enum MainActorHops {
  /// Who runs on the main thread.
  enum Server: Sendable {
    case installedLoop, loopWithMainQueue, dispatch

    /// Gets ready before any task is made.
    @MainActor
    func prepare() {
      if self == .installedLoop { require(Loop.main.installAsMainExecutor(), "the runtime lacks the hooks") }
    }

    /// Serves the main actor for ever.
    @MainActor
    func serve() -> Never {
      if self == .dispatch { dispatchMain() }
      while true { Loop.main.run() }
    }
  }

  @MainActor private static var served = 0
  @MainActor private static func serveOne() { served += 1 }

  /// W10: a detached task calls a main-actor function and comes back.
  static func pingPong(rounds: Int, by server: Server, then report: @escaping @Sendable (Double) -> Void) {
    begin(server) {
      Task.detached {
        for _ in 0..<1_000 { await serveOne() }
        let start = monotonicNanoseconds()
        for _ in 0..<rounds { await serveOne() }
        let end = monotonicNanoseconds()
        let count = await MainActor.run { served }
        require(count == rounds + 1_000, "\(count) of \(rounds) hops ran")
        finish(report, Double(end - start) / Double(rounds))
      }
    }
  }

  /// W10b makes the tasks on the main actor, W10c (`elsewhere`) on another thread; the making is included.
  static func burst(
    count: Int, elsewhere: Bool, by server: Server, then report: @escaping @Sendable (Double) -> Void
  ) {
    begin(server) {
      let start = monotonicNanoseconds()
      let make: @Sendable () -> Void = {
        for _ in 0..<count {
          Task { @MainActor in
            serveOne()
            if served == count { finish(report, Double(monotonicNanoseconds() - start) / Double(count)) }
          }
        }
      }
      if elsewhere { Task.detached { make() } } else { make() }
    }
  }

  private static func begin(_ server: Server, _ body: @MainActor () -> Void) {
    MainActor.assumeIsolated {
      server.prepare()
      body()
      server.serve()
    }
  }

  private static func finish(_ report: @Sendable (Double) -> Void, _ value: Double) -> Never {
    report(value)
    fflush(nil)
    exit(0)
  }
}
