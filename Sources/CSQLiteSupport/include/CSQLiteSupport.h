#ifndef CSQLITESUPPORT_H
#define CSQLITESUPPORT_H

#include <sqlite3.h>

/// Prepares a connection for a file that may be hostile and that must not be changed by closing it.
///
/// `sqlite3_db_config` is variadic, which Swift cannot call. Returns the first result that is not
/// `SQLITE_OK`. The settings are those of <https://www.sqlite.org/security.html>; a checkpoint on
/// close would move the `-wal` into the store, and a mapped file that is cut short ends the process.
static inline int csqlite_harden(sqlite3 *connection) {
  static const int settings[][2] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
  };
  for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    int result = sqlite3_db_config(connection, settings[i][0], settings[i][1], (int *)0);
    if (result != SQLITE_OK) return result;
  }
  return sqlite3_exec(connection, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", 0, 0, 0);
}

/// Prepares a connection for writing to a file whose schema is somebody else's.
///
/// Triggers stay on, for they keep up the owner's tables. Returns the first result that is not
/// `SQLITE_OK`.
static inline int csqlite_harden_for_writing(sqlite3 *connection) {
  int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result != SQLITE_OK) return result;
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Prepares a connection for building a file of the schema of another, which may be hostile.
///
/// The schema is written as text, and none of its triggers and views is used. Returns the first result
/// that is not `SQLITE_OK`.
static inline int csqlite_harden_for_building(sqlite3 *connection) {
  static const int settings[][2] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 0},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
  };
  for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    int result = sqlite3_db_config(connection, settings[i][0], settings[i][1], (int *)0);
    if (result != SQLITE_OK) return result;
  }
  return SQLITE_OK;
}

/// Makes the C library return memory to the system when a large block is freed, instead of keeping it for the
/// next one.
void csqlite_return_large_blocks(void);

/// Writes the changed pages of a connection to its file, also inside a transaction, and releases those in memory.
static inline int csqlite_release_pages(sqlite3 *connection) {
  int result = sqlite3_db_cacheflush(connection);
  return result == SQLITE_OK ? sqlite3_db_release_memory(connection) : result;
}

/// Makes a connection run no triggers.
static inline int csqlite_disable_triggers(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
}

/// Makes a connection leave the `-wal` as it is when it is closed.
static inline int csqlite_keep_log_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// The file that a connection has open as its main database; null where there is none.
///
/// Opening and closing the file by other means would drop SQLite's locks.
static inline sqlite3_file *csqlite_main_file(sqlite3 *connection) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return result == SQLITE_OK && file && file->pMethods ? file : 0;
}

/// The `-wal` that a connection has open; null where it has none open.
static inline sqlite3_file *csqlite_log_file(sqlite3 *connection) {
  sqlite3_file *log = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  return result == SQLITE_OK && log && log->pMethods ? log : 0;
}

