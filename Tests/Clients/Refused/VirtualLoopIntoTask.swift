import WakeLoop
import WakeLoopTesting

func rehearse(_ virtual: VirtualLoop) {
  #if REFUSED
    // error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure
    Task.detached { virtual.advance(by: .seconds(1)) }
  #else
    virtual.advance(by: .seconds(1))
  #endif
}
