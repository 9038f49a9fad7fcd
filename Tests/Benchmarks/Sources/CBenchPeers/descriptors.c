#include "CBenchPeers.h"
#include "support.h"
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct ring {
  struct event_base *base;
  int (*pairs)[2];
  struct event *events;
  int count;
  int writes_left;
  int reads_left;
};

struct reader {
  struct ring *ring;
  int index;
};

static void read_one(int descriptor, short what, void *context) {
  (void)what;
  struct reader *reader = context;
  struct ring *ring = reader->ring;
  char byte;
  require(read(descriptor, &byte, 1) == 1, "a readable descriptor has nothing to read");
  if (ring->writes_left > 0) {
    ring->writes_left -= 1;
    int next = (reader->index + 1) % ring->count;
    require(write(ring->pairs[next][1], "x", 1) == 1, "can't write");
  }
  ring->reads_left -= 1;
  if (ring->reads_left == 0) { event_base_loopbreak(ring->base); }
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double peer_descriptors(int count, int active, int writes) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  struct ring ring = {.count = count, .base = new_base()};
  ring.pairs = malloc(sizeof *ring.pairs * (size_t)count);
  ring.events = calloc((size_t)count, sizeof *ring.events);
  struct reader *readers = malloc(sizeof *readers * (size_t)count);
  for (int index = 0; index < count; index++) {
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ring.pairs[index]) == 0, "no more descriptors");
    readers[index] = (struct reader){&ring, index};
    event_assign(
        &ring.events[index], ring.base, ring.pairs[index][0], EV_READ | EV_PERSIST, read_one, &readers[index]);
    event_add(&ring.events[index], NULL);
  }
  double times[25];
  for (int run = -1; run < 25; run++) {
    ring.writes_left = writes;
    ring.reads_left = active + writes;
    for (int index = 0; index < active; index++) {
      require(write(ring.pairs[index * (count / active)][1], "x", 1) == 1, "can't write");
    }
    double start = now_nanoseconds();
    event_base_dispatch(ring.base);
    double end = now_nanoseconds();
    require(ring.reads_left == 0 && ring.writes_left == 0, "bytes were lost");
    if (run >= 0) { times[run] = end - start; }
  }
  qsort(times, 25, sizeof *times, compare);
  return times[12] / 1e3;
}