/// Returns the size of a file in bytes; -1 if it cannot be read.
static inline sqlite3_int64 csqlite_size(sqlite3_file *file) {
  sqlite3_int64 size = 0;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

/// Copies the header of the wal-index, 48 bytes, and the number of frames that checkpoints have moved
/// into the main file, and that of frames that they may have begun to move. Returns whether both copies of
/// the header were equal and valid.
///
/// Only for a connection that has a `-wal` open and shares its wal-index with others: SQLite would
/// make a `-shm` otherwise. The number of frames is read first, so it belongs to the log that the
/// header describes if the header is the same as at an earlier call.
static inline int csqlite_log_header(
  sqlite3 *connection, unsigned char header[48], unsigned *backfilled, unsigned *attempted
) {
  sqlite3_file *file = csqlite_main_file(connection);
  volatile void *region = 0;
  if (!file || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
  int result = file->pMethods->xShmMap(file, 0, 32768, 0, &region);
  if ((result != SQLITE_OK && result != SQLITE_READONLY) || !region) return 0;
  const volatile unsigned *words = (const volatile unsigned *)region;
  unsigned first[12], second[12];
  *backfilled = words[24];
  *attempted = words[32];
  file->pMethods->xShmBarrier(file);
  for (int i = 0; i < 12; i++) first[i] = words[i];
  file->pMethods->xShmBarrier(file);
  for (int i = 0; i < 12; i++) second[i] = words[12 + i];
  for (int i = 0; i < 12; i++)
    if (first[i] != second[i]) return 0;
  for (int i = 0; i < 48; i++) header[i] = ((const unsigned char *)first)[i];
  return first[0] == 3007000 && header[12];
}

/// Makes room in the `-wal` that a connection has open, so that the last page of a transaction cannot
/// find the disk full.
///
/// Only for a store with a log, while the connection holds the write lock: nobody looks at what stands
/// behind the last whole transaction, and the next one is written over it. `zeros` are as many as two
/// frames of the log have; where the last one is of zeros, there is room already.
static inline int csqlite_reserve_log(sqlite3 *connection, const void *zeros, int count) {
  sqlite3_file *log = 0;
  sqlite3_int64 size = 0;
  unsigned char page[4] = {0};
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK
      || !log || !log->pMethods)
    return SQLITE_OK;
  int result = log->pMethods->xFileSize(log, &size);
  if (result != SQLITE_OK || size < count / 2) return result;
  // A frame begins with the number of its page, which is never 0.
  result = log->pMethods->xRead(log, page, sizeof page, size - count / 2);
  if (result != SQLITE_OK || !(page[0] | page[1] | page[2] | page[3])) return result;
  return log->pMethods->xWrite(log, zeros, count, size);
}

/// Reads a part of a file; anything but `SQLITE_OK` where not all of it is there.
static inline int csqlite_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return file->pMethods->xRead(file, bytes, count, offset);
}

/// Locks a database file as SQLite's readers do, until it is unlocked or the descriptor is closed; does not wait.
///
/// The lock belongs to the descriptor: closing another one of the same file does not release it. Returns 0,
/// or -1 if another program is writing to the file or the system has no such locks.
int csqlite_lock_for_reading(int descriptor);

/// Releases the lock of `csqlite_lock_for_reading`.
void csqlite_unlock_after_reading(int descriptor);

/// Makes `file:` names with parameters understood by every connection of this process.
///
/// Works only before SQLite is first used; the result says whether it did. Some builds of SQLite
/// understand such names from the start.
static inline int csqlite_accept_uri_names(void) {
  if (sqlite3_compileoption_used("USE_URI")) return SQLITE_OK;
  return sqlite3_config(SQLITE_CONFIG_URI, 1);
}

/// Stops counting the memory that SQLite has in use, so that threads allocate without waiting for each other.
///
/// Works only before SQLite is first used.
static inline void csqlite_stop_counting_memory(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Makes a connection allocate its pages one at a time, and not twenty at once when it is opened.
///
/// Works only before SQLite is first used.
static inline void csqlite_allocate_pages_singly(void) {
  sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

/// A file whose bytes a program makes as they are read.
typedef struct {
  /// What the functions get as their first argument.
  void *owner;
  /// Reads a part of the file. Returns `SQLITE_OK`, or another result where it cannot be read.
  int (*read)(void *owner, void *bytes, int count, sqlite3_int64 offset);
  /// Returns the size of the file in bytes.
  sqlite3_int64 (*size)(void *owner);
} csqlite_made_file;

/// Lets connections open one made file under the name of a VFS.
///
/// The file cannot be written, has neither a journal nor a log, and takes no locks. It may change while a
/// connection has it open and runs no statement, if its bytes 24 to 39 change too: SQLite then forgets the
/// pages that it has read. `name` and `file` must exist until `csqlite_remove_made_file`. Returns null
/// where there is no memory.
sqlite3_vfs *csqlite_add_made_file(const char *name, csqlite_made_file *file);

/// Ends the use of a made file, which no connection may have open.
void csqlite_remove_made_file(sqlite3_vfs *vfs);

#endif
