import WakeLoop

@MainActor
func wait(for body: @escaping @MainActor () async -> Int) async -> Int {
  #if REFUSED
    // error: instance method 'run' is unavailable from asynchronous contexts; a run blocks its thread; await the body instead
    return Loop.main.run { await body() }
  #else
    return await body()
  #endif
}
