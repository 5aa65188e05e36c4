#ifdef __APPLE__
// The SDK has the library and no header. These are declarations of its stable interface.
#include <stddef.h>
#include <sys/types.h>
struct archive;
struct archive_entry;
#define ARCHIVE_EOF 1
#define ARCHIVE_OK 0
#define ARCHIVE_WARN (-20)
#define ARCHIVE_FATAL (-30)
#define ARCHIVE_FORMAT_BASE_MASK 0xff0000
#define ARCHIVE_FORMAT_ZIP 0x50000
struct archive *archive_read_new(void);
int archive_read_support_format_tar(struct archive *);
int archive_read_support_format_zip_seekable(struct archive *);
int archive_read_open(
  struct archive *, void *, int (*)(struct archive *, void *),
  ssize_t (*)(struct archive *, void *, const void **), int (*)(struct archive *, void *));
int archive_read_open_fd(struct archive *, int, size_t);
int archive_read_next_header(struct archive *, struct archive_entry **);
ssize_t archive_read_data(struct archive *, void *, size_t);
int archive_read_free(struct archive *);
int archive_format(struct archive *);
const char *archive_error_string(struct archive *);
const char *archive_entry_pathname(struct archive_entry *);
const char *archive_entry_pathname_utf8(struct archive_entry *);
mode_t archive_entry_filetype(struct archive_entry *);
int64_t archive_entry_size(struct archive_entry *);
int archive_entry_size_is_set(struct archive_entry *);
#else
#include <archive.h>
#include <archive_entry.h>
#endif
