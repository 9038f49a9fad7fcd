import FoundationEssentials
import Testing
import WakeLoop

@Suite("Real servers on the loopback address")
struct RealServerTests {
  /// Asks until so many samples have come; the server may need a while to start.
  private static func synchronize(
    _ clock: ServerClock, with source: ServerClock.Source, samples: Int, program: ServerProgram
  ) {
    var left = samples
    var failures: [ServerClock.Failure] = []
    source.onAnswer = { _, answer in
      switch answer {
      case .sample: left -= 1
      case .failure(let failure): failures.append(failure)
      }
      if left == 0 { clock.loop.stop() }
    }
    clock.add(source)
    clock.loop.run()
    #expect(left == 0, "\(failures.suffix(3)); \(program.output)")
    source.stop()
  }

  @Test(
    "chronyd tells the time by SNTP",
    .enabled(
      if: ServerProgram.path(of: "chronyd") != nil, "chronyd is not installed; Tests/run.sh installs it"))
  func chronyd() {
    onLoopThread { loop in
      guard let path = ServerProgram.path(of: "chronyd") else { return }
      let port = deadPort(stream: false)
      let program = ServerProgram(path) { folder in
        """
        port \(port)
        bindaddress 127.0.0.1
        allow 127.0.0.1
        local stratum 8
        cmdport 0
        bindcmdaddress /
        pidfile \(folder)/pid

        """
      } arguments: { _, file in
        // -x: it leaves the system's clock alone. -U: it does not insist on being root.
        ["-n", "-x", "-U", "-f", file, "-u", userName()]
      }
      let clock = ServerClock(on: loop)
      let source = SNTPSource(
        try ServerClock.Endpoint("127.0.0.1", port: port),
        pace: .init(interval: .milliseconds(100), spacing: .milliseconds(20), timeout: .seconds(2)))
      Self.synchronize(clock, with: source, samples: 5, program: program)
      #expect(source.stratum == 8)
      #expect(source.leap == .none)
      // It serves this machine's own clock.
      try expectWithinBound(clock)
      #expect(!clock.wasStepped)
    }
  }

  @Test(
    "nginx tells the time by its Date",
    .enabled(if: ServerProgram.path(of: "nginx") != nil, "nginx is not installed; Tests/run.sh installs it"))
  func nginx() {
    onLoopThread { loop in
      guard let path = ServerProgram.path(of: "nginx") else { return }
      let port = deadPort(stream: true)
      let program = ServerProgram(path) { folder in
        """
        daemon off;
        master_process off;
        pid \(folder)/pid;
        error_log stderr;
        events {}
        http {
          access_log off;
          client_body_temp_path \(folder)/body;
          proxy_temp_path \(folder)/proxy;
          fastcgi_temp_path \(folder)/fastcgi;
          uwsgi_temp_path \(folder)/uwsgi;
          scgi_temp_path \(folder)/scgi;
          server { listen 127.0.0.1:\(port); location / { return 204; } }
        }

        """
      } arguments: { folder, file in
        ["-p", folder, "-c", file, "-e", "stderr"]
      }
      let clock = ServerClock(on: loop)
      let source = HTTPDateSource(
        try ServerClock.Endpoint("127.0.0.1", port: port), host: "localhost",
        pace: .init(interval: .milliseconds(100), spacing: .milliseconds(20), timeout: .seconds(2)))
      Self.synchronize(clock, with: source, samples: 4, program: program)
      try expectWithinBound(clock)
    }
  }
}
