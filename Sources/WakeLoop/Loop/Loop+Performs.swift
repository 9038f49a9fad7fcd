/// Blocks to be called in the next pass.
extension Loop {
  /// Calls a block in the next pass of a run in the default mode, as Foundation's.
  ///
  /// A perform keeps the run going until it has been called. Loop's thread only; others use
  /// `remote.perform(_:)`.
  public func perform(_ block: @escaping () -> Void) {
    checkUsable("add by perform(_:)")
    if isClosed { return }
    queue(block, in: record(of: .default), isPost: false)
  }

  /// Calls a block once, in the next pass of a run in any of the modes, as Foundation's.
  ///
  /// Loop's thread only.
  public func perform(inModes modes: [Mode], block: @escaping () -> Void) {
    checkUsable("add by perform(inModes:block:)")
    queue(block, modes: modes, isPost: false)
  }

  /// Calls a block once, in the next pass of a run in any of the modes, among others by order.
  ///
  /// Loop's thread only.
  /// - Parameters:
  ///   - order: Performs of lower order are called first; ties go to the older.
  ///   - modes: The modes; with none the block is never called.
  ///   - block: The block.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  /// - Returns: The perform, which can be invalidated until it is called.
  @discardableResult
  public func perform(
    order: Int, inModes modes: [Mode] = [.default], fileID: StaticString = #fileID,
    line: UInt = #line, block: @escaping () -> Void
  ) -> Perform {
    checkUsable("add by perform(order:inModes:block:)")
    let item = Perform(order: order, threadID: threadID, block: block, fileID: fileID, line: line)
    for mode in modes { add(item, forMode: mode) }
    return item
  }

  /// Takes a block from the loop's own thread on behalf of a remote.
  ///
  /// False: the loop has ended.
  func post(_ block: @escaping () -> Void, modes: [Mode]?) -> Bool {
    if isClosed { return false }
    queue(block, modes: modes, isPost: true)
    return true
  }

  /// Queues what other threads have posted; a post's age is when the loop takes it.
  func queuePosts(of mail: inout Mailbox.Mail) {
    if mail.posts.isEmpty { return }
    if mail.addressed.isEmpty && common.performs.isEmpty && !isClosed {
      // The common case: the whole list changes hands, and no block is touched.
      for index in mail.posts.indices { mail.posts[index].age = nextAge() }
      common.performs.adopt(&mail.posts)
      return
    }
    var addressed = mail.addressed[...]
    for index in mail.posts.indices {
      guard let block = mail.posts[index].block else { continue }
      let modes = addressed.first?.index == index ? addressed.removeFirst().modes : nil
      queue(block, modes: modes, isPost: true)
    }
  }

  /// Queues a block; nil is the common modes.
  func queue(_ block: @escaping () -> Void, modes: [Mode]?, isPost: Bool) {
    // Destroyed on the spot: nothing is accepted by a loop that has ended.
    if isClosed { return }
    guard let modes else {
      queue(block, in: common, isPost: isPost)
      return
    }
    if modes.count == 1 {
      queue(block, in: record(of: modes[0]), isPost: isPost)
    } else {
      // In several modes it has to know that it was called in one.
      let item = Perform(
        order: 0, threadID: threadID, block: block, fileID: #fileID, line: #line)
      item.isPost = isPost
      for mode in modes { add(item, forMode: mode) }
    }
  }
}

extension Loop {
  @inline(__always)
  private func queue(_ block: @escaping () -> Void, in record: ModeRecord, isPost: Bool) {
    record.performs.append(
      PerformRecord(block: block, age: nextAge(), mode: record.index, isPost: isPost))
    if hosted != nil { workCame() }
  }
}

extension Loop.PassLists {
  /// By order, then by age.
  func sortSources() {
    guard sources.count > 1 else { return }
    sources.sort { left, right in
      let (left, right) = (left.takeUnretainedValue(), right.takeUnretainedValue())
      return (left.order, left.age) < (right.order, right.age)
    }
  }

  /// By order, then by age.
  func sortPerforms() {
    guard performs.count > 1 else { return }
    performs.sort { ($0.order, $0.age) < ($1.order, $1.age) }
  }

  /// The next collected timer, no longer retained by the list.
  @inline(__always)
  func nextTimer() -> Loop.Item {
    let item = Loop.Item.unretained(timers[timerCursor].payload)
    timerCursor += 1
    // Balances the list's hold; the caller's variable keeps the item.
    Unmanaged.passUnretained(item).release()
    return item
  }

  /// The next collected source, no longer retained by the list.
  func nextSource() -> Loop.Source {
    let source = sources[sourceCursor].takeRetainedValue()
    sourceCursor += 1
    return source
  }

  /// The next collected frame, no longer retained by the list.
  func nextFrame() -> Loop.Item {
    let item = Loop.Item.unretained(frames[frameCursor].payload)
    frameCursor += 1
    Unmanaged.passUnretained(item).release()
    return item
  }

  /// The next collected perform; the list lets go of its block.
  @inline(__always)
  func nextPerform() -> PerformRecord {
    var record = performs[performCursor]
    record.block = performs[performCursor].block.take()
    record.item = performs[performCursor].item.take()
    performCursor += 1
    return record
  }
}
