import WakeLoop

// An iterator is one task's; a sequence goes anywhere.
func listen(to beats: Loop.Beats) async {
  let iterator = beats.makeAsyncIterator()
  #if REFUSED
    // error: sending value of non-Sendable type '() async -> ()' risks causing data races
    Task { _ = await iterator.next() }
  #else
    Task { _ = await beats.makeAsyncIterator().next() }
  #endif
  _ = await iterator.next()
}
