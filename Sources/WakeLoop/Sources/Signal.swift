import LoopPlatform

extension Loop {
  /// A signal of the operating system.
  public struct Signal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The system's number.
    public let rawValue: Int32

    /// Makes a signal of its number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// SIGHUP: the terminal has gone; for daemons, by custom: read the configuration again.
    public static let hangUp = Signal(rawValue: SignalNumber.hangUp)
    /// SIGINT: Ctrl-C.
    public static let interrupt = Signal(rawValue: SignalNumber.interrupt)
    /// SIGQUIT: Ctrl-\.
    public static let quit = Signal(rawValue: SignalNumber.quit)
    /// SIGPIPE: written to what nobody reads.
    public static let pipe = Signal(rawValue: SignalNumber.pipe)
    /// SIGALRM: `alarm(2)`.
    public static let alarm = Signal(rawValue: SignalNumber.alarm)
    /// SIGTERM: asked to end.
    public static let terminate = Signal(rawValue: SignalNumber.terminate)
    /// SIGUSR1: whatever the program says.
    public static let user1 = Signal(rawValue: SignalNumber.user1)
    /// SIGUSR2: whatever the program says.
    public static let user2 = Signal(rawValue: SignalNumber.user2)
    /// SIGCHLD: a child has ended, stopped or gone on.
    public static let child = Signal(rawValue: SignalNumber.child)
    /// SIGCONT: goes on after a stop.
    public static let `continue` = Signal(rawValue: SignalNumber.continue)
    /// SIGWINCH: the terminal has another size.
    public static let windowChange = Signal(rawValue: SignalNumber.windowSize)

    /// Whether a program can be told of the signal by a source.
    ///
    /// It can't of SIGKILL and SIGSTOP, of SIGSEGV, SIGBUS, SIGFPE and SIGILL, which would come again for ever,
    /// nor of what is no signal or the C library's own.
    public var canBeWatched: Bool { SignalWatch.canWatch(rawValue) }

    /// The name that C gives it, such as "SIGINT".
    public var description: String { SignalNumber.name(rawValue) }
  }
}
