import CLoopShims

/// Takes a value so that computing it can't be left out.
@inline(never)
package func sink<Value>(_ value: Value) {
  withUnsafePointer(to: value) { wl_sink($0) }
}
