#include "mailbox.h"
#include <sys/eventfd.h>
#include <unistd.h>

void mailbox_post(struct mailbox *mailbox, struct post post) {
  pthread_mutex_lock(&mailbox->mutex);
  struct batch *batch = &mailbox->waiting;
  bool was_empty = batch->count == 0;
  if (batch->count == batch->capacity) {
    batch->capacity = batch->capacity ? batch->capacity * 2 : 64;
    batch->posts = realloc(batch->posts, batch->capacity * sizeof *batch->posts);
  }
  batch->posts[batch->count++] = post;
  pthread_mutex_unlock(&mailbox->mutex);
  if (was_empty) {
    uint64_t one = 1;
    require(write(mailbox->descriptor, &one, sizeof one) == sizeof one, "no wake-up");
  }
}

static void take(int descriptor, short what, void *context) {
  (void)what;
  struct mailbox *mailbox = context;
  uint64_t count;
  require(read(descriptor, &count, sizeof count) == sizeof count, "a wake-up without a reason");
  pthread_mutex_lock(&mailbox->mutex);
  struct batch batch = mailbox->waiting;
  mailbox->waiting = mailbox->taken;
  mailbox->waiting.count = 0;
  pthread_mutex_unlock(&mailbox->mutex);
  for (size_t index = 0; index < batch.count; index++) {
    batch.posts[index].function(batch.posts[index].context, batch.posts[index].argument);
  }
  mailbox->taken = batch;
}

void mailbox_open(struct mailbox *mailbox, struct event_base *base) {
  *mailbox = (struct mailbox){.base = base};
  pthread_mutex_init(&mailbox->mutex, NULL);
  mailbox->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  mailbox->event = event_new(base, mailbox->descriptor, EV_READ | EV_PERSIST, take, mailbox);
  event_add(mailbox->event, NULL);
}
