#if !os(Linux)
  #error("WakeLoop runs on Linux only: it is built on epoll, timerfd, eventfd and pidfd.")
#endif
