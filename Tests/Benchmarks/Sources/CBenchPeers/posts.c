#define _GNU_SOURCE
#include "CBenchPeers.h"
#include "mailbox.h"
#include <sched.h>

// MARK: - Posts in one direction

struct receiver {
  struct mailbox mailbox;
  uint64_t sum;
  uint64_t last_of_thread[64];
  long received;
  long expected;
  bool is_in_order;
  bool allocates;
};

static pthread_barrier_t ready;

// The argument is the number of the thread in the upper byte and of the post below it.
static void receive(void *context, uint64_t argument) {
  struct receiver *receiver = context;
  if (receiver->allocates) {
    uint64_t *box = (uint64_t *)(uintptr_t)argument;
    argument = box[0];
    free(box);
  }
  uint64_t thread = argument >> 56;
  uint64_t number = argument & 0xFFFFFFFFFFFFFFu;
  receiver->is_in_order = receiver->is_in_order && number == receiver->last_of_thread[thread] + 1;
  receiver->last_of_thread[thread] = number;
  receiver->sum += number;
  receiver->received += 1;
  if (receiver->received == receiver->expected) { event_base_loopbreak(receiver->mailbox.base); }
}

struct poster {
  pthread_t thread;
  struct receiver *receiver;
  uint64_t number;
  long posts;
};

static void *post_all(void *context) {
  struct poster *poster = context;
  pthread_barrier_wait(&ready);
  for (long index = 1; index <= poster->posts; index++) {
    uint64_t argument = poster->number << 56 | (uint64_t)index;
    if (poster->receiver->allocates) {
      uint64_t *box = malloc(32);
      box[0] = argument;
      argument = (uint64_t)(uintptr_t)box;
    }
    mailbox_post(&poster->receiver->mailbox, (struct post){receive, poster->receiver, argument});
  }
  return NULL;
}

double peer_posts(int threads, long posts, bool allocates) {
  long each = posts / threads;
  struct receiver receiver = {.expected = each * threads, .is_in_order = true, .allocates = allocates};
  mailbox_open(&receiver.mailbox, new_base());
  pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
  struct poster posters[64];
  for (int index = 0; index < threads; index++) {
    posters[index] = (struct poster){.receiver = &receiver, .number = (uint64_t)index, .posts = each};
    require(pthread_create(&posters[index].thread, NULL, post_all, &posters[index]) == 0, "no thread");
  }
  pthread_barrier_wait(&ready);
  double start = now_nanoseconds();
  event_base_dispatch(receiver.mailbox.base);
  double end = now_nanoseconds();
  for (int index = 0; index < threads; index++) { pthread_join(posters[index].thread, NULL); }
  require(receiver.received == receiver.expected, "posts were lost");
  require(receiver.is_in_order, "posts of one thread changed places");
  uint64_t sum = (uint64_t)threads * ((uint64_t)each * ((uint64_t)each + 1) / 2);
  require(receiver.sum == sum, "the sum is wrong");
  return (end - start) / (double)receiver.expected;
}

// MARK: - Ping-pong

struct player {
  struct mailbox mailbox;
  struct player *other;
  long left;
};

static void play(void *context, uint64_t argument) {
  struct player *player = context;
  player->left -= 1;
  struct player *other = player->other;
  bool is_last = player->left == 0;
  mailbox_post(&other->mailbox, (struct post){play, other, argument + 1});
  if (is_last) { event_base_loopbreak(player->mailbox.base); }
}

static void *play_all(void *context) {
  struct player *player = context;
  event_base_dispatch(player->mailbox.base);
  return NULL;
}

void bench_stay_on_this_processor(void) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(sched_getcpu(), &processors);
  require(sched_setaffinity(0, sizeof processors, &processors) == 0, "no affinity");
}

double peer_ping_pong(long rounds, bool on_one_processor) {
  if (on_one_processor) { bench_stay_on_this_processor(); }
  struct player ping = {.left = rounds}, pong = {.left = rounds};
  ping.other = &pong;
  pong.other = &ping;
  mailbox_open(&ping.mailbox, new_base());
  mailbox_open(&pong.mailbox, new_base());
  pthread_t thread;
  require(pthread_create(&thread, NULL, play_all, &pong) == 0, "no thread");
  double start = now_nanoseconds();
  mailbox_post(&ping.mailbox, (struct post){play, &ping, 0});
  event_base_dispatch(ping.mailbox.base);
  pthread_join(thread, NULL);
  double end = now_nanoseconds();
  require(ping.left == 0 && pong.left == 0, "the game ended early");
  return (end - start) / (double)rounds;
}
