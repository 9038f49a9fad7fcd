import WakeLoop

// What a pass has seen is not to be changed.
func shift(_ pass: Loop.Pass) -> Int {
  #if REFUSED
    var pass = pass
    // error: cannot assign to property: 'missed' setter is inaccessible
    pass.missed = 0
    return pass.missed
  #else
    return pass.missed
  #endif
}
