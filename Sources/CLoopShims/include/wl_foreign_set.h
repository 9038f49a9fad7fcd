#ifndef WL_FOREIGN_SET_H
#define WL_FOREIGN_SET_H

#include <stdint.h>

// An epoll set that another library made and keeps to itself.

// A descriptor to mark a set with; -1 if there is none to be had.
int32_t wl_foreign_set_make_mark(void);
// The number of the set that watches the mark; -1 if none does.
int32_t wl_foreign_set_find(int32_t mark);
// Takes a descriptor's place in the set with an entry that reports nothing: whoever adds it is refused.
void wl_foreign_set_shut_out(int32_t set, int32_t descriptor);
// Takes that entry away, if it is still there.
void wl_foreign_set_let_in(int32_t set, int32_t descriptor);

#endif
