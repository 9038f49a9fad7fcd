extension Array {
  /// Makes room for one more element, growing by a quarter where doubling would waste megabytes.
  ///
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func reserveForOneMore() {
    if count == capacity, count >= 65_536 {
      reserveCapacity(count + count / 4)
    }
  }
}
