import CBenchPeers

/// Every workload, and how each peer runs it.
enum Catalogue {
  static let workloads: [Workload] =
    [
      change("W1", pending: 1_000, renews: false),
      change("W1", pending: 1_000_000, renews: false),
      change("W1n", pending: 1_000, renews: true),
      change("W1n", pending: 1_000_000, renews: true),
      due(count: 100_000),
      posts("W3/1", allocates: false),
      posts("W3m/1", allocates: true),
      pingPong("W4/1", onOneProcessor: true),
      pingPong("W4/2", onOneProcessor: false),
      descriptors(count: 500),
      descriptors(count: 5_000),
      beats(milliseconds: 5, count: 400),
      chain(pending: 0),
      chain(pending: 10_000),
      memory(pending: 1_000_000),
      hops("W10", unit: "ns/round trip") { server, report in
        MainActorHops.pingPong(rounds: 50_000, by: server, then: report)
      },
      hops("W10b", unit: "ns/task") { server, report in
        MainActorHops.burst(count: 1_000_000, elsewhere: false, by: server, then: report)
      },
      hops("W10c", unit: "ns/task") { server, report in
        MainActorHops.burst(count: 1_000_000, elsewhere: true, by: server, then: report)
      },
    ]

  private static func hops(
    _ name: String, unit: String,
    _ run: @escaping @Sendable (MainActorHops.Server, @escaping @Sendable (Double) -> Void) -> Void
  ) -> Workload {
    @Sendable func result(_ server: MainActorHops.Server) -> [Measurement] {
      run(server) { ChildRun.print([Measurement(workload: name, unit: unit, value: $0)]) }
      return []
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(.installedLoop) },
        .wakeLoopByQueue: { result(.loopWithMainQueue) },
        .dispatch: { result(.dispatch) },
      ])
  }

  private static func change(_ name: String, pending: Int, renews: Bool) -> Workload {
    let name = "\(name)/\(pending)"
    let operations = 1_000_000
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "ns/op", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: {
          result(WakeLoopTimers.change(pending: pending, operations: operations, renews: renews))
        },
        .libevent: { result(peer_change_timers(Int32(pending), Int32(operations), renews)) },
        .timerQueue: {
          result(TimerQueueWorkloads.change(pending: pending, operations: operations, renews: renews))
        },
      ])
  }

  private static func due(count: Int) -> Workload {
    @Sendable func result(_ scheduling: Double, _ firing: Double) -> [Measurement] {
      [
        Measurement(workload: "W2s/\(count)", unit: "ns/timer", value: scheduling),
        Measurement(workload: "W2/\(count)", unit: "ns/timer", value: firing),
      ]
    }
    return Workload(
      name: "W2/\(count)",
      run: [
        .wakeLoop: {
          let (scheduling, firing) = WakeLoopTimers.due(count: count)
          return result(scheduling, firing)
        },
        .libevent: {
          var scheduling = 0.0
          let firing = peer_due_timers(Int32(count), &scheduling)
          return result(scheduling, firing)
        },
        .timerQueue: {
          let (scheduling, firing) = TimerQueueWorkloads.due(count: count)
          return result(scheduling, firing)
        },
      ])
  }

  private static func posts(_ name: String, allocates: Bool) -> Workload {
    let count = 1_000_000
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "ns/post", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(WakeLoopPosts.post(count: count, allocates: allocates)) },
        .libevent: { result(peer_posts(1, count, allocates)) },
      ])
  }

  private static func pingPong(_ name: String, onOneProcessor: Bool) -> Workload {
    let rounds = 50_000
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "ns/round trip", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(WakeLoopPosts.pingPong(rounds: rounds, onOneProcessor: onOneProcessor)) },
        .libevent: { result(peer_ping_pong(rounds, onOneProcessor)) },
      ])
  }

  private static func descriptors(count: Int) -> Workload {
    let name = "W5/\(count)"
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "us/run", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(WakeLoopDescriptors.ring(count: count, active: 100, writes: 1_000)) },
        .libevent: { result(peer_descriptors(Int32(count), 100, 1_000)) },
      ])
  }

  private static func beats(milliseconds: Int, count: Int) -> Workload {
    @Sendable func result(_ median: Double, _ highest: Double) -> [Measurement] {
      [
        Measurement(workload: "W6.p50", unit: "us late", value: median),
        Measurement(workload: "W6.p99", unit: "us late", value: highest),
      ]
    }
    return Workload(
      name: "W6",
      run: [
        .wakeLoop: {
          let (median, highest) = WakeLoopPasses.beats(milliseconds: milliseconds, count: count)
          return result(median, highest)
        },
        .libevent: {
          var median = 0.0
          var highest = 0.0
          peer_beats(Int32(milliseconds), Int32(count), &median, &highest)
          return result(median, highest)
        },
      ])
  }

  private static func chain(pending: Int) -> Workload {
    let name = "W9/\(pending)"
    let calls = 500_000
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "ns/call", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(WakeLoopPasses.chain(calls: calls, pending: pending)) },
        .libevent: { result(peer_poll_chain(calls, Int32(pending))) },
      ])
  }

  private static func memory(pending: Int) -> Workload {
    let name = "W7/\(pending)"
    @Sendable func result(_ value: Double) -> [Measurement] {
      [Measurement(workload: name, unit: "B/timer", value: value)]
    }
    return Workload(
      name: name,
      run: [
        .wakeLoop: { result(WakeLoopTimers.memory(pending: pending)) },
        .libevent: { result(peer_timer_memory(Int32(pending))) },
        .timerQueue: { result(TimerQueueWorkloads.memory(pending: pending)) },
      ])
  }
}
