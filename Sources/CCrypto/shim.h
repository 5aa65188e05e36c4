// The functions over a plain context, which is a value in Swift and needs no set-up when the program starts.
// OpenSSL 3 keeps them and marks them as deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
