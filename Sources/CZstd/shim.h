// The sequences that the project finds itself are given to zstd by an interface that the library
// exports, but that its header keeps back without this.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
