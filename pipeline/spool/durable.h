/* durable.h - durable file operations, used in pipeline/spool/ only. Failures
 * are ERR_SYSTEM "disk". */
#ifndef PIPELINE_SPOOL_DURABLE_H
#define PIPELINE_SPOOL_DURABLE_H

#include <dirent.h>

#include "pipeline/spool/spool.h"

/* Sets err to "WHAT NAME: " and the text of errno; keeps an earlier failure. */
void durable_fail(struct err *err, const char *what, const char *name);

/* fsync of a file or folder; a failure makes the spool unsure (S7). */
void durable_sync(struct spool *s, int fd, const char *name, struct err *err);

/* The next entry of a folder, NULL at the end. FAIL: it cannot be read. */
struct dirent *durable_next(DIR *d, const char *name, struct err *err);

/* A rename that never replaces (NOREPLACE): a plain rename between two links of
 * one inode does nothing and reports success. */
void durable_rename(int from, const char *old, int to, const char *new,
                    struct err *err);

/* The same; false and errno. Where the file system has no NOREPLACE (ZFS before
 * 2.2) it looks first: `to` must be a folder in which only the holder of its
 * lock, or of the lock on `old`, makes this name (S4). */
bool durable_rename_new(int from, const char *old, int to, const char *new);

/* The same for a file in a folder in which others may make the name at any time:
 * with a link instead of a look. */
bool durable_rename_shared(int at, const char *old, const char *new);
int durable_open_folder(int at, const char *name); /* -1 and errno */
/* The same for "a/b"; none of its folders may be a link. */
int durable_open_path(int at, const char *path);

/* The name of an entry in pending/. spool_pending_folder opens pending/, and
 * makes it if it is missing; -1 and errno. */
enum { SPOOL_PENDING_NAME = SPOOL_ID_SIZE + 16 };
void spool_pending_name(char name[static SPOOL_PENDING_NAME], const char *id,
                        enum spool_pending what);
int spool_pending_folder(struct spool *s);

/* Removes the files of a folder for which `match` is true. */
void durable_sweep(int folder_fd, bool (*match)(const char *name));

/* Makes a private, durable copy of `from`: a reflink if possible, else of the
 * bytes, within the spool's limits. *before: stat of `from`, which did not
 * change meanwhile. Returns a descriptor for reading. On failure -1, and
 * nothing is left: "too-large", "unreadable", "still-written", "no room" are
 * faults of this entry; "disk". */
int durable_copy(struct folder *f, const char *name, int from,
                 struct stat *before, struct err *err);

/* Are both of the same, unchanged file? */
bool durable_same(const struct stat *a, const struct stat *b);

/* A new file with its data fsynced; the folder is not. */
void durable_write_new(struct folder *f, const char *name, struct span text,
                       struct err *err);

/* The same with all bytes of an open file. */
void durable_write_copy(struct folder *f, const char *name, int from,
                        struct err *err);

/* Opens out/, or a folder below it, and makes it if it is missing; -1. */
int spool_out_open(struct spool *s, const char *path, struct err *err);

/* If in/ is another file system (docs/spool.md, "Another file system"), makes
 * the mark in it, once. */
extern const char spool_mount_mark_name[];
void spool_mount_mark(struct spool *s, struct err *err);
/* Opens in/ by path; -1 and errno, ENODEV if its mark is missing: it is not
 * mounted. */
int spool_mount_open(const struct spool *s);

#endif
