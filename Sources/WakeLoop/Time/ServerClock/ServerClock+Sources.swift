import LoopCore
import LoopPlatform

extension ServerClock {
  /// Adds a source, which begins to ask at once.
  ///
  /// The clock owns it until it has ended. Loop's thread only.
  /// - Precondition: The source is new: in no clock, and never was.
  public func add(_ source: Source) {
    loop.checkUsable("add a server time source")
    precondition(source.clock == nil && !source.hasEnded, "a server time source belongs to one clock, once")
    sources.append(source)
    source.start(with: self)
  }

  /// Asks a server for its time again and again; ``SNTPSource`` and ``HTTPDateSource`` are its kinds.
  ///
  /// It uses the loop's own descriptors and timers, and no thread. It asks a few times soon, then every interval; a
  /// failure is followed by another try, after twice as long each time, at the next of its addresses. Its sockets are
  /// real ones: on a virtual loop no answer ever comes.
  ///
  /// Loop's thread only.
  public class Source {
    /// Where to ask, and when to give up.
    public struct Pace: Hashable, Sendable {
      /// How long to wait from answer to question, later on.
      public var interval: Duration
      /// How long to wait from answer to question at first, and before the first retry.
      public var spacing: Duration
      /// How many questions follow each other soon, after the first.
      public var asksSoon: Int
      /// How long to wait for an answer.
      public var timeout: Duration

      /// Makes a pace.
      ///
      /// Operators of public servers ask not to be asked more often than every 15 s, a few first times apart.
      public init(
        interval: Duration, spacing: Duration = .seconds(2), asksSoon: Int = 3,
        timeout: Duration = .seconds(5)
      ) {
        self.interval = interval
        self.spacing = spacing
        self.asksSoon = asksSoon
        self.timeout = timeout
      }
    }

    /// How one question ended.
    public enum Answer: Sendable {
      /// The server told the time, what that was good for, and how long the exchange took.
      case sample(Outcome, roundTrip: Duration)
      /// It did not.
      case failure(Failure)
    }

    /// Gives the addresses to ask: calls what it is given, on the loop's thread, at once or later.
    public typealias Resolver = (_ found: @escaping ([Endpoint]) -> Void) -> Void

    /// The clock that the source is in.
    public private(set) final weak var clock: ServerClock?
    /// Called after each question.
    public final var onAnswer: ((_ source: Source, _ answer: Answer) -> Void)?
    /// Whether the source keeps a run from being finished, as timers do; true unless set otherwise.
    public final var keepsLoopAlive = true {
      didSet {
        timer?.keepsLoopAlive = keepsLoopAlive
        watch?.keepsLoopAlive = keepsLoopAlive
      }
    }
    /// Whether it has ended: it was stopped, its clock is gone, or all its servers have denied their service.
    public private(set) final var hasEnded = false
    /// How the last question failed, nil if it was answered.
    public private(set) final var lastFailure: Failure?

    private var schedule: AskSchedule
    private let timeout: Int64
    private let resolver: Resolver?
    private var endpoints: [Endpoint]
    private var denied: Set<Endpoint> = []
    private var next = 0
    /// Whether the resolver has to be asked: nothing is known, or all that is known has failed.
    private var needsAddresses = true
    /// The one timer: of the next question, or of giving up on this one.
    private var timer: Loop.Timer?
    private final var watch: Loop.DescriptorSource?
    /// The socket of the question that is under way.
    private(set) final var socket: ClientSocket?
    /// The number of the question: what comes for an earlier one is not taken.
    private var number = 0

    init(_ endpoints: [Endpoint], resolver: Resolver?, pace: Pace) {
      precondition(pace.interval > .zero, "interval is \(pace.interval): it must be positive")
      precondition(pace.spacing > .zero, "spacing is \(pace.spacing): it must be positive")
      precondition(pace.timeout > .zero, "timeout is \(pace.timeout): it must be positive")
      precondition(resolver != nil || !endpoints.isEmpty, "a source needs the address of a server")
      self.endpoints = endpoints
      self.resolver = resolver
      timeout = pace.timeout.clampedNanoseconds
      schedule = AskSchedule(
        interval: pace.interval.clampedNanoseconds, spacing: pace.spacing.clampedNanoseconds,
        asksSoon: pace.asksSoon)
    }

    deinit { cancel() }

    // MARK: What each kind answers for itself

    /// Begins to ask one server.
    func begin(_ endpoint: Endpoint) throws(SystemError) {}

    /// Takes what the socket is ready for.
    func serve(_ event: Loop.DescriptorSource.Event) throws(SystemError) {}

    /// What to say if no answer has come.
    var timeoutReason: String { "no answer came" }

    /// How long to wait rather, if one moment to ask is better than another.
    func adjusted(_ delay: Int64) -> Int64 { delay }

