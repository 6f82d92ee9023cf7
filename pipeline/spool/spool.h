/* spool.h - the folders, and every way in which anything in them changes.
 *
 *   in/     what was dropped; names are not ours
 *   work/   one folder for each document that was taken: doc, name.json, ...
 *   done/   the same folder after one rename, with record.json
 *   failed/ the same folder after one rename, with reason.json
 *   out/    hard links to records, in the sub-folders of in/
 *
 * The place of a document's folder is its state; one rename is one commit.
 * Only the files pipeline/spool*.c rename, unlink, link or make folders here.
 * INVARIANTS  (README.md, "What is promised"; fsck checks S1 and S2)
 *   S1 a document is under exactly one name in the spool
 *   S2 a folder in done/ holds a complete record, in failed/ a complete reason
 *   S3 what is reported is durable: fsyncs F1..F7 come before the report
 *   S4 work/<id> is changed only by who holds its flock, after the inode was
 *      compared with what work/<id> names now
 *   S5 folders without doc are removed under the exclusive spool lock alone
 * ERRORS  ERR_SYSTEM "disk": the environment; no document is to blame.
 */
#ifndef PIPELINE_SPOOL_SPOOL_H
#define PIPELINE_SPOOL_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum spool_place {
    SPOOL_IN,
    SPOOL_WORK,
    SPOOL_DONE,
    SPOOL_FAILED,
    SPOOL_OUT,
    SPOOL_PLACES
};

enum { SPOOL_ID_SIZE = 40, SPOOL_JSON_MAX = 1 << 16 };

struct spool {
    char path[4096];
    int root, lock;
    int place[SPOOL_PLACES]; /* descriptors of the folders */
    bool reserve_spent;
};

/* A document's folder, locked. */
struct folder {
    struct spool *spool;
    char id[SPOOL_ID_SIZE];
    int fd; /* -1: none */
};

/* A file (or link) in in/ or one of its sub-folders. */
struct drop {
    const char *folder; /* "" or the sub-folder's name */
    const char *name;
    struct stat stat; /* of the name itself, links not followed */
};

struct drops {
    struct drop *drop; /* oldest first */
    size_t n_drop;
    size_t n_ignored; /* names that mean "not yet" or "not for us" */
};

const char *spool_place_name(enum spool_place place);

/* Opens the spool and takes its lock (shared). `make`: create what is missing.
 * FAIL: ERR_ARGS when it is not there, ERR_CONFIG for a remote or FUSE file
 * system (README.md, "Another file system"). */
void spool_open(struct spool *s, const char *path, bool make, struct err *err);
void spool_close(struct spool *s);

/* Does the path still lead to the folder that was opened? */
bool spool_is_there(const struct spool *s);

/* Removes claims that never got their document, and temporary files, when no
 * other platen uses the spool (S5); else does nothing and returns false. */
bool spool_tidy(struct spool *s, struct err *err);

/* Removes index.db, which is broken. */
void spool_drop_index(struct spool *s);

/* Bytes and inodes that are free there. */
bool spool_has_room(const struct spool *s, int64_t bytes);

/* What lies in in/. `report` (may be NULL) hears of things that are neither
 * files nor folders of files. FAIL: "disk". */
struct drops spool_scan(const struct spool *s, struct arena *arena,
                        void (*report)(void *arg, const char *folder,
                                       const char *name, const char *what),
                        void *arg, struct err *err);

/* The ids in a place, in order of time, NULL behind the last. Names that are
 * not ids are counted in *n_foreign (may be NULL). */
char **spool_list(const struct spool *s, enum spool_place place,
                  struct arena *arena, size_t *n_foreign, struct err *err);
bool spool_is_id(const char *name);
void spool_make_id(char id[static SPOOL_ID_SIZE]); /* time and 64 random bits */

/* Did the file change since drop->stat (which is brought up to date), or does
 * a program have it open for writing? (F_SETLEASE; no, where that cannot be
 * known.) */
bool spool_is_written(const struct spool *s, struct drop *drop);

/* Moves a dropped file into a new folder in work/ (README.md, "Taking a file"),
 * or copies it where it has other names or in/ is another file system.
 * False when it is gone, or was taken by somebody else, or on failure. */
bool spool_claim(struct spool *s, const struct drop *drop, struct folder *f,
                 struct err *err);

/* Ends a claim by copy that a crash cut off: removes the dropped name. */
void spool_release(struct folder *f, struct err *err);

/* Locks work/<id> without waiting. False when it is locked or gone. */
bool spool_lock(struct spool *s, const char *id, struct folder *f,
                struct err *err);
void spool_unlock(struct folder *f);

/* A folder for reading, not locked; -1 when it is not there. */
int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id);

/* Writes, fsyncs, renames, fsyncs the folder (F4, F5). */
void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err);
void spool_remove(struct folder *f, const char *name, struct err *err);

/* The commit: one rename (F6). The folder stays locked. */
void spool_commit(struct folder *f, enum spool_place to, struct err *err);

/* Links the folder's records into out/ and marks it as delivered (F7). A
 * record that is linked already is left. `formats`: enum record_format. */
void spool_deliver(struct spool *s, const char *id, const char *folder,
                   const char *name, unsigned formats, struct err *err);
bool spool_is_delivered(const struct spool *s, const char *id);

/* failed/<id> back to work/<id>, with a new series of attempts. */
void spool_retry(struct spool *s, const char *id, struct err *err);
/* The second half, under the lock: the old reason and attempts go. */
void spool_forget(struct folder *f, struct err *err);

/* A whole small file of a folder, NUL behind it; data NULL when absent, not
 * regular, unreadable or larger than `most`. */
struct span spool_read(int folder_fd, const char *name, size_t most,
                       struct arena *arena);
bool spool_exists(int folder_fd, const char *name);

#endif
