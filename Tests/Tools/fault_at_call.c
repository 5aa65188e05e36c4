// Makes one of the system calls fail by which a program changes some files, or ends the program there.
// Loaded into the program by LD_PRELOAD; Linux only.
//
//   FAULT_FILES   what the paths of these files begin with
//   FAULT_AT      at which call, counted from 1; 0 or nothing for none
//   FAULT_KIND    what happens to it:
//                   kill  the program is killed before the call
//                   torn  the program is killed when half of a write is done; before any other call
//                   full  there is no space: ENOSPC; a file can still be removed
//                   error the device fails: EIO
//                   wait  the program makes the file FAULT_GATE, and goes on when that is gone
//   FAULT_LASTS   1: all later calls fail as well; on a full disk the first write is a short one
//   FAULT_LOG     a file to which every counted call is written, a line each
//   FAULT_RECORD  a file to which every write, truncation, synchronisation and removal is written, with its bytes:
//                 a letter (w, t, s, u), the lengths of the path and of the bytes and the offset, each as 8
//                 bytes of this machine, then the path and the bytes
//   FAULT_CLOCK   by how many milliseconds the clocks that measure durations go on each time that they
//                 are looked at, so that what depends on time is the same in every run
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long calls;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

// MARK: - Which calls

static int begins_right(const char *path) {
  const char *files = setting("FAULT_FILES");
  return *files && strncmp(path, files, strlen(files)) == 0;
}

// The path of a file that is open; empty where it has none.
static void path_of_file(int file, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
}

static void path_of_name(int folder, const char *name, char path[PATH_MAX]) {
  char place[PATH_MAX] = "";
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
    return;
  }
  if (folder == AT_FDCWD) {
    if (!getcwd(place, sizeof place)) place[0] = 0;
  } else {
    path_of_file(folder, place);
  }
  if (snprintf(path, PATH_MAX, "%s/%s", place, name) >= PATH_MAX) path[0] = 0;
}

// MARK: - What happens to them

enum outcome { GOES_ON, IS_TORN, FAILS };

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void wait_at(const char *gate) {
  int file = syscall(SYS_openat, AT_FDCWD, gate, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_close, file);
  while (access(gate, F_OK) == 0) usleep(5000);
}

static void note(const char *call, const char *path) {
  const char *log = setting("FAULT_LOG");
  if (!*log) return;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

static void record_path(char kind, char *path, const void *bytes, size_t count, long long offset) {
  const char *log = setting("FAULT_RECORD");
  if (!*log) return;
  int error = errno;
  int out = begins_right(path)
    ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (out >= 0) {
    long long numbers[3] = {(long long)strlen(path), (long long)count, offset};
    struct iovec parts[4] = {
      {&kind, 1}, {numbers, sizeof numbers}, {path, strlen(path)}, {(void *)bytes, count},
    };
    syscall(SYS_writev, out, parts, 4);
    syscall(SYS_close, out);
  }
  errno = error;
}

static void record(char kind, int file, const void *bytes, size_t count, long long offset) {
  char path[PATH_MAX];
  int error = errno;
  path_of_file(file, path);
  errno = error;
  record_path(kind, path, bytes, count, offset);
}

static void record_removal(int folder, const char *name) {
  char path[PATH_MAX];
  path_of_name(folder, name, path);
  record_path('u', path, "", 0, 0);
}

// Counts a call, and says what becomes of it; where it fails, with which error.
static enum outcome outcome_of(const char *call, const char *path, int is_write, int frees_space) {
  if (!begins_right(path)) return GOES_ON;
  note(call, path);
  long number = ++calls, at = atol(setting("FAULT_AT"));
  int lasts = *setting("FAULT_LASTS") == '1';
  if (at < 1 || !(number == at || (lasts && number > at))) return GOES_ON;
  const char *kind = setting("FAULT_KIND");
  if (strcmp(kind, "full") == 0) {
    if (frees_space) return GOES_ON;
    if (lasts && number == at && is_write) return IS_TORN;
    errno = ENOSPC;
    return FAILS;
  }
  if (strcmp(kind, "error") == 0) {
    errno = EIO;
    return FAILS;
  }
  if (strcmp(kind, "wait") == 0) {
    wait_at(setting("FAULT_GATE"));
    return GOES_ON;
  }
  if (strcmp(kind, "torn") != 0 || !is_write) die();
  return IS_TORN;
}

static enum outcome outcome_for_file(const char *call, int file, int is_write) {
  char path[PATH_MAX];
  int error = errno;
  path_of_file(file, path);
  errno = error;
  return outcome_of(call, path, is_write, 0);
}

static enum outcome outcome_for_name(const char *call, int folder, const char *name, int frees) {
  char path[PATH_MAX];
  path_of_name(folder, name, path);
  return outcome_of(call, path, 0, frees);
}

// A short write is an error only for who does not look.
static ssize_t torn(ssize_t written) {
  if (strcmp(setting("FAULT_KIND"), "torn") == 0) die();
  return written;
}

// MARK: - Writes

#define INTERPOSE_WRITE(name, parameters, arguments, half, recording)                   \
  ssize_t name parameters {                                                             \
    enum outcome outcome = outcome_for_file(#name, file, 1);                            \
    /* Of a single byte there is no half. */                                            \
    if (outcome == IS_TORN && count > 1) return torn(REAL(name) half);                  \
    if (outcome == IS_TORN) {                                                           \
      torn(0);                                                                          \
      errno = ENOSPC;                                                                   \
    }                                                                                   \
    if (outcome != GOES_ON) return -1;                                                  \
    recording;                                                                          \
    return REAL(name) arguments;                                                        \
  }

INTERPOSE_WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count),
                (file, bytes, count / 2), (void)0)
