/* durable.h - the durable steps that pipeline/spool*.c share; for them
 * alone. A failure is ERR_SYSTEM "disk". */
#ifndef PIPELINE_SPOOL_DURABLE_H
#define PIPELINE_SPOOL_DURABLE_H

#include <dirent.h>

#include <cjson/cJSON.h>

#include "pipeline/spool/spool.h"

/* Fails with "WHAT NAME: " and what errno says, which must not have changed
 * since; keeps an earlier failure. */
void durable_fail(struct err *err, const char *what, const char *name);

/* fsync, of data or of a folder; when it fails the spool is unsure (S7). */
void durable_sync(struct spool *s, int fd, const char *name, struct err *err);

/* The next entry of a folder, NULL at the end; a folder that cannot be read to
 * its end is a failure. */
struct dirent *durable_next(DIR *d, const char *name, struct err *err);

/* Never replaces: plain rename between two links of one inode does nothing
 * and reports success. */
void durable_rename(int from, const char *old, int to, const char *new,
                    struct err *err);
int durable_open_folder(int at, const char *name); /* -1 and errno */

/* The name of a mark in pending/, and that folder, made where it is missing; -1
 * and errno. */
enum { SPOOL_PENDING_NAME = SPOOL_ID_SIZE + 16 };
void spool_pending_name(char name[static SPOOL_PENDING_NAME], const char *id,
                        enum spool_pending what);
int spool_pending_folder(struct spool *s);

/* Removes the files of a folder that `match` picks. */
void durable_sweep(int folder_fd, bool (*match)(const char *name));

/* A private, durable copy of `from`: a reflink where the file system can, else
 * bytes, within the spool's limits. `before` becomes the stat of `from`, which
 * did not change meanwhile. Returns it opened for reading; on failure -1, and
 * nothing is left: "too-large", "unreadable", "still-written", "no room", which
 * are of this entry, and "disk". */
int durable_copy(struct folder *f, const char *name, int from,
                 struct stat *before, struct err *err);

/* Nothing of the file changed between the two. */
bool durable_same(const struct stat *a, const struct stat *b);
bool durable_number_is(const cJSON *o, const char *key, long long value);

/* A new file with its data fsynced; the folder is not. */
void durable_write_new(struct folder *f, const char *name, struct span text,
                       struct err *err);

/* The same with the bytes of an open file, from its start. */
void durable_write_copy(struct folder *f, const char *name, int from,
                        struct err *err);

/* A regular file of a folder, to be read; -1 and errno. */
int durable_open_file(int folder_fd, const char *name);

/* in/ as another file system (docs/spool.md, "Another file system"): leaves a mark
 * in it, once. */
extern const char spool_mount_mark_name[];
void spool_mount_mark(struct spool *s, struct err *err);
/* in/, opened by path; -1 and errno, ENODEV when its mark is missing: it is
 * not mounted. */
int spool_mount_open(const struct spool *s);

#endif
