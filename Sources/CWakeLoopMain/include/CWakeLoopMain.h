#ifndef CWAKELOOPMAIN_H
#define CWAKELOOPMAIN_H

// Defined in Swift, by the module that this one serves.
void wakeloop_main_provide_executor(void *executor);
void wakeloop_main_drive(void);

#endif
