package import LoopCore

// What a script says of descriptors. Each of these takes effect at once: a loop that waits has to be told by
// an event of the script, since in virtual time nobody else can act while it waits.
extension VirtualBackend {
  /// Makes a descriptor ready, beside what it is ready for already; it stays so until cleared.
  ///
  /// - Parameter unreadBytes: what FIONREAD says from now on; nil: as likely.
  package func setReady(_ descriptor: Int32, _ readiness: Readiness, unreadBytes: Int? = nil) {
    changeDescriptor(descriptor) {
      precondition($0.isOpen, "descriptor \(descriptor) is closed and can't become ready")
      $0.readiness.formUnion(readiness)
      $0.unreadBytes = unreadBytes
    }
  }

  /// Makes a descriptor not ready any more, as by reading it empty.
  package func clearReady(_ descriptor: Int32, _ readiness: Readiness = [.read, .write]) {
    changeDescriptor(descriptor) {
      $0.readiness.subtract(readiness)
      $0.unreadBytes = nil
    }
  }

  /// Lets the peer close its writing side: readable for ever, with no bytes left but those told.
  package func endPeer(_ descriptor: Int32, unreadBytes: Int = 0) {
    changeDescriptor(descriptor) {
      $0.readiness.formUnion([.read, .closed])
      $0.unreadBytes = unreadBytes
    }
  }

  /// Lets the other side go away altogether: readable and writable for ever, as the kernel folds it.
  package func hangUp(_ descriptor: Int32, withError: Bool = false, unreadBytes: Int = 0) {
    changeDescriptor(descriptor) {
      $0.readiness.formUnion([.read, .write])
      $0.condition.formUnion(withError ? [.hangUp, .error] : .hangUp)
      $0.unreadBytes = unreadBytes
    }
  }

  /// Closes the number behind the loop's back.
  ///
  /// - Parameter duplicateLivesOn: a copy of the descriptor keeps the file open, so that the kernel goes on
  ///   reporting it to those who watch the closed number.
  package func closeDescriptor(_ descriptor: Int32, duplicateLivesOn: Bool = false) {
    changeDescriptor(descriptor) {
      $0.isOpen = false
      $0.condition = []
      $0.unreadBytes = nil
      if !duplicateLivesOn { $0.readiness = [] }
    }
  }

  /// Lets the number name another file, that is not ready: what was watched before is stale.
  package func reopenDescriptor(_ descriptor: Int32) {
    changeDescriptor(descriptor) {
      let file = $0.file
      $0 = VirtualDescriptor()
      $0.file = file + 1
    }
  }

  /// Has watching the number refused with an `errno` value; 0 accepts again.
  package func failWatch(_ descriptor: Int32, errno: Int32) {
    changeDescriptor(descriptor) { $0.watchFailure = errno }
  }
}
