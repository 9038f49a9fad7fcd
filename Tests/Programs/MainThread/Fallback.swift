import LoopPlatform
import WakeLoop

/// On a runtime that does not let its executor be replaced, installing says so once and the main queue goes on serving.
@MainActor
func fallback(isMissing: Bool) {
  // The loop has looked before anything was asked for.
  check(Loop.main.iteration == 0, "the main loop has run")
  // A runtime that was handed our executor and has understood another one.
  _ = MainExecutorHooks.install(
    provider: { pointer in
      guard let pointer else { return }
      MainExecutorHooks.write(other.asUnownedSerialExecutor(), to: pointer)
    }, drive: {})
  // What the loop finds where there are no hooks: they were asked for, and are not to be had.
  if isMissing { MainExecutorHooks.remove() }
  let state = MainExecutorHooks.state
  check(state == (isMissing ? .unsupported : .installed), "the hooks are \(state)")
  Loop.onReport = { report in print("report: \(report.kind)") }
  check(!Loop.main.installAsMainExecutor(), "installed all the same")
  check(!Loop.main.installAsMainExecutor(), "installed all the same, the second time")
  orderInOnePass(isInstalled: false)
  services()
}

/// An executor that is never to be given a job.
private final class OtherExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    check(false, "a job has come to another executor")
  }
}

private let other = OtherExecutor()