INTERPOSE_WRITE(pwrite, (int file, const void *bytes, size_t count, off_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset),
                record('w', file, bytes, count, offset))
INTERPOSE_WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset),
                record('w', file, bytes, count, offset))
INTERPOSE_WRITE(writev, (int file, const struct iovec *parts, int count), (file, parts, count),
                (file, parts, count / 2), (void)0)

// MARK: - Other calls

#define INTERPOSE(name, parameters, arguments, outcome) \
  int name parameters { return outcome == GOES_ON ? REAL(name) arguments : -1; }
#define INTERPOSE_FILE(name, parameters, arguments, recording)   \
  int name parameters {                                          \
    if (outcome_for_file(#name, file, 0) != GOES_ON) return -1;  \
    recording;                                                   \
    return REAL(name) arguments;                                 \
  }
#define INTERPOSE_NAME(name, parameters, arguments, folder, path) \
  INTERPOSE(name, parameters, arguments, outcome_for_name(#name, folder, path, 0))
#define INTERPOSE_REMOVAL(name, parameters, arguments, folder)            \
  int name parameters {                                                   \
    if (outcome_for_name(#name, folder, path, 1) != GOES_ON) return -1;   \
    record_removal(folder, path);                                         \
    return REAL(name) arguments;                                          \
  }

INTERPOSE_FILE(ftruncate, (int file, off_t size), (file, size), record('t', file, "", 0, size))
INTERPOSE_FILE(ftruncate64, (int file, off64_t size), (file, size), record('t', file, "", 0, size))
INTERPOSE_FILE(fsync, (int file), (file), record('s', file, "", 0, 0))
INTERPOSE_FILE(fdatasync, (int file), (file), record('s', file, "", 0, 0))
INTERPOSE_REMOVAL(rmdir, (const char *path), (path), AT_FDCWD)
INTERPOSE_REMOVAL(unlink, (const char *path), (path), AT_FDCWD)
INTERPOSE_REMOVAL(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder)
INTERPOSE_NAME(rename, (const char *from, const char *to), (from, to), AT_FDCWD, to)
INTERPOSE_NAME(renameat, (int folder, const char *from, int target, const char *to),
               (folder, from, target, to), target, to)
INTERPOSE_NAME(renameat2,
               (int folder, const char *from, int target, const char *to, unsigned int flags),
               (folder, from, target, to, flags), target, to)
INTERPOSE_NAME(link, (const char *from, const char *to), (from, to), AT_FDCWD, to)
INTERPOSE_NAME(linkat, (int folder, const char *from, int target, const char *to, int flags),
               (folder, from, target, to, flags), target, to)
INTERPOSE_NAME(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
INTERPOSE_NAME(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder,
               path)

// Opening changes files only where it makes one.
#define INTERPOSE_OPEN(name, parameters, arguments, folder)                              \
  int name parameters {                                                                  \
    mode_t mode = 0;                                                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                               \
      va_list rest;                                                                      \
      va_start(rest, flags);                                                             \
      mode = va_arg(rest, mode_t);                                                       \
      va_end(rest);                                                                      \
    }                                                                                    \
    if (flags & O_CREAT && outcome_for_name(#name, folder, path, 0) != GOES_ON) return -1; \
    return REAL(name) arguments;                                                         \
  }

INTERPOSE_OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
INTERPOSE_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
INTERPOSE_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode),
               folder)
INTERPOSE_OPEN(openat64, (int folder, const char *path, int flags, ...),
               (folder, path, flags, mode), folder)

// MARK: - The clock

int clock_gettime(clockid_t clock, struct timespec *time) {
  static atomic_long looks;
  int result = syscall(SYS_clock_gettime, clock, time);
  long step = atol(setting("FAULT_CLOCK"));
  if (result == 0 && step > 0 && clock != CLOCK_REALTIME) {
    long later = ++looks * step;
    time->tv_sec += later / 1000;
    time->tv_nsec += later % 1000 * 1000000;
    if (time->tv_nsec >= 1000000000) {
      time->tv_nsec -= 1000000000;
      time->tv_sec += 1;
    }
  }
  return result;
}
