/* spool_door.h - the durable steps that pipeline/spool*.c share; for them
 * alone. A failure is ERR_SYSTEM "disk". */
#ifndef PIPELINE_SPOOL_SPOOL_DOOR_H
#define PIPELINE_SPOOL_SPOOL_DOOR_H

#include "pipeline/spool/spool.h"

void spool_door_fail(struct err *err, const char *what, const char *name);
void spool_door_sync(int fd, const char *name, struct err *err);

/* Never replaces: plain rename between two links of one inode does nothing
 * and reports success. */
void spool_door_rename(int from, const char *old, int to, const char *new,
                       struct err *err);
int spool_door_open_folder(int at, const char *name); /* -1 and errno */

/* A new file with its data fsynced; the folder is not. */
void spool_door_write_new(struct folder *f, const char *name, struct span text,
                          struct err *err);

/* in/ as another file system (README.md, "Another file system"): leaves a mark
 * in it, once. */
extern const char spool_mount_mark_name[];
void spool_mount_mark(const struct spool *s, struct err *err);
/* in/, opened by path; -1 and errno, ENODEV when its mark is missing: it is
 * not mounted. */
int spool_mount_open(const struct spool *s);

#endif
