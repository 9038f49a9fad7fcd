import CLoopShims
import Glibc
import LoopCore

/// Becomes readable when the wall clock is set or the machine wakes from sleep, watched in each mode of a loop.
///
/// It is a kernel timer that never expires and is cancelled by what it waits for. It costs a descriptor from the
/// first wait that asks for it, and nothing before.
struct ClockSettings {
  /// -1 until it is needed.
  private(set) var descriptor: Int32 = -1
  private var isWatching = false

  /// Starts or stops watching; returns whether the clocks were set since it last looked.
  ///
  /// `watch` registers the descriptor in the modes there are. Where none can be had, nothing wakes the loop for
  /// that, and it is noticed when the loop wakes for something else.
  mutating func watch(_ isWanted: Bool, register: (Int32) -> Int32) -> Bool {
    guard isWanted != isWatching else { return false }
    if !isWanted {
      wl_timer_set(descriptor, .max)
      isWatching = false
      return false
    }
    if descriptor < 0 {
      let made = wl_timer_create(Int32(ClockDomain.wall.rawValue))
      guard made >= 0 else { return false }
      guard register(made) == 0 else {
        wl_descriptor_close(made)
        return false
      }
      descriptor = made
    }
    isWatching = true
    return wl_timer_watch_settings(descriptor) == ECANCELED
  }

  /// Goes on watching after the clocks have been set.
  ///
  /// Edge-triggered, and so in silence until they are set again: the edge is used up in every mode.
  mutating func noteSet() {
    if isWatching { _ = wl_timer_watch_settings(descriptor) }
  }

  /// Closes the descriptor.
  mutating func close() {
    guard descriptor >= 0 else { return }
    wl_descriptor_close(descriptor)
    descriptor = -1
    isWatching = false
  }
}
