import LoopCore

/// Descriptors: which open mode watches what, and for whom.
extension Loop {
  /// The open modes whose runs look at a record.
  private func openRecords(looking record: ModeRecord) -> [ModeRecord] {
    if record.index != ModeRecord.commonIndex { return record.isOpen ? [record] : [] }
    return records.compactMap { $0 }.filter { $0.isOpen && $0.isCommon }
  }

  /// Makes a mode ready to be waited in, with everything that is to be watched in it.
  func open(_ record: ModeRecord) {
    if record.isOpen { return }
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
    let descriptor = source.watchedDescriptor
    guard let watch = record.watches[descriptor] else {
      let watch = Watch(descriptor: descriptor)
      watch.sources = [source]
      record.watches[descriptor] = watch
      refresh(watch, in: record)
      return
    }
    if watch.sources.contains(where: { $0 === source }) { return }
    // Somebody holds this number already: if the kernel does not know the registration, the file behind the
    // number has changed since, and the earlier sources are told.
    if !watch.installed.isEmpty {
      watch.installed = []
      let code = backend.unwatch(mode: record.index, descriptor: descriptor)
      if code != 0 { fail(watch, code: code) }
    }
    watch.sources.append(source)
    refresh(watch, in: record)
  }

  private func uninstall(_ source: Source, from record: ModeRecord) {
    guard let watch = record.watches[source.watchedDescriptor] else { return }
    watch.sources.removeAll { $0 === source }
    refresh(watch, in: record)
    if watch.sources.isEmpty { retire(watch, from: record) }
  }

  /// Brings the backend in line with what a watch's sources want.
  private func refresh(_ watch: Watch, in record: ModeRecord) {
    let wanted = watch.wanted
    if wanted == watch.installed { return }
    let mode = record.index
    let code: Int32
    if watch.installed.isEmpty {
      code = backend.watch(
        mode: mode, descriptor: watch.descriptor, interest: wanted, token: watch.token)
    } else if wanted.isEmpty {
      code = backend.unwatch(mode: mode, descriptor: watch.descriptor)
    } else {
      code = backend.modify(mode: mode, descriptor: watch.descriptor, interest: wanted)
      if code != 0 { _ = backend.unwatch(mode: mode, descriptor: watch.descriptor) }
    }
    watch.installed = code == 0 ? wanted : []
    if code != 0 { fail(watch, code: code) }
  }

  /// Tells every source of a watch that its descriptor is gone.
  private func fail(_ watch: Watch, code: Int32) {
    let told = watch.sources
    watch.sources.removeAll()
    for source in told where !source.isEnded { source.descriptorFailed(code: code, in: self) }
  }

  /// Takes a descriptor that was closed under us out of every mode, and tells its sources.
  func descriptorClosed(_ descriptor: Int32, code: Int32) {
    for record in records {
      guard let record, record.isOpen, let watch = record.watches[descriptor] else { continue }
      if !watch.installed.isEmpty {
        watch.installed = []
        _ = backend.unwatch(mode: record.index, descriptor: descriptor)
      }
      fail(watch, code: code)
      retire(watch, from: record)
    }
  }

  /// Drops a watch, but not before the ready list that may name it has been read.
  private func retire(_ watch: Watch, from record: ModeRecord) {
    record.watches[watch.descriptor] = nil
    retiredWatches.append(watch)
  }

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
        let concerned = event.readiness.intersection(source.effectiveInterest.union(.closed))
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
