/// Something whose end can be seen: what a closure holds, or what a timer works for.
final class Token {
  private let onEnd: () -> Void

  init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }

  /// Keeps the token alive up to here.
  func touch() {}
}
