// A window of the X server in which a ball goes round, once in two seconds, with the frame rate in the corner.
//
// The connection to the server is a descriptor source of the loop, and the server's refreshes drive the frame clock.
//
// usage: Window [seconds] [report]
//   seconds  has itself closed after so long, as a window manager would do it
//   report   where a report of the frames goes, without .svg and .csv

import Glibc
import WakeLoop

let loop = Loop.main
let arguments = CommandLine.arguments.dropFirst()
guard let window = Window(title: "WakeLoop", width: 480, height: 360) else {
  print("There is no display: DISPLAY is \(getenv("DISPLAY").map { String(cString: $0) } ?? "not set").")
  exit(1)
}
print(window.tellsRefreshes ? "The server tells its refreshes." : "The server tells no refreshes: on a grid.")

let monitor = FrameRateMonitor()
var report = FrameReport(title: "A window, at the server's rate")
var framesPerSecond = 0

try window.add(to: loop)
window.onClose = { loop.stop() }
window.onKey = { if $0 == "q" { loop.stop() } }
loop.stop(on: .interrupt, .terminate)
if let seconds = arguments.first.flatMap({ Double($0) }) {
  loop.after(.seconds(seconds)) { _ in window.askToClose() }
}

let link = loop.onEachFrame(of: window.clock) { frame in
  monitor.record(frame)
  report.record(frame)
  if frame.number % 15 == 0 { framesPerSecond = Int(monitor.framesPerSecond.rounded()) }
  // Where things are when the frame is seen.
  let turns = Double(frame.target.nanoseconds % 2_000_000_000) / 2e9
  draw(angle: turns * 2 * Double.pi)
}

@MainActor
func draw(angle: Double) {
  let (width, height) = (window.width, window.height)
  let size = min(width, height) / 6
  window.fillRectangle(0x10_1820, x: 0, y: 0, width: width, height: height)
  let x = Double(width) / 2 + cos(angle) * Double(width) / 3
  let y = Double(height) / 2 + sin(angle) * Double(height) / 3
  window.fillCircle(0xF2_A33A, x: Int(x) - size / 2, y: Int(y) - size / 2, diameter: size)
  SevenSegments.draw(framesPerSecond, in: window, x: width - 10, y: 12, size: 20, color: 0x8F_D14F)
  window.show()
}

loop.run()

link.invalidate()
window.close()
let rate = (monitor.framesPerSecond * 10).rounded() / 10
print("frames \(report.frameCount), missed \(report.missedFrames), \(rate) a second")
if let path = arguments.dropFirst().first {
  try report.write(to: path)
  print("report: \(path).svg")
}
