import CFrameFloor
import WakeLoop

/// How late each frame of a run was, in nanoseconds, and what the run cost.
struct PacingRun {
  var lateness: [Int64]
  /// How late the pass's stamp was for each frame; of the floor, the same.
  var stamps: [Int64]
  /// The share of one processor.
  var load: Double

  /// The differences of successive intervals from the even one: what is left of lateness when it is always the same.
  var intervalErrors: [Int64] {
    zip(lateness, lateness.dropFirst()).map { abs($1 - $0) }
  }

  /// A timerfd in an epoll set, in C.
  static func floor(hertz: Int, frames: Int) -> PacingRun {
    var lateness = [Int64](repeating: 0, count: frames)
    let meter = LoadMeter()
    let error = frame_floor_run(1_000_000_000 / Int64(hertz), Int32(frames), &lateness)
    precondition(error == 0, "the floor can't be measured: errno \(error)")
    return PacingRun(lateness: lateness, stamps: lateness, load: meter.load)
  }

  /// A frame link of this thread's loop.
  static func link(hertz: Int, frames: Int, pacing: FramePacing) -> PacingRun {
    let loop = Loop.current
    var lateness: [Int64] = []
    var stamps: [Int64] = []
    lateness.reserveCapacity(frames)
    stamps.reserveCapacity(frames)
    let meter = LoadMeter()
    let link = FrameLink(clock: .grid(hz: Double(hertz))) { frame in
      lateness.append(frame_floor_now() - frame.timestamp.nanoseconds)
      stamps.append(frame.stamp.wakeInstant.nanoseconds - frame.timestamp.nanoseconds)
      if lateness.count == frames { loop.stop() }
    }
    link.pacing = pacing
    link.add(to: loop, forMode: .default)
    loop.run()
    link.invalidate()
    precondition(lateness.count == frames, "\(lateness.count) frames came instead of \(frames)")
    precondition(lateness.allSatisfy { $0 >= 0 }, "a frame was early")
    return PacingRun(lateness: lateness, stamps: stamps, load: meter.load)
  }
}

/// The CPU time of this thread against the time that passes.
struct LoadMeter {
  private let start = frame_floor_now()
  private let startOfWork = frame_floor_cpu_time()

  var load: Double {
    Double(frame_floor_cpu_time() - startOfWork) / Double(frame_floor_now() - start)
  }
}
