import WakeLoop

#if REFUSED
  // error: inheritance from a final class 'Loop.Timer'
  final class MyTimer: Loop.Timer {}
#else
  final class MyTimer {
    let timer: Loop.Timer
    init(timer: Loop.Timer) { self.timer = timer }
  }
#endif
