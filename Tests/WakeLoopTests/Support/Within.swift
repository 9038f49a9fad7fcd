import WakeLoop
import WakeLoopTesting

/// Calls `body` in a pass of the virtual loop, at its present: there `Loop.current` is that loop.
func within<Value>(_ virtual: VirtualLoop, _ body: () -> Value) -> Value {
  var value: Value?
  withoutActuallyEscaping(body) { body in
    virtual.loop.perform { value = body() }
    _ = virtual.loop.run(mode: .default, for: .zero)
  }
  guard let value else { preconditionFailure("the pass did not call the body") }
  return value
}
