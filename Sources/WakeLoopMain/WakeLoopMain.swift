internal import CWakeLoopMain
internal import WakeLoop

// Called by the runtime, through the C half, when it first asks for the main actor's executor.
@c(wakeloop_main_provide_executor)
package func provideMainExecutor(_ executor: UnsafeMutableRawPointer?) {
  MainExecutor.write(to: executor)
}

// Called by the runtime when an async main has suspended and the main thread is free.
@c(wakeloop_main_drive)
package func driveMainLoop() {
  MainExecutor.drive()
}
