// Makes one of the system calls fail by which a program changes some files, or ends the program there.
// Loaded into the program by LD_PRELOAD; Linux only.
//
//   FAULT_FILES   what the paths of these files begin with
//   FAULT_AT      at which call, counted from 1; 0 or nothing for none
//   FAULT_KIND    what happens to it:
//                   kill  the program is killed before the call
//                   torn  the program is killed when half of a write is done; before any other call
//                   half  a write does half of its work and says so; any other call works
//                   full  there is no space: ENOSPC; a file can still be removed
//                   error the device fails: EIO
//                   wait  the program makes the file FAULT_GATE, and goes on when that is gone
//   FAULT_LASTS   1: all later calls fail as well; on a full disk the first write is a short one
//   FAULT_LOG     a file to which every counted call is written, a line each
//   FAULT_OPENS   a file to which the path of every file is written that is opened, a line each
//   FAULT_RECORD  a file to which every change of a file or folder that has worked is written, in order: a letter
//                 (below), seven numbers of 8 bytes of this machine each (the file, its folder and the other
//                 folder, by their numbers in the file system; an offset or a length; the lengths of two names and
//                 of the bytes), then the names and the bytes
//                   c  a file was created in a folder        d  a folder was created in a folder
//                   l  a file got a name in a folder         r  a name in a folder became one in the other
//                   u  a name was removed from a folder      w  bytes were written at an offset
//                   t  a file was cut to a length            s  a file or a folder was synced
//   FAULT_CLOCK   by how many milliseconds the clocks that measure durations go on each time that they
//                 are looked at, so that what depends on time is the same in every run
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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

