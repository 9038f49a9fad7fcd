internal import LoopCore

/// Who watches which descriptor in which mode, and which of them a script has made ready.
struct VirtualDescriptorTable {
  private struct Registration {
    var interest: Readiness
    var token: UInt
    /// The file that the number named when it was registered.
    var file: UInt32
  }

  private enum SystemErrorNumber {
    static let badDescriptor: Int32 = 9  // EBADF
    static let noEntry: Int32 = 2  // ENOENT
    static let exists: Int32 = 17  // EEXIST
  }

  private var descriptors: [Int32: VirtualDescriptor] = [:]
  /// One table of registrations a mode, by descriptor; nil for a mode that is not open.
  private var modes: [[Int32: Registration]?] = []
  /// What is ready, in the order in which it became so; watched or not.
  private var ready: [Int32] = []

  subscript(descriptor: Int32) -> VirtualDescriptor { descriptors[descriptor] ?? VirtualDescriptor() }

  /// Changes what a script says of one descriptor and keeps the ready list true to it.
  mutating func change(_ descriptor: Int32, _ body: (inout VirtualDescriptor) -> Void) {
    precondition(descriptor >= 0, "descriptor \(descriptor) is negative: no file has it")
    body(&descriptors[descriptor, default: VirtualDescriptor()])
    let isReady = !self[descriptor].readiness.isEmpty
    if !isReady {
      ready.removeAll { $0 == descriptor }
    } else if !ready.contains(descriptor) {
      ready.append(descriptor)
    }
  }
}

// MARK: - What the loop asks for

extension VirtualDescriptorTable {
  mutating func openMode(_ mode: Int) {
    while modes.count <= mode { modes.append(nil) }
    precondition(modes[mode] == nil, "mode \(mode) is open already")
    modes[mode] = [:]
  }

  mutating func closeMode(_ mode: Int) {
    precondition(isOpen(mode), "mode \(mode) is not open")
    modes[mode] = nil
  }

  /// Why the number could not be watched, as the kernel says; 0: it could.
  func check(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0 else { return SystemErrorNumber.badDescriptor }
    let state = self[descriptor]
    guard state.watchFailure == 0 else { return state.watchFailure }
    return state.isOpen ? 0 : SystemErrorNumber.badDescriptor
  }

  mutating func watch(mode: Int, descriptor: Int32, interest: Readiness, token: UInt) -> Int32 {
    precondition(isOpen(mode), "mode \(mode) is not open")
    precondition(
      !interest.isDisjoint(with: [.read, .write]), "descriptor \(descriptor) is watched for nothing")
    let failure = check(descriptor)
    guard failure == 0 else { return failure }
    let state = self[descriptor]
    if let known = modes[mode]?[descriptor], known.file == state.file { return SystemErrorNumber.exists }
    modes[mode]?[descriptor] = Registration(interest: interest, token: token, file: state.file)
    return 0
  }

  mutating func modify(mode: Int, descriptor: Int32, interest: Readiness) -> Int32 {
    precondition(
      !interest.isDisjoint(with: [.read, .write]), "descriptor \(descriptor) is watched for nothing")
    let failure = failureOfRegistration(mode: mode, descriptor: descriptor)
    if failure == 0 { modes[mode]?[descriptor]?.interest = interest }
    return failure
  }

  mutating func unwatch(mode: Int, descriptor: Int32) -> Int32 {
    let failure = failureOfRegistration(mode: mode, descriptor: descriptor)
    modes[mode]?[descriptor] = nil
    return failure
  }

  /// Appends what is ready and watched in `mode`, in the order in which it became ready.
  func collect(mode: Int, into events: inout [ReadyEvent]) {
    guard !ready.isEmpty, let registrations = modes[mode] else { return }
    for descriptor in ready {
      guard let registration = registrations[descriptor] else { continue }
      let state = self[descriptor]
      guard registration.file == state.file else { continue }
      var reportable = registration.interest
      if reportable.contains(.read) { reportable.insert(.closed) }
      let reported = state.readiness.intersection(reportable)
      if !reported.isEmpty { events.append(ReadyEvent(token: registration.token, readiness: reported)) }
    }
  }

  mutating func removeAll() {
    modes.removeAll()
    descriptors.removeAll()
    ready.removeAll()
  }

  private func isOpen(_ mode: Int) -> Bool { modes.indices.contains(mode) && modes[mode] != nil }

  /// The kernel's answer to a change of a registration: EBADF closed, ENOENT another file or none.
  private func failureOfRegistration(mode: Int, descriptor: Int32) -> Int32 {
    precondition(isOpen(mode), "mode \(mode) is not open")
    let state = self[descriptor]
    guard descriptor >= 0, state.isOpen else { return SystemErrorNumber.badDescriptor }
    guard let registration = modes[mode]?[descriptor], registration.file == state.file else {
      return SystemErrorNumber.noEntry
    }
    return 0
  }
}
