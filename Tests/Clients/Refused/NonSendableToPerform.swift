import WakeLoop

final class Buffer {
  var bytes: [UInt8] = []
}

// Both threads would use it.
func fill(_ buffer: Buffer, by remote: Loop.Remote) {
  #if REFUSED
    // error: capture of 'buffer' with non-Sendable type 'Buffer' in a '@Sendable' closure
    remote.perform { buffer.bytes.append(1) }
  #else
    buffer.bytes.append(1)
    let bytes = buffer.bytes
    remote.perform { print(bytes) }
  #endif
}
