#include "GLibCalls.h"
#include "GLibContext.h"
