import LoopCore
import LoopPlatform

/// Descriptors: which open mode watches what, and for whom.
extension Loop {
  /// The open modes whose runs look at a record.
  func openRecords(looking record: ModeRecord) -> [ModeRecord] {
    if record.index != ModeRecord.commonIndex { return record.isOpen ? [record] : [] }
    return records.compactMap { $0 }.filter { $0.isOpen && $0.isCommon }
  }

  /// Makes a mode ready to be waited in, with everything that is to be watched in it.
  func open(_ record: ModeRecord) {
    if record.isOpen {
      checkAllWatches(of: record)
      return
    }
    let code = backend.openMode(record.index, servesMainQueue: isMain && record.isCommon)
    precondition(
      code == 0,
      "mode \(record.mode) can't be waited in: errno \(code); a mode needs a few descriptors of its own")
    record.isOpen = true
    for source in record.sources where source.watchedDescriptor >= 0 {
      install(source, in: record)
    }
    if record.isCommon {
      for source in common.sources where source.watchedDescriptor >= 0 { install(source, in: record) }
    }
  }

  /// Lets go of what a mode needs to be waited in.
  func closeMode(_ record: ModeRecord) {
    guard record.isOpen else { return }
    record.isOpen = false
    record.watches.removeAll()
    backend.closeMode(record.index)
  }

  func addWatch(of source: Source, in record: ModeRecord) {
    // Somebody may hold this number already: if the kernel does not know that registration, the file behind the
    // number has changed since, and the earlier sources are told.
    checkRegistrations(of: source.watchedDescriptor)
    for open in openRecords(looking: record) { install(source, in: open) }
  }

  func removeWatch(of source: Source, from record: ModeRecord) {
    for open in openRecords(looking: record) {
      // The source may also be in the mode by its other membership, common or not.
      let other = record.index == open.index ? ModeRecord.commonIndex : open.index
      let stays =
        (other != ModeRecord.commonIndex || open.isCommon)
        && source.memberships.contains { $0.mode == Int32(other) }
      if !stays { uninstall(source, from: open) }
    }
  }

  /// Acts on a changed interest, pause or muting of a source.
  func interestChanged(of source: Source) {
    guard source.watchedDescriptor >= 0 else { return }
    for record in records {
      guard let record, record.isOpen, let watch = record.watches[source.watchedDescriptor],
        watch.sources.contains(where: { $0 === source })
      else { continue }
      refresh(watch, in: record)
    }
  }

  private func install(_ source: Source, in record: ModeRecord) {
    let watch =
      record.watches[source.watchedDescriptor] ?? record.watches.make(source.watchedDescriptor)
    if watch.sources.contains(where: { $0 === source }) { return }
    watch.sources.append(source)
    refresh(watch, in: record)
  }

  private func uninstall(_ source: Source, from record: ModeRecord) {
    guard let watch = record.watches[source.watchedDescriptor],
      let index = watch.sources.firstIndex(where: { $0 === source })
    else { return }
    watch.sources.remove(at: index)
    let code = refresh(watch, in: record)
    if watch.sources.isEmpty { retire(watch, from: record) }
    // One that goes on in other modes, or in none, is told like the rest.
    if code == 0 || isClosed { return }
    if source.isEnded { reportLost(source) } else { source.descriptorFailed(code: code, in: self) }
  }

  /// Brings the backend in line with what a watch's sources want; tells them if it is refused.
  @discardableResult
  private func refresh(_ watch: Watch, in record: ModeRecord) -> Int32 {
    let wanted = watch.wanted
    if wanted == watch.installed { return 0 }
    let mode = record.index
    let code: Int32
    if watch.installed.isEmpty {
      code = backend.watch(
        mode: mode, descriptor: watch.descriptor, interest: wanted, token: watch.token)
      if code == 0 { watch.installed = wanted }
    } else if wanted.isEmpty {
      code = backend.unwatch(mode: mode, descriptor: watch.descriptor)
      watch.installed = []
    } else {
      code = backend.modify(mode: mode, descriptor: watch.descriptor, interest: wanted)
      if code == 0 { watch.installed = wanted }
    }
    if code != 0 { fail(watch, in: record, code: code) }
    return code
  }

  /// Drops a watch, but not before the ready list that may name it has been read.
  private func retire(_ watch: Watch, from record: ModeRecord) {
    if watch.index < 0 { return }
    record.watches.remove(watch)
    retiredWatches.append(watch)
  }

  // MARK: Closed under us

  /// Finds out in every open mode whether the kernel still knows what is watched under a number.
  func checkRegistrations(of descriptor: Int32) {
    for record in records {
      guard let record, record.isOpen, let watch = record.watches[descriptor] else { continue }
      check(watch, in: record)
    }
  }

  /// Checks one of a mode's watches, another each time.
  func checkNextWatch(of record: ModeRecord) {
    if let watch = record.watches.next() { check(watch, in: record) }
  }

  /// Checks whether the numbers that a mode watches are still open.
  private func checkAllWatches(of record: ModeRecord) {
    for watch in record.watches.all where !backend.isOpen(watch.descriptor) {
      fail(watch, in: record, code: ErrorNumber.badDescriptor)
    }
  }

  private func check(_ watch: Watch, in record: ModeRecord) {
    let code: Int32
    if watch.installed.isEmpty {
      code = backend.isOpen(watch.descriptor) ? 0 : ErrorNumber.badDescriptor
    } else {
      // Changing nothing still asks the kernel, which also sees a number that names another file by now.
      code = backend.modify(mode: record.index, descriptor: watch.descriptor, interest: watch.installed)
    }
    if code != 0 { fail(watch, in: record, code: code) }
  }

  /// Ends a watch whose descriptor is gone or refused, and tells its sources.
  private func fail(_ watch: Watch, in record: ModeRecord, code: Int32) {
    if !watch.installed.isEmpty {
      watch.installed = []
      _ = backend.unwatch(mode: record.index, descriptor: watch.descriptor)
    }
    let told = watch.sources
    watch.sources.removeAll()
    retire(watch, from: record)
    for source in told where !source.isEnded { source.descriptorFailed(code: code, in: self) }
  }

  /// Says once a loop that a descriptor was closed before its source was ended.
  private func reportLost(_ source: Source) {
    if hasReportedLost { return }
    hasReportedLost = true
    Loop.report(
      .descriptorLost,
      "descriptor \(source.watchedDescriptor) was closed before the \(source.kindName) made at "
        + "\(source.origin.text) was invalidated; invalidate first, then close. Further ones are not reported"
    )
  }

  // MARK: Readiness

  /// Turns what the backend has reported into sources to serve.
  ///
  /// No handler has run since.
  func note(_ events: [ReadyEvent], for run: Run) {
    for event in events {
      let watch = Watch.of(event.token)
      // Indexed, because asking the kernel about one source may take others off the watch.
      var index = 0
      while index < watch.sources.count {
        let source = watch.sources[index]
        index += 1
        var interest = source.effectiveInterest
        if interest.contains(.read) { interest.insert(.closed) }
        let concerned = event.readiness.intersection(interest)
        if concerned.isEmpty { continue }
        if source.local.contains(.isOnStack) {
          source.isMuted = true
          muted.append(source)
        } else if source.note(concerned, in: self) {
          run.list(source)
        }
      }
    }
    if !muted.isEmpty { for source in muted { interestChanged(of: source) } }
  }

  /// Puts a source whose handler has returned back into the poll set.
  func unmute(_ source: Source) {
    guard source.isMuted else { return }
    source.isMuted = false
    muted.removeAll { $0 === source }
    interestChanged(of: source)
  }
}
