// For locks that belong to an open file and not to the process.
#define _GNU_SOURCE

#include "CSQLiteSupport.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

// MARK: - Memory

void csqlite_return_large_blocks(void) {
#ifdef __GLIBC__
  // By default both limits follow the largest block that was freed, up to 32 and 64 MiB.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 6 << 20);
#endif
}

// MARK: - The lock of readers

/// Sets the kind of the lock on SQLite's "shared" bytes: https://www.sqlite.org/lockingv3.html
static int set_lock(int descriptor, short kind) {
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
#else
  (void)descriptor, (void)kind;
  return -1;
#endif
}

int csqlite_lock_for_reading(int descriptor) { return set_lock(descriptor, F_RDLCK); }

void csqlite_unlock_after_reading(int descriptor) { set_lock(descriptor, F_UNLCK); }

// MARK: - The file

typedef struct {
  sqlite3_file base;
  csqlite_made_file *made;
} opened_file;

static int file_close(sqlite3_file *file) {
  (void)file;
  return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  csqlite_made_file *made = ((opened_file *)file)->made;
  return made->read(made->owner, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  (void)file, (void)bytes, (void)count, (void)offset;
  return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  (void)file, (void)size;
  return SQLITE_READONLY;
}

static int file_ignore(sqlite3_file *file, int flags) {
  (void)file, (void)flags;
  return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  csqlite_made_file *made = ((opened_file *)file)->made;
  *size = made->size(made->owner);
  return SQLITE_OK;
}

static int file_reserved(sqlite3_file *file, int *result) {
  (void)file;
  *result = 0;
  return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  (void)file, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *file) {
  (void)file;
  return 4096;
}

static int file_characteristics(sqlite3_file *file) {
  (void)file;
  return 0;
}

static const sqlite3_io_methods methods = {
  .iVersion = 1,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_ignore,
  .xFileSize = file_size,
  .xLock = file_ignore,
  .xUnlock = file_ignore,
  .xCheckReservedLock = file_reserved,
  .xFileControl = file_control,
  .xSectorSize = file_sector_size,
  .xDeviceCharacteristics = file_characteristics,
};

// MARK: - The VFS

static int vfs_open(
  sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened_flags
) {
  (void)name;
  file->pMethods = 0;
  // Without files for temporary tables: they stay in memory.
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
  ((opened_file *)file)->made = vfs->pAppData;
  file->pMethods = &methods;
  if (opened_flags) *opened_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs, (void)name, (void)sync;
  return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs, (void)name, (void)flags;
  *result = 0;
  return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int length, char *path) {
  (void)vfs;
  sqlite3_snprintf(length, path, "%s", name);
  return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  sqlite3_vfs *usual = sqlite3_vfs_find(0);
  return usual ? usual->xRandomness(usual, count, bytes) : 0;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  sqlite3_vfs *usual = sqlite3_vfs_find(0);
  return usual ? usual->xSleep(usual, microseconds) : 0;
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  sqlite3_vfs *usual = sqlite3_vfs_find(0);
  return usual ? usual->xCurrentTime(usual, days) : SQLITE_ERROR;
}

static int vfs_last_error(sqlite3_vfs *vfs, int length, char *text) {
  (void)vfs;
  if (length > 0 && text) text[0] = 0;
  return 0;
}

sqlite3_vfs *csqlite_add_made_file(const char *name, csqlite_made_file *file) {
  sqlite3_vfs *vfs = sqlite3_malloc(sizeof *vfs);
  if (!vfs) return 0;
  memset(vfs, 0, sizeof *vfs);
  vfs->iVersion = 1;
  vfs->szOsFile = sizeof(opened_file);
  vfs->mxPathname = 512;
  vfs->zName = name;
  vfs->pAppData = file;
  vfs->xOpen = vfs_open;
  vfs->xDelete = vfs_delete;
  vfs->xAccess = vfs_access;
  vfs->xFullPathname = vfs_full_path;
  vfs->xRandomness = vfs_randomness;
  vfs->xSleep = vfs_sleep;
  vfs->xCurrentTime = vfs_time;
  vfs->xGetLastError = vfs_last_error;
  if (sqlite3_vfs_register(vfs, 0) == SQLITE_OK) return vfs;
  sqlite3_free(vfs);
  return 0;
}

void csqlite_remove_made_file(sqlite3_vfs *vfs) {
  sqlite3_vfs_unregister(vfs);
  sqlite3_free(vfs);
}
