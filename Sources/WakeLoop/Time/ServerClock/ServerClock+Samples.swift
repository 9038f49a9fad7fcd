public import FoundationEssentials
import LoopCore

extension ServerClock {
  /// What a sample was good for.
  public enum Outcome: Hashable, Sendable {
    /// It was the first, or made the time told more certain.
    case refined
    /// It agrees with what is known and says nothing new.
    case kept
    /// It contradicts what is known; the time told is the old one until the next sample decides.
    case disputed
    /// It confirmed a contradiction, or disproved an assumption: the time told starts from it.
    case replaced
    /// Its times contradict each other or are out of range, so that it was not taken.
    case refused
  }

  /// Notes when a question leaves for the server.
  public struct Question: Hashable, Sendable {
    /// The continuous clock, in nanoseconds.
    let sent: Int64
  }

  /// Notes that a question leaves now; give it to `take(_:accuracy:inAnswerTo:)` with the answer.
  public func question() -> Question { Question(sent: continuousNow) }

  /// Takes the server's time that has just come in answer to a question.
  ///
  /// The server looked at its clock somewhere between the question and now: the middle is taken, and half the time
  /// between is the bound. Call it as soon as the answer is there.
  /// - Parameters:
  ///   - date: What the server's clock showed.
  ///   - accuracy: By how much the date may be wrong, either way. A date cut to whole seconds is half a second
  ///     early on average: add half a second to it and state half a second here.
  ///   - question: When the question left.
  /// - Returns: What it was good for.
  /// - Precondition: The accuracy is not negative, the date not NaN.
  @discardableResult
  public func take(_ date: Date, accuracy: Duration = .zero, inAnswerTo question: Question) -> Outcome {
    take(
      sent: .nanoseconds(question.sent), serverReceived: date, serverSent: date,
      received: .nanoseconds(continuousNow), accuracy: accuracy)
  }

  /// Takes the times of a full exchange.
  ///
  /// - Parameters:
  ///   - sent: The continuous clock when the question left, as the time since boot.
  ///   - serverReceived: The server's clock when it had the question.
  ///   - serverSent: The server's clock when its answer left; what it took to make it does not count as delay.
  ///   - received: The continuous clock when the answer was there.
  ///   - accuracy: By how much the server's dates may be wrong, either way.
  /// - Returns: What it was good for; `.refused` if the times contradict each other, lie in the future, or are not
  ///   between 1970 and 2116.
  /// - Precondition: The accuracy is not negative, no date is NaN.
  @discardableResult
  public func take(
    sent: Duration, serverReceived: Date, serverSent: Date, received: Duration, accuracy: Duration = .zero
  ) -> Outcome {
    precondition(accuracy >= .zero, "accuracy is \(accuracy): it can't be negative")
    let arrival = Self.nanoseconds(of: serverReceived)
    let departure = Self.nanoseconds(of: serverSent)
    let now = continuousNow
    let end = received.clampedNanoseconds
    guard
      end <= now,
      let sample = OffsetSample(
        sent: sent.clampedNanoseconds, serverReceived: arrival, serverSent: departure, received: end,
        serverError: saturatingAdd(accuracy.clampedNanoseconds, Self.dateResolution), drift: drift)
    else { return report(.refused) }
    return take(sample)
  }

  /// Takes a server's time that came by itself, as in a pushed message.
  ///
  /// How long it was under way is not known, so that it says only how late it is at least. Once an answer to a
  /// question was measured, this is all that is taken from it.
  /// - Parameters:
  ///   - date: What the server's clock showed.
  ///   - policy: What to make of the first such time.
  /// - Returns: What it was good for.
  /// - Precondition: The date is not NaN.
  @discardableResult
  public func take(_ date: Date, policy: LoneServerTime = .withinThreeSeconds) -> Outcome {
    // The wall first: what passes between the readings counts as delay.
    let wall = loop.backend.now(.wall)
    let now = continuousNow
    guard
      let sample = policy.rule.sample(
        server: Self.nanoseconds(of: date), serverError: Self.dateResolution,
        wall: policy.trustsWall ? wall : .min, instant: now)
    else { return report(.refused) }
    return take(sample)
  }

  /// Forgets all samples: no time is told until the next, and what is told then may be before what was told.
  public func reset() {
    loop.checkThread()
    estimate = nil
    shown = nil
    sampledAt = nil
    courseChanged()
  }

  // MARK: Inside

  /// Takes a sample of one of the sources, or by hand.
  func take(_ sample: OffsetSample) -> Outcome {
    let now = continuousNow
    let outcome: Outcome
    if var estimate {
      outcome = Outcome(estimate.take(sample))
      self.estimate = estimate
    } else {
      estimate = OffsetEstimate(sample, drift: drift)
      outcome = .refined
    }
    if let best = estimate?.best {
      if shown == nil { shown = SlewedOffset(best, at: now) } else { shown?.retarget(best, at: now) }
    }
    sampledAt = now
    noteWall()
    courseChanged()
    _ = report(outcome)
    // Only now, so that who is told of the sample can ask what happened before it.
    wallSteps.forget()
    return outcome
  }

  private func report(_ outcome: Outcome) -> Outcome {
    onSample?(self, outcome)
    return outcome
  }

  /// Tells all that follow the time shown that it will be reached at other instants than before.
  private func courseChanged() {
    for alarm in alarms { alarm.rearm() }
    for follow in followers.values { follow() }
  }

  /// By how many nanoseconds a date of this century may be off, made from seconds since 1970 as most are.
  private static let dateResolution: Int64 = 500

  static func nanoseconds(of date: Date) -> Int64 {
    guard
      let nanoseconds = TimeConversion.wallNanoseconds(
        fromReferenceSeconds: date.timeIntervalSinceReferenceDate)
    else { preconditionFailure("the date is not a number: \(date.timeIntervalSinceReferenceDate)") }
    return nanoseconds
  }
}

extension ServerClock.Outcome {
  fileprivate init(_ verdict: OffsetEstimate.Verdict) {
    self =
      switch verdict {
      case .refined: .refined
      case .kept: .kept
      case .disputed: .disputed
      case .replaced: .replaced
      }
  }
}
