import Testing

@Suite("A process that is stopped and continued")
struct StoppedLoopTests {
  @Test("notices by the wake-up that it missed, and tells it before any timer of the pass")
  func stopped() throws {
    let run = try Program.run(Program.path("StoppedLoop"), [])
    #expect(run.status == 0)
    #expect(
      run.output == """
        back after a second or so: true
        asleep: false, clock set: false
        then the timer, in the same pass and late: true

        """)
  }
}
