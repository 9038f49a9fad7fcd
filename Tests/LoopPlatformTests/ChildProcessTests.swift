import Glibc
import LoopCore
import LoopPlatform
import Testing

extension PlatformTests {
  @Suite struct ChildProcessTests {
    private func spawn(_ script: String) -> pid_t {
      var child = pid_t()
      let words = ["/bin/sh", "-c", script]
      var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
      precondition(posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0)
      for argument in arguments { free(argument) }
      return child
    }

    private func untilEnded(_ one: OneBackend, _ descriptor: Int32) {
      #expect(one.backend.watch(mode: 0, descriptor: descriptor, interest: .read, token: 1) == 0)
      while one.wait(until: .never).isEmpty {}
      #expect(one.backend.unwatch(mode: 0, descriptor: descriptor) == 0)
    }

    @Test("A child's end makes its descriptor ready; it is peeked at repeatedly and reaped once")
    func exits() throws {
      let one = OneBackend()
      let child = spawn("read line; exit 3 < /dev/null")
      let descriptor = try ChildProcess.open(child).get()
      untilEnded(one, descriptor)
      let status = try ChildProcess.peek(descriptor).get()
      #expect(status != .running)
      #expect(try ChildProcess.peek(descriptor).get() == status)
      #expect(try ChildProcess.reap(descriptor).get() == status)
      #expect(ChildProcess.reap(descriptor) == .failure(SystemError(errno: ECHILD, call: "waitid")))
      ChildProcess.close(descriptor)
    }

    @Test("A running child is told as running, a killed one with its signal")
    func killed() throws {
      let one = OneBackend()
      let child = spawn("exec sleep 1000")
      let descriptor = try ChildProcess.open(child).get()
      #expect(try ChildProcess.peek(descriptor).get() == .running)
      #expect(try ChildProcess.reap(descriptor).get() == .running)
      kill(child, SIGKILL)
      untilEnded(one, descriptor)
      #expect(try ChildProcess.peek(descriptor).get() == .killed(signal: SIGKILL, dumpedCore: false))
      #expect(try ChildProcess.reap(descriptor).get() == .killed(signal: SIGKILL, dumpedCore: false))
      ChildProcess.close(descriptor)
    }

    @Test("A child that someone else has waited for is told as ECHILD")
    func stolen() throws {
      let child = spawn("exit 5")
      let descriptor = try ChildProcess.open(child).get()
      var status: Int32 = 0
      waitpid(child, &status, 0)
      #expect(ChildProcess.peek(descriptor) == .failure(SystemError(errno: ECHILD, call: "waitid")))
      ChildProcess.close(descriptor)
    }

    @Test("A process that does not exist, or is not ours, is refused")
    func refused() throws {
      #expect(throws: SystemError.self) { try ChildProcess.open(0).get() }
      #expect(throws: SystemError.self) { try ChildProcess.open(-5).get() }
      let descriptor = try ChildProcess.open(getpid()).get()
      #expect(ChildProcess.peek(descriptor) == .failure(SystemError(errno: ECHILD, call: "waitid")))
      ChildProcess.close(descriptor)
    }
  }
}
