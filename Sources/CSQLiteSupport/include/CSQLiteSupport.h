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

/// Makes a connection leave the `-wal` as it is when it is closed.
static inline int csqlite_keep_log_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// The file that a connection has open as its main database; null where there is none.
///
/// Whoever opened the file by himself and closed it again would drop SQLite's locks.
static inline sqlite3_file *csqlite_main_file(sqlite3 *connection) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return result == SQLITE_OK && file && file->pMethods ? file : 0;
}

/// Whether nothing stands in the `-wal` that a connection has open, or it has none open.
static inline int csqlite_log_is_empty(sqlite3 *connection) {
  sqlite3_file *log = 0;
  sqlite3_int64 size = 0;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK)
    return 0;
  if (!log || !log->pMethods) return 1;
  return log->pMethods->xFileSize(log, &size) == SQLITE_OK && size == 0;
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

/// Makes `file:` names with parameters understood by every connection of this process.
///
/// Works only before SQLite is first used; the result says whether it did. Some builds of SQLite
/// understand such names from the start.
static inline int csqlite_accept_uri_names(void) {
  if (sqlite3_compileoption_used("USE_URI")) return SQLITE_OK;
  return sqlite3_config(SQLITE_CONFIG_URI, 1);
}

#endif
