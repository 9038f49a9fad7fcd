extension Loop {
  /// Names a value that is hung on a loop and says its type.
  public protocol Key {
    /// The type of the value.
    associatedtype Value
  }

  /// The value that hangs on this loop under a key, nil if there is none; it goes with the loop.
  ///
  /// Loop's thread only.
  public subscript<K: Key>(key: K.Type) -> K.Value? {
    get {
      checkThread()
      return values[ObjectIdentifier(key)] as? K.Value
    }
    set {
      checkThread()
      // Destroyed on the spot: a loop that has ended keeps nothing.
      if isClosed { return }
      // Let go of after the change, since what goes may use the loop.
      let before = values[ObjectIdentifier(key)]
      values[ObjectIdentifier(key)] = newValue
      withExtendedLifetime(before) {}
    }
  }
}
