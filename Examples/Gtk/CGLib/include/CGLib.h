#include "GLibCalls.h"
#include "GLibContext.h"
#include "GLibGuestSource.h"
