public import FoundationEssentials
import LoopCore

extension ServerClock {
  /// Calls a closure once, when the server's time has come to a date.
  ///
  /// Never early by the time that this clock tells; when a sample changes the course of that time, the alarm moves
  /// with it. No setting of the local clock moves it, and one that passed while the machine slept is told on waking.
  /// Before the first sample it waits. A date that has passed is the next pass.
  /// - Parameters:
  ///   - date: By the server's clock.
  ///   - mode: Where the alarm acts.
  ///   - fileID: The file of the call, told in reports.
  ///   - line: The line of the call, told in reports.
  ///   - body: Called with the pass.
  /// - Returns: The alarm; dropping it changes nothing.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func schedule(
    at date: Date, in mode: Loop.Mode = .common, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (Loop.Pass) -> Void
  ) -> Alarm {
    loop.checkThread()
    let target = date >= .distantFuture ? .max : Self.nanoseconds(of: date)
    let alarm = Alarm(date: date, target: target, clock: self, body: body)
    alarms.append(alarm)
    alarm.start(in: mode, fileID: fileID, line: line)
    return alarm
  }

  /// Something that is to happen at a server's time.
  ///
  /// Loop's thread only.
  public final class Alarm {
    /// When, by the server's clock.
    public let date: Date
    private let target: Int64
    private weak var clock: ServerClock?
    private var body: ((Loop.Pass) -> Void)?
    private var timer: Loop.Timer?

    init(date: Date, target: Int64, clock: ServerClock, body: @escaping (Loop.Pass) -> Void) {
      self.date = date
      self.target = target
      self.clock = clock
      self.body = body
    }

    /// Whether it is still to come.
    public var isValid: Bool { body != nil && timer?.isValid == true }

    /// Gives it up; its closure is released at once.
    public func invalidate() {
      end()
      clock?.alarms.removeAll { $0 === self }
    }

    /// When the server's time comes to the date, by the continuous clock as things stand.
    private var deadline: Int64 { clock?.instant(showing: target) ?? .max }

    func start(in mode: Loop.Mode, fileID: StaticString, line: UInt) {
      guard let loop = clock?.loop else { return }
      // It repeats, since it may be found to have come too early: a sample in the same pass can slow time down.
      timer = loop.schedule(
        at: deadline, clock: .continuous, repetition: Loop.Timer.Repetition(.seconds(3600), .skip),
        tolerance: .zero, mode: mode,
        handler: .calling { (alarm: Alarm, pass: Loop.Pass) in alarm.come(pass) }, owner: self,
        fileID: fileID,
        line: line)
    }

    /// Moves it to where the server's time now comes to the date.
    func rearm() {
      guard let timer, timer.isValid else { return }
      timer.deadline = deadline
      timer.requeue()
    }

    private func come(_ pass: Loop.Pass) {
      guard let clock, let timer, let body else { return }
      guard deadline <= clock.continuousNow else {
        timer.deadline = deadline
        return
      }
      invalidate()
      body(pass)
    }

    func end() {
      timer?.invalidate()
      timer = nil
      body = nil
    }
  }

  /// Has a closure called whenever the time shown will be reached at other instants than before; returns what ends
  /// that.
  func follow(_ courseChanged: @escaping () -> Void) -> () -> Void {
    lastFollower += 1
    let number = lastFollower
    followers[number] = courseChanged
    return { [weak self] in self?.followers[number] = nil }
  }

  /// The first instant of the continuous clock at which a server time is shown, `.max` before the first sample.
  func instant(showing time: Int64) -> Int64 { shown?.instant(showing: time) ?? .max }
}
