// A ball bounces in the terminal, drawn by a frame link at 60 Hz, with a meter of how smoothly.
//
//   q  quits and writes a report        s  stalls for 300 ms: frames are skipped, none is made up for
//   m  changes the mode of the loop     p  pauses and resumes
//
// usage: Animation [seconds] [report]
//   seconds  ends by itself after so long; where there is no terminal, after 1
//   report   where the report goes, without .svg and .csv; default: animation-report

import Glibc
import WakeLoop

let loop = Loop.main
let terminal = Terminal()
let arguments = CommandLine.arguments.dropFirst()
let seconds = arguments.first.flatMap { Double($0) } ?? (terminal == nil ? 1 : .infinity)
let reportPath = arguments.dropFirst().first ?? (terminal == nil ? nil : "animation-report")

var ball = Ball()
var report = FrameReport(title: "A ball in the terminal, at 60 Hz")
let monitor = FrameRateMonitor()
var meter = "measuring"
var lastBall = (column: 1, row: 1)
var stalls = 0
var mode = Loop.Mode.default
var changesMode = false

// In the common modes: goes on whichever of them the loop runs in.
let link = loop.onEachFrame { frame in
  report.record(frame)
  monitor.record(frame)
  // Where the ball will be when the frame is seen.
  draw(ball.advance(to: frame.target), frame)
}

@MainActor
func draw(_ place: Ball.Place, _ frame: Frame) {
  guard let terminal else { return }
  let (columns, rows) = terminal.size
  if frame.number % 30 == 0 {
    let reading = monitor.reading
    let rate = (reading.framesPerSecond * 10).rounded() / 10
    let late = (reading.lateness99 / .milliseconds(1) * 100).rounded() / 100
    meter = "\(rate) fps, late p99 \(late) ms, \(reading.hitches) hitches"
  }
  terminal.write(" ", column: lastBall.column, row: lastBall.row)
  lastBall = (
    1 + Int(place.x * Double(columns - 1)), 2 + Int(place.y * Double(max(0, rows - 3)))
  )
  terminal.write("●", column: lastBall.column, row: lastBall.row)
  let state = "frame \(frame.number)  missed \(frame.link.missedFrames)  stalls \(stalls)  mode \(mode.label)"
  terminal.write("\(state)  \(meter)\u{1B}[K", column: 1, row: 1)
  terminal.write("q quit  s stall  m mode  p pause", column: 1, row: rows)
  terminal.show()
}

@MainActor
func handle(_ key: Character) {
  switch key {
  case "q": loop.stop()
  case "s":
    stalls += 1
    usleep(300_000)
  case "m":
    mode = mode == .default ? .tracking : .default
    // The run ends after this pass, and the next one is in the other mode.
    changesMode = true
    loop.stop()
  case "p": link.isPaused.toggle()
  default: break
  }
}

extension Loop.Mode {
  var label: String { self == .tracking ? "tracking" : "default" }
}

if let terminal {
  try loop.watch(STDIN_FILENO) { source, event in
    if event.contains(.readable) { terminal.keys().forEach(handle) }
    if !event.isDisjoint(with: [.hangUp, .endOfFile, .error]) { loop.stop() }
  }
}
loop.stop(on: .interrupt, .terminate)
if seconds.isFinite { loop.after(.seconds(seconds)) { _ in loop.stop() } }

repeat {
  changesMode = false
  loop.run(mode: mode, for: .seconds(86_400))
} while changesMode

link.invalidate()
terminal?.restore()
print("frames \(report.frameCount), missed \(report.missedFrames), stalls \(stalls)")
if let reportPath {
  try report.write(to: reportPath)
  print("report: \(reportPath).svg")
}
