#ifndef CBUILD_H
#define CBUILD_H

/// Returns the commit that was built, or an empty text for a release or where it is unknown.
const char *cbuild_commit(void);

#endif
