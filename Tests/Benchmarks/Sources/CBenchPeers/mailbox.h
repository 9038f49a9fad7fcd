#ifndef CBENCH_MAILBOX_H
#define CBENCH_MAILBOX_H

#include "support.h"
#include <pthread.h>

struct post {
  void (*function)(void *context, uint64_t argument);
  void *context;
  uint64_t argument;
};

struct batch {
  struct post *posts;
  size_t count;
  size_t capacity;
};

// A loop's queue of posts: one array under one mutex, taken whole, with a wake-up only when it was empty.
struct mailbox {
  struct event_base *base;
  struct event *event;
  pthread_mutex_t mutex;
  struct batch waiting;
  struct batch taken;
  int descriptor;
};

void mailbox_open(struct mailbox *mailbox, struct event_base *base);
void mailbox_post(struct mailbox *mailbox, struct post post);

#endif