static void note_in(const char *log, const char *call, const char *path) {
  if (!*log) return;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

static void note(const char *call, const char *path) { note_in(setting("FAULT_LOG"), call, path); }

static void note_opening(const char *call, int folder, const char *name) {
  char path[PATH_MAX];
  int error = errno;
  if (!*setting("FAULT_OPENS")) return;
  path_of_name(folder, name, path);
  if (begins_right(path)) note_in(setting("FAULT_OPENS"), call, path);
  errno = error;
}

// MARK: - The record

static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

// Lets one thread at a time make calls that are recorded, so that the record has their order.
static int begin_record(void) {
  if (!*setting("FAULT_RECORD")) return 0;
  pthread_mutex_lock(&recording);
  return 1;
}

static void end_record(int is_recording) {
  int error = errno;
  if (is_recording) pthread_mutex_unlock(&recording);
  errno = error;
}

struct entry {
  char path[PATH_MAX];
  const char *name;
  long long folder;
};

// Finds the folder of a name, and the name in it.
static void find_entry(int folder, const char *name, struct entry *entry) {
  struct stat status;
  path_of_name(folder, name, entry->path);
  size_t length = strlen(entry->path);
  while (length > 1 && entry->path[length - 1] == '/') entry->path[--length] = 0;
  char *slash = strrchr(entry->path, '/');
  entry->name = slash ? slash + 1 : entry->path;
  entry->folder = 0;
  if (!slash) return;
  *slash = 0;
  if (stat(entry->path, &status) == 0) entry->folder = (long long)status.st_ino;
  *slash = '/';
}

static void write_record(char kind, long long file, const struct entry *one, const struct entry *other,
                         long long offset, const void *bytes, size_t count) {
  const char *first = one ? one->name : "", *second = other ? other->name : "";
  int error = errno;
  int out = syscall(SYS_openat, AT_FDCWD, setting("FAULT_RECORD"),
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out >= 0) {
    long long numbers[7] = {
      file, one ? one->folder : 0, other ? other->folder : 0, offset, (long long)strlen(first),
      (long long)strlen(second), (long long)count,
    };
    struct iovec parts[5] = {
      {&kind, 1}, {numbers, sizeof numbers}, {(void *)first, strlen(first)},
      {(void *)second, strlen(second)}, {(void *)bytes, count},
    };
    syscall(SYS_writev, out, parts, 5);
    syscall(SYS_close, out);
  }
  errno = error;
}

// Records what was done with an open file.
static void record(char kind, int file, const void *bytes, size_t count, long long offset) {
  char path[PATH_MAX];
  struct stat status;
  int error = errno;
  path_of_file(file, path);
  if (begins_right(path) && fstat(file, &status) == 0) {
    write_record(kind, (long long)status.st_ino, NULL, NULL, offset, bytes, count);
  }
  errno = error;
}

// Where the next bytes of a file go.
static long long place_in(int file) {
  struct stat status;
  int flags = fcntl(file, F_GETFL);
  if (flags >= 0 && flags & O_APPEND && fstat(file, &status) == 0) return status.st_size;
  return lseek(file, 0, SEEK_CUR);
}

// Records what was done with names, which the files had before or have now.
static void record_names(char kind, int folder, const char *name, int other_folder, const char *other) {
  struct entry one, two;
  struct stat status;
  int error = errno;
  find_entry(folder, name, &one);
  if (other) find_entry(other_folder, other, &two);
  if (begins_right(one.path) || (other && begins_right(two.path))) {
    int has_file = kind != 'u' && lstat(other ? two.path : one.path, &status) == 0;
    write_record(kind, has_file ? (long long)status.st_ino : 0, &one, other ? &two : NULL, 0, "", 0);
  }
  errno = error;
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
  if (strcmp(kind, "half") == 0) return is_write ? IS_TORN : GOES_ON;
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

#define INTERPOSE_WRITE(name, parameters, arguments, half, offset)                      \
  ssize_t name parameters {                                                             \
    enum outcome outcome = outcome_for_file(#name, file, 1);                            \
    /* Of a single byte there is no half. */                                            \
    if (outcome == IS_TORN && count > 1) return torn(REAL(name) half);                  \
    if (outcome == IS_TORN) {                                                           \
      torn(0);                                                                          \
      errno = ENOSPC;                                                                   \
    }                                                                                   \
    if (outcome != GOES_ON) return -1;                                                  \
    int is_recording = begin_record();                                                  \
    long long place = is_recording ? (offset) : 0;                                      \
    ssize_t written = REAL(name) arguments;                                             \
    if (is_recording && written > 0) record('w', file, bytes, written, place);          \
    end_record(is_recording);                                                           \
    return written;                                                                     \
  }

INTERPOSE_WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count),
                (file, bytes, count / 2), place_in(file))
INTERPOSE_WRITE(pwrite, (int file, const void *bytes, size_t count, off_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset), offset)
INTERPOSE_WRITE(pwrite64, (int file, const void *bytes, size_t count, off64_t offset),
                (file, bytes, count, offset), (file, bytes, count / 2, offset), offset)

// One part at a time, which is a short write for those who look.
ssize_t writev(int file, const struct iovec *parts, int count) {
  for (int part = 0; part < count; part++) {
    if (parts[part].iov_len > 0) return write(file, parts[part].iov_base, parts[part].iov_len);
  }
  return 0;
}

// MARK: - Other calls

#define INTERPOSE_FILE(name, parameters, arguments, kind, length) \
  int name parameters {                                           \
    if (outcome_for_file(#name, file, 0) != GOES_ON) return -1;   \
    int is_recording = begin_record();                            \
    int result = REAL(name) arguments;                            \
    if (is_recording && result == 0) record(kind, file, "", 0, length); \
    end_record(is_recording);                                     \
    return result;                                                \
  }
#define INTERPOSE_NAMES(name, parameters, arguments, place, path, frees, kind, folder, one, target, other) \
  int name parameters {                                                        \
    if (outcome_for_name(#name, place, path, frees) != GOES_ON) return -1;      \
    int is_recording = begin_record();                                         \
    int result = REAL(name) arguments;                                         \
    if (is_recording && result == 0) record_names(kind, folder, one, target, other); \
    end_record(is_recording);                                                  \
    return result;                                                             \
  }
#define INTERPOSE_NAME(name, parameters, arguments, frees, kind, folder)        \
  INTERPOSE_NAMES(name, parameters, arguments, folder, path, frees, kind, folder, path, 0, NULL)
#define INTERPOSE_MOVE(name, parameters, arguments, kind, folder, target)       \
  INTERPOSE_NAMES(name, parameters, arguments, target, to, 0, kind, folder, from, target, to)

INTERPOSE_FILE(ftruncate, (int file, off_t size), (file, size), 't', size)
INTERPOSE_FILE(ftruncate64, (int file, off64_t size), (file, size), 't', size)
INTERPOSE_FILE(fsync, (int file), (file), 's', 0)
INTERPOSE_FILE(fdatasync, (int file), (file), 's', 0)
INTERPOSE_NAME(rmdir, (const char *path), (path), 1, 'u', AT_FDCWD)
INTERPOSE_NAME(unlink, (const char *path), (path), 1, 'u', AT_FDCWD)
INTERPOSE_NAME(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), 1, 'u', folder)
INTERPOSE_NAME(mkdir, (const char *path, mode_t mode), (path, mode), 0, 'd', AT_FDCWD)
INTERPOSE_NAME(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), 0, 'd', folder)
INTERPOSE_MOVE(rename, (const char *from, const char *to), (from, to), 'r', AT_FDCWD, AT_FDCWD)
INTERPOSE_MOVE(renameat, (int folder, const char *from, int target, const char *to),
               (folder, from, target, to), 'r', folder, target)
INTERPOSE_MOVE(renameat2,
               (int folder, const char *from, int target, const char *to, unsigned int flags),
               (folder, from, target, to, flags), 'r', folder, target)
INTERPOSE_MOVE(link, (const char *from, const char *to), (from, to), 'l', AT_FDCWD, AT_FDCWD)
INTERPOSE_MOVE(linkat, (int folder, const char *from, int target, const char *to, int flags),
               (folder, from, target, to, flags), 'l', folder, target)

// Whether there is nothing of a name.
static int is_missing(int folder, const char *path) {
  struct stat status;
  return fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
}

// Opening changes files only where it makes one, or cuts one.
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
    int is_recording = flags & (O_CREAT | O_TRUNC) ? begin_record() : 0;                 \
    int is_new = is_recording && flags & O_CREAT && is_missing(folder, path);            \
    int file = REAL(name) arguments;                                                     \
    if (file >= 0) note_opening(#name, folder, path);                                    \
    if (is_recording && file >= 0 && is_new) record_names('c', folder, path, 0, NULL);   \
    if (is_recording && file >= 0 && flags & O_TRUNC) record('t', file, "", 0, 0);       \
    end_record(is_recording);                                                            \
    return file;                                                                         \
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
