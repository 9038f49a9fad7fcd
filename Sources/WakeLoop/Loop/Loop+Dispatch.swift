/// How a pass calls what it has collected, a kind at a time; in which order, `Loop.pass` says.
///
/// What has ended, is paused or has left the mode since is not called any more.
extension Loop {
  func dispatchMainQueue(_ run: Run) {
    run.lists.servesMainQueue = false
    // A nested run from the first of its blocks must not find it ready: the blocks are taken already.
    mainQueueIsReady = false
    trace?.event(.mainQueueDrained, item: nil, stamp: currentStamp)
    serialDepth += 1
    backend.drainMainQueue()
    serialDepth -= 1
    run.handledSource = true
  }

  func dispatchTimers(_ run: Run) {
    let lists = run.lists
    while lists.timerCursor < lists.timers.count {
      let item = lists.nextTimer()
      if item.collectedIn != lists.serial { continue }
      if !item.isCallable || !item.isMember(of: run) {
        if !item.isEnded { item.skipDue(in: self) }
        continue
      }
      trace?.event(.timerCalled, item: item, stamp: currentStamp)
      lists.serving = .passUnretained(item)
      item.serveDue(in: self, run: run)
      lists.serving = nil
    }
    lists.timers.removeAll(keepingCapacity: true)
    lists.timerCursor = 0
  }

  func dispatchSources(_ run: Run) {
    let lists = run.lists
    while lists.sourceCursor < lists.sources.count {
      let source = lists.nextSource()
      // A nested run that has listed it since has served it, or leaves it to the next pass.
      if source.collectedIn != lists.serial { continue }
      if !source.isCallable || !source.isMember(of: run) {
        if source.isSignalled { noteSignalled(source) }
        continue
      }
      run.handledSource = true
      trace?.event(.sourceCalled, item: source, stamp: currentStamp)
      call(source) { source.serve(in: self, run: run) }
      if source.isMuted { unmute(source) }
      if source.isSignalled { noteSignalled(source) }
    }
    lists.sources.removeAll(keepingCapacity: true)
    lists.sourceCursor = 0
    // Nobody but the kernel knows of a descriptor that was closed under us, and it must be asked.
    if run.handledSource { checkNextWatch(of: run.record) }
  }

  func dispatchPerforms(_ run: Run) {
    let lists = run.lists
    while true {
      if lists.performsWerePutBack { takePerformsBack(run) }
      guard lists.performCursor < lists.performs.count else { break }
      let record = lists.nextPerform()
      if let item = record.item {
        guard item.isCallable, item.isMember(of: run), let block = item.takeBlock() else {
          // One that was paused meanwhile is kept for later.
          if !item.isEnded && item.isPaused { item.pauseChanged() }
          continue
        }
        trace?.event(.performCalled, item: item, stamp: currentStamp)
        block()
      } else if let block = record.block {
        trace?.event(.performCalled, item: nil, stamp: currentStamp)
        block()
      }
      if record.isPost { run.handledSource = true }
    }
    lists.performs.removeAll(keepingCapacity: true)
    lists.performCursor = 0
  }

  func dispatchFrames(_ run: Run) {
    let lists = run.lists
    while lists.frameCursor < lists.frames.count {
      let item = lists.nextFrame()
      if item.collectedIn != lists.serial { continue }
      if !item.isCallable || !item.isMember(of: run) {
        if !item.isEnded { item.skipDue(in: self) }
        continue
      }
      trace?.event(.frameCalled, item: item, stamp: currentStamp)
      lists.serving = .passUnretained(item)
      item.serveDue(in: self, run: run)
      lists.serving = nil
    }
    lists.frames.removeAll(keepingCapacity: true)
    lists.frameCursor = 0
  }

  /// Calls an item's handler, marked as being on the stack, so that no nested run calls it again.
  @inline(__always)
  func call(_ item: Item, _ handler: () -> Void) {
    item.local.insert(.isOnStack)
    handler()
    item.local.remove(.isOnStack)
  }
}
