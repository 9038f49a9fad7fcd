#ifndef WL_SINK_H
#define WL_SINK_H

// Takes an address and does nothing that an optimizer could know of: whatever lies there has to be computed.
void wl_sink(const void *value);

#endif
