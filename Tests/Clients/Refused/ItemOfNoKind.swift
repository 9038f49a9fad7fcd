import WakeLoop

#if REFUSED
  // error: 'Loop.Item' initializer is inaccessible due to 'internal' protection level
  // error: missing arguments for parameters 'threadID', 'keepsLoopAlive', 'fileID', 'line' in call
  let item = Loop.Item()
#else
  let item: Loop.Item = Loop.UserSource {}
#endif
