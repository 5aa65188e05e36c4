// Kills the program into which it is loaded, with SIGKILL, at one of the system calls by which the
// program changes the files of a store. Loaded by LD_PRELOAD; Linux only.
//
//   KILL_FILES   what the paths of these files begin with
//   KILL_AT      at which call, counted from 1
//   KILL_HALFWAY 1: only writes count, and half of the bytes are written before the end;
//                otherwise nothing of the call is done any more
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static int is_of_store(const char *path) {
  const char *files = setting("KILL_FILES");
  return *files && strncmp(path, files, strlen(files)) == 0;
}

static int is_open_on_store(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_of_store(path);
}

static int is_halfway(void) { return *setting("KILL_HALFWAY") == '1'; }

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Whether this call is the one; the store is written by one thread at a time.
static int is_due(void) { return ++calls == atol(setting("KILL_AT")); }

static void before_change(int concerns_store) {
  if (concerns_store && !is_halfway() && is_due()) die();
}

// True where half of the write is still to be done.
static int before_write(int concerns_store) {
  if (!concerns_store || !is_due()) return 0;
  if (!is_halfway()) die();
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define INTERPOSE_WRITE(name, parameters, arguments, half) \
  ssize_t name parameters {                                \
    if (before_write(is_open_on_store(file))) {            \
      REAL(name) half;                                     \
      die();                                               \
    }                                                      \
    return REAL(name) arguments;                           \
  }

INTERPOSE_WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count),
                (file, bytes, count / 2))
INTERPOSE_WRITE(pwrite, (int file, const void *bytes, size_t count, off_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset))
INTERPOSE_WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset))

#define INTERPOSE(name, parameters, arguments, concerns_store) \
  int name parameters {                                        \
    before_change(concerns_store);                             \
    return REAL(name) arguments;                               \
  }

INTERPOSE(ftruncate, (int file, off_t size), (file, size), is_open_on_store(file))
INTERPOSE(ftruncate64, (int file, off64_t size), (file, size), is_open_on_store(file))
INTERPOSE(fsync, (int file), (file), is_open_on_store(file))
INTERPOSE(fdatasync, (int file), (file), is_open_on_store(file))
INTERPOSE(unlink, (const char *path), (path), is_of_store(path))
