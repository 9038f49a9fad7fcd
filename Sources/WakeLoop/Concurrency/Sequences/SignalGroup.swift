import LoopPlatform

extension Loop {
  /// Watches several signals and tells of them in the order of first arrival.
  ///
  /// Unlike a signal source it watches from its making until it has ended, in a mode or not: what comes before the
  /// loop has taken it over is told as well.
  // Sendable is unchecked for the same reasons as that of `Loop.Item`.
  final class SignalGroup: Source, @unchecked Sendable {
    private(set) var watches: [(signal: Signal, watch: SignalWatch)] = []
    private var handler: ((Signals.Arrival) -> Void)?
    /// Arrivals to tell, in order.
    private var arrivals: [Signals.Arrival] = []

    /// - Parameters:
    ///   - signals: Each once or more often, which is the same.
    ///   - mailbox: That of the loop that the group is for.
    ///   - fileID: The file of the call, told in reports.
    ///   - line: The line of the call, told in reports.
    ///   - handler: Called with the arrivals of each signal that came.
    init(
      signals: [Signal], mailbox: Mailbox, fileID: StaticString, line: UInt,
      handler: @escaping (Signals.Arrival) -> Void
    ) {
      self.handler = handler
      super.init(order: 0, threadID: mailbox.thread, fileID: fileID, line: line)
      for signal in signals where !watches.contains(where: { $0.signal == signal }) {
        do throws(LoopPlatform.SystemError) {
          watches.append((signal, try SignalWatch(signal: signal.rawValue, waker: mailbox.waker)))
        } catch {
          Loop.report(.refused, "\(self) does not watch \(signal): \(error)")
        }
      }
    }

    override var kindName: String { "signal sequence" }

    override var isSignalled: Bool { !arrivals.isEmpty }

    override func join(_ record: ModeRecord) {
      super.join(record)
      guard let loop else { return }
      loop.interrupted.append(self)
      noteInterrupt(in: loop)
    }

    override func leave(_ record: ModeRecord) {
      super.leave(record)
      loop?.interrupted.removeAll { $0 === self }
    }

    override func noteInterrupt(in loop: Loop) {
      arrivals +=
        watches
        .compactMap { entry in entry.watch.takeArrivals().map { (entry.signal, $0) } }
        .sorted { $0.1.place < $1.1.place }
        .map { Signals.Arrival(signal: $0, count: Int($1.count)) }
      if !arrivals.isEmpty { loop.noteSignalled(self) }
    }

    override func serve(in loop: Loop, run: Run) {
      let told = arrivals
      arrivals = []
      for arrival in told { handler?(arrival) }
    }

    override func releaseHandlers() {
      super.releaseHandlers()
      for entry in watches { entry.watch.end() }
      watches = []
      handler = nil
    }
  }
}
