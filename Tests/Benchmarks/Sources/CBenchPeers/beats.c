#include "CBenchPeers.h"
#include "support.h"

struct beats {
  struct event_base *base;
  double start;
  double interval;
  double *lateness;
  int count;
  int told;
};

static void beat(int descriptor, short what, void *context) {
  (void)descriptor, (void)what;
  struct beats *beats = context;
  beats->lateness[beats->told] = now_nanoseconds() - beats->start - beats->interval * (beats->told + 1);
  beats->told += 1;
  if (beats->told == beats->count) { event_base_loopbreak(beats->base); }
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

void peer_beats(int milliseconds, int count, double *median, double *highest) {
  struct beats beats = {.base = new_base(), .interval = milliseconds * 1e6, .count = count};
  beats.lateness = malloc(sizeof *beats.lateness * (size_t)count);
  struct event *event = event_new(beats.base, -1, EV_PERSIST, beat, &beats);
  struct timeval interval = {0, milliseconds * 1000};
  beats.start = now_nanoseconds();
  event_add(event, &interval);
  event_base_dispatch(beats.base);
  require(beats.told == count, "beats were lost");
  qsort(beats.lateness, (size_t)count, sizeof *beats.lateness, compare);
  *median = beats.lateness[count / 2] / 1e3;
  *highest = beats.lateness[count * 99 / 100] / 1e3;
}
