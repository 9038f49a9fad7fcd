#ifndef WL_CLOOPSHIMS_H
#define WL_CLOOPSHIMS_H

#ifndef __linux__
#error "WakeLoop runs on Linux only: it is built on epoll, timerfd, eventfd and pidfd."
#endif

#include "wl_base.h"
#include "wl_descriptor.h"
#include "wl_foreign_set.h"
#include "wl_fork.h"
#include "wl_lock.h"
#include "wl_main_executor.h"
#include "wl_main_queue.h"
#include "wl_process.h"
#include "wl_signal.h"
#include "wl_sink.h"
#include "wl_thread.h"
#include "wl_thread_settings.h"
#include "wl_timer.h"
#include "wl_waker.h"

#endif
