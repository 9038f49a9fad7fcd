#include "CBenchPeers.h"
#include "support.h"
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct post {
  void (*function)(uint64_t argument);
  uint64_t argument;
};

struct batch {
  struct post *posts;
  size_t count;
  size_t capacity;
};

struct mailbox {
  pthread_mutex_t mutex;
  struct batch waiting;
  struct batch taken;
  int descriptor;
};

static struct mailbox mailbox;
static struct event_base *base;
static pthread_barrier_t ready;
static uint64_t sum;
static uint64_t last_of_thread[64];
static bool is_in_order = true;
static long received;
static long expected;
static bool allocating;

// The argument is the number of the thread in the upper byte and of the post below it.
static void receive(uint64_t argument) {
  if (allocating) {
    uint64_t *box = (uint64_t *)(uintptr_t)argument;
    argument = box[0];
    free(box);
  }
  uint64_t thread = argument >> 56;
  uint64_t number = argument & 0xFFFFFFFFFFFFFFu;
  is_in_order = is_in_order && number == last_of_thread[thread] + 1;
  last_of_thread[thread] = number;
  sum += number;
  received += 1;
}

static void post(void (*function)(uint64_t), uint64_t argument) {
  pthread_mutex_lock(&mailbox.mutex);
  struct batch *batch = &mailbox.waiting;
  bool was_empty = batch->count == 0;
  if (batch->count == batch->capacity) {
    batch->capacity = batch->capacity ? batch->capacity * 2 : 64;
    batch->posts = realloc(batch->posts, batch->capacity * sizeof *batch->posts);
  }
  batch->posts[batch->count++] = (struct post){function, argument};
  pthread_mutex_unlock(&mailbox.mutex);
  if (was_empty) {
    uint64_t one = 1;
    require(write(mailbox.descriptor, &one, sizeof one) == sizeof one, "no wake-up");
  }
}

static void take(int descriptor, short what, void *context) {
  (void)what, (void)context;
  uint64_t count;
  require(read(descriptor, &count, sizeof count) == sizeof count, "a wake-up without a reason");
  pthread_mutex_lock(&mailbox.mutex);
  struct batch batch = mailbox.waiting;
  mailbox.waiting = mailbox.taken;
  mailbox.waiting.count = 0;
  pthread_mutex_unlock(&mailbox.mutex);
  for (size_t index = 0; index < batch.count; index++) {
    batch.posts[index].function(batch.posts[index].argument);
  }
  mailbox.taken = batch;
  if (received == expected) { event_base_loopbreak(base); }
}

struct poster {
  pthread_t thread;
  uint64_t number;
  long posts;
};

static void *post_all(void *context) {
  struct poster *poster = context;
  pthread_barrier_wait(&ready);
  for (long index = 1; index <= poster->posts; index++) {
    uint64_t argument = poster->number << 56 | (uint64_t)index;
    if (allocating) {
      uint64_t *box = malloc(32);
      box[0] = argument;
      argument = (uint64_t)(uintptr_t)box;
    }
    post(receive, argument);
  }
  return NULL;
}

double peer_posts(int threads, long posts, bool allocates) {
  long each = posts / threads;
  expected = each * threads;
  allocating = allocates;
  base = new_base();
  pthread_mutex_init(&mailbox.mutex, NULL);
  mailbox.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct event *event = event_new(base, mailbox.descriptor, EV_READ | EV_PERSIST, take, NULL);
  event_add(event, NULL);
  pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
  struct poster posters[64];
  for (int index = 0; index < threads; index++) {
    posters[index] = (struct poster){.number = (uint64_t)index, .posts = each};
    require(pthread_create(&posters[index].thread, NULL, post_all, &posters[index]) == 0, "no thread");
  }
  pthread_barrier_wait(&ready);
  double start = now_nanoseconds();
  event_base_dispatch(base);
  double end = now_nanoseconds();
  for (int index = 0; index < threads; index++) { pthread_join(posters[index].thread, NULL); }
  require(received == expected, "posts were lost");
  require(is_in_order, "posts of one thread changed places");
  require(sum == (uint64_t)threads * ((uint64_t)each * ((uint64_t)each + 1) / 2), "the sum is wrong");
  return (end - start) / (double)expected;
}
