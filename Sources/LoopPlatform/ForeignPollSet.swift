import CLoopShims

/// An epoll set that another library made and keeps to itself, found with a mark that one has it watch.
package struct ForeignPollSet {
  /// The set's number; it stays the other library's to close.
  package let descriptor: Int32

  /// Finds a set by a mark.
  ///
  /// - Parameter watching: Has the library watch the mark while it calls its argument, and not after.
  /// - Returns: Nil if the kernel knows no set that watches the mark.
  package init?(markedBy watching: (_ mark: Int32, _ whileWatched: () -> Void) -> Void) {
    let mark = wl_foreign_set_make_mark()
    if mark < 0 { return nil }
    defer { wl_descriptor_close(mark) }
    var found: Int32 = -1
    watching(mark) { found = wl_foreign_set_find(mark) }
    if found < 0 { return nil }
    descriptor = found
  }

  /// Whether the set has something to report.
  package var isReady: Bool { wl_descriptor_probe(descriptor) != 0 }

  /// Takes a descriptor's place in the set, so that the library's adding it is refused, until it takes it out.
  package func shutOut(_ excluded: Int32) { wl_foreign_set_shut_out(descriptor, excluded) }

  /// Gives the place back, if it is still taken.
  package func letIn(_ excluded: Int32) { wl_foreign_set_let_in(descriptor, excluded) }
}
