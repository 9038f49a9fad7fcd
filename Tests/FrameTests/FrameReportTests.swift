import Foundation
import FoundationXML
import Testing
import WakeLoop
import WakeLoopTesting

@Suite("Reports, monitors and steps fed by frames")
struct FrameReportTests {
  /// Records ten seconds with some stalls.
  private func recorded() -> (report: FrameReport, monitor: FrameRateMonitor, frames: [Frame]) {
    let virtual = VirtualLoop()
    var random = SplitMix64(seed: 62)
    var report = FrameReport(title: "Stalls & <others>")
    let monitor = FrameRateMonitor(window: .seconds(100))
    var frames: [Frame] = []
    virtual.loop.onEachFrame { frame in
      report.record(frame)
      monitor.record(frame)
      frames.append(frame)
      if random.next() % 60 == 0 { virtual.block(for: .milliseconds(40)) }
    }
    virtual.loop.schedule(every: .milliseconds(11)) { _ in
      virtual.block(for: random.duration(below: .milliseconds(2)))
    }
    virtual.advance(by: .seconds(10))
    return (report, monitor, frames)
  }

  @Test("the table has a line for each frame, with times that rise")
  func table() throws {
    let (report, _, frames) = recorded()
    let lines = report.csv.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    #expect(lines.count == frames.count + 1)
    #expect(lines.allSatisfy { $0.count == lines[0].count })
    for (index, frame) in frames.enumerated() {
      let line = lines[index + 1]
      #expect(line[0] == "\(index + 1)")
      #expect(line[1] == "\(frame.timestamp.nanoseconds - frames[0].timestamp.nanoseconds)")
      #expect(line[5] == "\(frame.missed)")
    }
  }

  @Test("the picture is well formed, escapes its title and marks every hitch")
  func picture() throws {
    let (report, _, _) = recorded()
    let parser = XMLParser(data: Data(report.svg.utf8))
    #expect(parser.parse())
    #expect(report.svg.contains("Stalls &amp; &lt;others&gt;"))
    #expect(report.hitches > 0)
    let marks = report.svg.components(separatedBy: "#f2b8b0").count - 1
    #expect(marks == report.hitches)
    #expect(FrameReport().svg.contains("not two frames"))
  }

  @Test("the monitor's numbers are those of the frames")
  func monitor() {
    let (report, monitor, frames) = recorded()
    let reading = monitor.reading
    #expect(reading.frames == frames.count)
    let time = frames[frames.count - 1].timestamp - frames[0].timestamp
    #expect(abs(reading.framesPerSecond - Double(frames.count - 1) / (time / .seconds(1))) < 1e-6)
    #expect(abs(reading.frameTime / .milliseconds(1) - 16.667) < 0.01)
    #expect(reading.hitches == report.hitches)
    #expect(reading.hitches == frames.filter { $0.missed > 0 }.count)
    #expect(reading.hitchRatio > 0)
    #expect(reading.lateness99 >= reading.lateness)
    monitor.reset()
    #expect(monitor.reading.frames == 0)
    #expect(monitor.framesPerSecond == 0)
  }

  @Test("a rest between frames is no hitch and no frame time")
  func rests() {
    let virtual = VirtualLoop()
    let monitor = FrameRateMonitor(window: .seconds(1_000))
    let link = virtual.loop.onEachFrame { monitor.record($0) }
    for _ in 0..<3 {
      virtual.advance(by: .seconds(1))
      link.isPaused = true
      virtual.advance(by: .seconds(5))
      link.isPaused = false
    }
    #expect(abs(monitor.framesPerSecond - 60) < 0.001)
    #expect(monitor.reading.hitches == 0)
  }

  @Test("steps fed by frames keep to the time, and the rest lies between the steps")
  func steps() {
    let virtual = VirtualLoop()
    var steps = FixedStep(hz: 100, maximumSteps: 4)
    var made = 0
    var dropped = 0
    var first: Loop.Instant?
    virtual.loop.onEachFrame { frame in
      if first == nil { first = frame.timestamp }
      let due = steps.advance(to: frame.timestamp)
      made += due.count
      dropped += due.dropped
      #expect((0..<1).contains(due.fraction))
      let exact = (frame.timestamp - first!) / .milliseconds(10)
      // A step may be early by less than a nanosecond.
      #expect(abs(Double(made + dropped) + due.fraction - exact) < 1.1e-7)
      if frame.number == 30 { virtual.block(for: .milliseconds(200)) }
    }
    virtual.advance(by: .seconds(2))
    #expect(dropped >= 15)
    #expect(steps.advance(by: .seconds(-1)).count == 0)
  }
}
