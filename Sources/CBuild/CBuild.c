#include "CBuild.h"

#ifndef HISTCTL_COMMIT
#define HISTCTL_COMMIT ""
#endif

const char *cbuild_commit(void) { return HISTCTL_COMMIT; }
