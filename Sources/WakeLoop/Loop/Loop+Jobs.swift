import LoopPlatform

/// A piece of a task that waits for its loop to run it.
struct WaitingJob {
  let job: UnownedJob
  /// Whether it came by the loop's task executor, so that it runs in no actor's isolation.
  let isTaskPreference: Bool
}

/// Jobs: what Swift's tasks ask the loop to run, served in each pass of a run in a common mode.
extension Loop {
  /// Takes a job from the loop's own thread: no lock, no system call, the next pass.
  @inline(__always)
  func enqueue(_ job: WaitingJob) {
    jobs.append(job)
    if hosted != nil { workCame() }
  }

  /// Whether a run serves jobs: in common modes, unless a block of the main queue or a job is on the stack,
  /// since both are serial.
  @inline(__always)
  func servesJobs(_ run: Run) -> Bool { run.record.isCommon && serialDepth == 0 }

  /// Takes all jobs that wait onto the list of this pass.
  func collectJobs(in run: Run) {
    if jobs.isEmpty || !servesJobs(run) { return }
    assert(run.lists.jobs.isEmpty, "a pass's list still holds \(run.lists.jobs.count) jobs")
    swap(&jobs, &run.lists.jobs)
  }

  /// Runs the jobs of this pass, in the order in which they came.
  ///
  /// No nested run takes any of them: it serves no jobs while one is on the stack.
  func dispatchJobs(_ run: Run) {
    let lists = run.lists
    let serial = executor.asUnownedSerialExecutor()
    let preference = taskExecutor.asUnownedTaskExecutor()
    run.handledSource = true
    serialDepth += 1
    for index in 0..<lists.jobs.count {
      let waiting = lists.jobs[index]
      trace?.event(.jobCalled, item: nil, stamp: currentStamp)
      if waiting.isTaskPreference {
        waiting.job.runSynchronously(on: preference)
      } else {
        waiting.job.runSynchronously(on: serial)
      }
    }
    serialDepth -= 1
    // A burst must not hold its memory for ever.
    lists.jobs.removeAll(keepingCapacity: lists.jobs.capacity <= 65_536)
  }
}
