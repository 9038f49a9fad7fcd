import WakeLoop

final class Picture {
  var pixels: [UInt32] = []
}

func show(_ picture: Picture) {
  #if REFUSED
    // error: sending 'picture' risks causing data races
    Loop.mainRemote.perform { picture.pixels.removeAll() }
  #else
    let pixels = picture.pixels
    Loop.mainRemote.perform { print(pixels) }
  #endif
}