    // MARK: Control

    /// Asks now, unless a question is under way.
    public final func ask() {
      guard let clock, !hasEnded, socket == nil else { return }
      clock.loop.checkThread()
      askNow()
    }

    /// Ends it for good, with the question that is under way.
    public final func stop() {
      end()
      clock?.sources.removeAll { $0 === self }
    }

    func start(with clock: ServerClock) {
      self.clock = clock
      askNow()
    }

    func end() {
      hasEnded = true
      cancel()
      onAnswer = nil
    }

    private final func cancel() {
      number += 1
      timer?.invalidate()
      timer = nil
      closeSocket()
    }

    private final func closeSocket() {
      // In this order: the descriptor must not be closed while it is watched.
      watch?.invalidate()
      watch = nil
      socket = nil
    }

    // MARK: One question

    private final func askNow() {
      number += 1
      let number = number
      later(timeout) { $0.fail(.timedOut, $0.timeoutReason) }
      guard let resolver, needsAddresses else { return askNext() }
      resolver { [weak self] found in
        guard let self, self.number == number, !self.hasEnded else { return }
        self.needsAddresses = false
        self.endpoints = found
        self.next = 0
        self.askNext()
      }
    }

    private final func askNext() {
      let open = endpoints.filter { !denied.contains($0) }
      guard !open.isEmpty else {
        return fail(.noAddress, endpoints.isEmpty ? "no address was found" : "all servers have denied it")
      }
      endpoints = open
      let endpoint = open[next % open.count]
      do throws(SystemError) { try begin(endpoint) } catch { fail(.unreachable, error.description) }
    }

    /// Opens the socket of this question and watches it.
    final func open(
      _ kind: ClientSocket.Kind, to endpoint: Endpoint, for interest: Loop.DescriptorSource.Interest
    ) throws(SystemError) {
      guard let loop = clock?.loop else { return }
      let socket = try ClientSocket(kind, to: endpoint.address)
      self.socket = socket
      do throws(Loop.SystemError) {
        watch = try loop.watch(socket.descriptor, for: interest) { [weak self] _, event in self?.ready(event)
        }
        watch?.keepsLoopAlive = keepsLoopAlive
      } catch {
        throw SystemError(errno: error.code, call: error.operation)
      }
    }

    final func wait(for interest: Loop.DescriptorSource.Interest) { watch?.interest = interest }

    private final func ready(_ event: Loop.DescriptorSource.Event) {
      guard socket != nil else { return }
      do throws(SystemError) { try serve(event) } catch { fail(.unreachable, error.description) }
    }

    /// The continuous clock, in nanoseconds.
    final var now: Int64 { clock?.continuousNow ?? 0 }

    final var drift: Int64 { clock?.drift ?? ClockDrift.greatest }

    // MARK: Its end

    /// The server has told the time.
    final func succeed(_ sample: OffsetSample, sent: Int64) {
      guard let clock else { return }
      closeSocket()
      lastFailure = nil
      let delay = schedule.succeeded()
      let outcome = clock.take(sample)
      // A handler of the clock's may have stopped it.
      if hasEnded { return }
      askLater(adjusted(delay))
      onAnswer?(self, .sample(outcome, roundTrip: .nanoseconds(sample.instant - sent)))
    }

    /// The question came to nothing.
    final func fail(_ kind: Failure.Kind, _ message: String) {
      closeSocket()
      var message = message
      if !endpoints.isEmpty {
        let endpoint = endpoints[next % endpoints.count]
        message = "\(endpoint): \(message)"
        if kind == .denied { denied.insert(endpoint) }
      }
      let failure = Failure(kind, message)
      lastFailure = failure
      next += kind == .denied || kind == .askedTooOften ? 0 : 1
      if endpoints.allSatisfy(denied.contains) || next % endpoints.count == 0 { needsAddresses = true }
      let delay = kind == .askedTooOften ? schedule.slowedDown() : schedule.failed()
      let isOver = resolver == nil && endpoints.allSatisfy(denied.contains)
      let onAnswer = onAnswer
      if isOver { stop() } else { askLater(delay) }
      onAnswer?(self, .failure(failure))
    }

    private final func askLater(_ delay: Int64) {
      later(delay) { $0.askNow() }
    }

    /// Does something after a time in which the machine may sleep.
    private final func later(_ delay: Int64, _ body: @escaping (Source) -> Void) {
      timer?.invalidate()
      guard let loop = clock?.loop else { return }
      timer = loop.schedule(
        at: saturatingAdd(now, delay), clock: .continuous, tolerance: .zero, mode: .common,
        handler: .calling { (source: Source, _: Loop.Pass) in body(source) }, owner: self, fileID: #fileID,
        line: #line)
      timer?.keepsLoopAlive = keepsLoopAlive
    }
  }
}
