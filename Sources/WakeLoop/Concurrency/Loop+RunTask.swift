import LoopPlatform
import Synchronization

extension Loop {
  /// Runs the loop until an async body has ended, and hands back its value or its error.
  ///
  /// From a synchronous main, `try Loop.main.run { try await body() }`. The body runs in the isolation in which it
  /// is written: on the main actor where that is the caller's, else on this loop's thread, by the loop's task
  /// executor. The run is in the default mode; a stop ends one run of it, and as long as the body has not ended the
  /// loop runs on. Loop's thread only.
  /// - Parameters:
  ///   - caller: The isolation of the caller, which the body inherits.
  ///   - body: The work; its task has the caller's priority and is not cancelled by anything here.
  /// - Precondition: The caller is not the main actor, or this is the main loop: no other serves it.
  @available(*, noasync, message: "a run blocks its thread; await the body instead")
  public func run<Success: Sendable, Failure: Error>(
    from caller: (any Actor)? = #isolation,
    @_inheritActorContext _ body: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) throws(Failure) -> Success {
    checkUsable("run(_:)")
    // The closure's own isolation can't be asked: the compiler breaks on it where the result is generic.
    precondition(
      isMain || !(caller is MainActor),
      "run(_:) on a loop that is not the main loop, asked by main-actor code: the body would wait for the main "
        + "actor, which waits for this run; mark the closure @concurrent and pass from: nil")
    let outcome = Outcome<Success, Failure>()
    let hold = holdOpen()
    Task(executorPreference: taskExecutor) {
      do throws(Failure) {
        outcome.set(.success(try await body()))
      } catch {
        outcome.set(.failure(error))
      }
    }
    while !outcome.isSet { run(while: { !outcome.isSet }) }
    hold.invalidate()
    return try outcome.take().get()
  }
}

/// What a task has come to, left for the loop's thread.
// Sendable is unchecked because the result is written before the flag is set and read after it was seen; both on
// one thread anyway, that of the loop which the task prefers.
private final class Outcome<Success: Sendable, Failure: Error>: @unchecked Sendable {
  private var result: Result<Success, Failure>?
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set(_ result: Result<Success, Failure>) {
    self.result = result
    flag.store(true, ordering: .releasing)
  }

  func take() -> Result<Success, Failure> {
    guard isSet, let result else { preconditionFailure("a task is asked for its result before it has ended") }
    return result
  }
}
