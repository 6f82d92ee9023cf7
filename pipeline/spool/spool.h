/* spool.h - the folders, and every way in which anything in them changes.
 *
 *   in/     what was dropped; names are not ours
 *   work/   one folder for each document that was taken: doc, name.json, ...
 *   done/   the same folder after one rename, with record.json; of a stack
 *           with parts/, out of which its documents move to work/
 *   failed/ the same folder after one rename, with reason.json
 *   out/    hard links to records, in the sub-folders of in/
 *   pending/ empty files <id>.deliver, <id>.release, <id>.hook: what is begun
 *           elsewhere; folders <id>.prune: what is on its way out
 *
 * The place of a document's folder is its state; one rename is one commit.
 * Only the files pipeline/spool*.c rename, unlink, link or make folders here.
 * INVARIANTS  (docs/spool.md, "Invariants"; fsck checks S1 and S2)
 *   S1 a document is under exactly one name in the spool
 *   S2 a folder in done/ holds a complete record, in failed/ a complete reason
 *   S3 what is reported is durable: fsyncs F1..F7 come before the report
 *   S4 work/<id> is changed only by who holds its flock, after the inode was
 *      compared with what work/<id> names now
 *   S5 folders without doc are removed under the exclusive spool lock alone
 *   S6 an outcome is written for bytes that nobody else can change: doc is a
 *      private copy, or a lease proved that nobody has it open for writing
 *   S7 after a failed fsync the file is written anew, never fsynced again
 * ERRORS  ERR_SYSTEM "disk": the environment; no document is to blame. After a
 * failed fsync `unsure` is set besides: only a fresh process may go on (S7).
 */
#ifndef PIPELINE_SPOOL_SPOOL_H
#define PIPELINE_SPOOL_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
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

/* What was read of a long document so far, in work/ alone: outlives a crash,
 * goes at the commit. */
#define SPOOL_ROWS "rows"

/* How far the document at hand is (page_progress.h), likewise. */
#define SPOOL_PACE "pace"

/* It was handed to a fleet (pipeline/fleet), likewise. */
#define SPOOL_FLEET "fleet"

/* A hook is due for what was committed: a mark that came with its folder, and
 * goes once the hook's program has ended well (work/hooks.h). */
#define SPOOL_HOOK_FILE "hook"

/* For what is copied; 0: no limit. */
struct spool_limits {
    int64_t doc_bytes;  /* the largest document */
    int64_t free_bytes; /* room that a copy must leave */
};

struct folder;

struct spool {
    char path[4096];
    int root, lock, pending;
    int place[SPOOL_PLACES]; /* descriptors; in/ and out/ are opened anew */
    struct spool_limits limits;
    bool hook[SPOOL_PLACES]; /* what is committed there gets SPOOL_HOOK_FILE */
    pid_t supervisor; /* who files how our attempts end; 0: nobody else */
    bool reserve_spent;
    bool unsure; /* an fsync failed in this process */
    /* Writes corrected.json (and corrected.xml, by `formats`) into a locked
     * folder of done/ that has corrections; NULL: nobody here can. */
    void (*correct)(void *arg, struct folder *f, unsigned formats,
                    struct err *err);
    void *correct_arg;
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

enum { DROPS_IGNORED = 100 };

struct drops {
    struct drop *drop; /* oldest first */
    size_t n_drop;
    size_t n_ignored;      /* names that mean "not yet" or "not for us" */
    const char **ignored;  /* the first DROPS_IGNORED of them, escaped */
    size_t n_nested;       /* files in folders of in/NAME/: not read */
    const char **unlisted; /* folders that could not be read to their end:
                            * "NAME: why", escaped */
    size_t n_unlisted;
};

/* The folder's name inside the spool ("work"); static text. */
const char *spool_place_name(enum spool_place place);

/* Opens the spool and takes its lock (shared). `make`: create what is missing.
 * FAIL: ERR_ARGS when it is not there, ERR_CONFIG for a remote or FUSE file
 * system (docs/spool.md, "Another file system"). */
void spool_open(struct spool *s, const char *path, bool make, struct err *err);
void spool_close(struct spool *s);

/* Makes in/NAME/ for each of the names, up to a NULL. FAIL: "disk". */
void spool_make_folders(struct spool *s, const char *const *name,
                        struct err *err);

/* Does the path still lead to the folder that was opened? */
bool spool_is_there(const struct spool *s);

/* work/, done/, failed/ and pending/ are kept open. An operator may move one away
 * or remove it (mv done archive; mkdir done) while platen runs.
 * spool_moved_away: the name of the first one that is no longer under its name,
 * or NULL. spool_follow opens such a place again, made if it is missing, and
 * returns whether it had to; spool_follow_all does so for all four. FAIL: "disk";
 * the old folder stays open then. */
const char *spool_moved_away(const struct spool *s);
bool spool_follow(struct spool *s, enum spool_place p, struct err *err);
bool spool_follow_all(struct spool *s, struct err *err);

/* Once at the start: finds the copies that are still to be released, and, when
 * no other platen uses the spool (S5), removes claims that never got their
 * document, and temporary files. False when another one does. */
bool spool_tidy(struct spool *s, struct err *err);

/* Removes index.db, which is broken. */
void spool_drop_index(struct spool *s);

/* Bytes and inodes that are free there. */
bool spool_has_space(const struct spool *s, int64_t bytes);

/* Can work/ be written and in/ be reached, with free_bytes to spare? Writes
 * and fsyncs a file without a name. FAIL: "disk". */
void spool_probe(const struct spool *s, int64_t free_bytes, struct err *err);

/* What lies in in/. `report` (may be NULL) hears of things that are neither
 * files nor folders of files, and of nested folders with files, as "is a FIFO and
 * is not read". A sub-folder that cannot be listed is one of
 * `unlisted`, and the others are listed all the same. FAIL: "disk". */
struct drops spool_scan(const struct spool *s, struct arena *arena,
                        void (*report)(void *arg, const char *folder,
                                       const char *name, const char *what),
                        void *arg, struct err *err);

/* The ids in a place, in order of time, NULL behind the last. Names that are
 * not ids are counted in *n_foreign (may be NULL). */
char **spool_list(const struct spool *s, enum spool_place place,
                  struct arena *arena, size_t *n_foreign, struct err *err);
/* Where `id` stands among the n of such a list, or NULL. */
char **spool_find(char **list, size_t n, const char *id);
bool spool_is_id(const char *name);
void spool_make_id(char id[static SPOOL_ID_SIZE]); /* time and 32 random bits */

/* Did the file change since drop->stat (which is brought up to date), or does
 * a program have it open for writing? (F_SETLEASE; no, where that cannot be
 * known.) */
bool spool_is_written(const struct spool *s, struct drop *drop);

/* Moves a dropped file into a new folder in work/ (docs/spool.md, "Taking a file"),
 * or copies it where it has other names or in/ is another file system; a link
 * is copied as a link. False when it is gone, or was taken by somebody else, or
 * on failure: "disk" for the spool, another reason for what this entry alone is
 * to blame (spool_is_of_entry). A claim that fails leaves nothing behind. */
bool spool_claim(struct spool *s, const struct drop *drop, struct folder *f,
                 struct err *err);
bool spool_is_of_entry(const struct err *err);

/* A folder of work/ for a document that comes from elsewhere under its own id,
 * locked and empty: `doc` is written last. FAIL: "disk", also when it is there. */
void spool_admit(struct spool *s, const char *id, struct folder *f,
                 struct err *err);

/* Ends a claim by copy that a crash cut off: removes the dropped name. */
void spool_release(struct folder *f, struct err *err);

/* --- the bytes become ours (S6) --- */

struct spool_seal {
    struct folder *folder;
    int fd;      /* the bytes to be read, read only; -1: none */
    int dropped; /* the dropped inode, where fd is a copy of it; else -1 */
    bool leased; /* fd is the dropped inode, and nobody may write to it */
    bool shared; /* of a stack and its parts; sealed before they were made */
    struct stat before; /* of the dropped inode, or of fd */
};

/* Opens what is to be read: doc itself where it is private or a lease proves
 * that nobody has it open for writing, else a private copy (doc.tmp; a reflink
 * where the file system can). A doc beyond the limit of bytes is opened as it
 * is: it will be refused unread. Set-user-id bits go. FAIL: "not-regular",
 * "unreadable"; "still-written" when it changed while it was copied; "disk". */
void spool_seal_begin(struct folder *f, struct spool_seal *seal,
                      struct err *err);

/* Are the dropped bytes still those that were opened, and those of `sha256`
 * ("": not asked)? FAIL: "still-written", "disk". */
void spool_seal_check(struct spool_seal *seal, const char *sha256,
                      struct err *err);

/* From here on doc holds these bytes, durably. FAIL: as above. */
void spool_seal_end(struct spool_seal *seal, struct err *err);

/* Closes, and removes a copy that did not become doc. */
void spool_seal_drop(struct spool_seal *seal);

/* All of it at once, before an outcome that was found is committed. A doc that
 * cannot be opened or is no regular file is left as it is. */
void spool_seal_found(struct folder *f, struct err *err);

/* Locks work/<id> without waiting. False when it is locked or gone. */
bool spool_lock(struct spool *s, const char *id, struct folder *f,
                struct err *err);
void spool_unlock(struct folder *f);

/* Does a live platen hold the folder at this moment? */
bool spool_is_held(int folder_fd);

/* A folder for reading, not locked; -1 when it is not there. */
int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id);

/* Writes, fsyncs, renames, fsyncs the folder (F4, F5). */
void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err);

/* The same for a text that is written as it comes: `print` adds it to `out`,
 * which passes it on and is full beyond `most` bytes. It is asked once more
 * where the disk was full and the reserve made room. What fails there leaves
 * nothing behind. */
void spool_write_long(struct folder *f, const char *name, size_t most,
                      void (*print)(void *arg, struct buf *out,
                                    struct err *err),
                      void *arg, struct err *err);
void spool_remove(struct folder *f, const char *name, struct err *err);

/* Makes an empty file whose name says it all; durable at once. */
void spool_mark(struct folder *f, const char *name, struct err *err);

/* Marks the folder as owing a hook, where this process has one for what lies in
 * `place`. FAIL: "disk". */
void spool_mark_hook(struct folder *f, enum spool_place place, struct err *err);

/* Writes a file that is there once more: what a crash or a failed fsync left
 * may be in memory alone (S7). Nothing where there is none. */
void spool_write_again(struct folder *f, const char *name, struct err *err);

/* The commit: one rename (F6). What is temporary goes before it; done/ gets
 * its mark in pending/ before it. The folder stays locked. */
void spool_commit(struct folder *f, enum spool_place to, struct err *err);

/* Links the records of a locked folder in done/ into out/, or lets a stack's
 * parts go to work/ (spool_part.h), marks it as
 * delivered (F7), and removes the mark in pending/. out/ is opened by its path
 * each time. A record that is linked already is left; where the name is
 * another's the id is put into it. `formats`: enum record_format. */
void spool_deliver(struct folder *f, const char *folder, const char *name,
                   unsigned formats, struct err *err);
bool spool_is_delivered(const struct spool *s, const char *id);

/* Did a person correct the record? Then spool_deliver puts the corrected one into
 * the place of the document's own record in `out` (a folder of out/), by an
 * exchange, or under a free name where that was collected. FAIL: "disk"; as
 * spool's `correct`. */
bool spool_is_corrected(const struct folder *f);
void spool_put_corrected(struct folder *f, int out, const char *stem,
                         unsigned formats, struct err *err);

/* Locks failed/<id> without waiting, as spool_lock does work/<id>; and moves it,
 * to which a person has given a record, to done/. Its reason stays beside it. */
bool spool_lock_failed(struct spool *s, const char *id, struct folder *f,
                       struct err *err);
void spool_adopt(struct folder *f, struct err *err);

/* Locks done/<id> without waiting, as spool_lock does work/<id>. */
bool spool_lock_done(struct spool *s, const char *id, struct folder *f,
                     struct err *err);

/* pending/: a hint that survives the process; the folders hold the truth, from
 * which the hints are made again at each start. Adding FAILs with "disk".
 * SPOOL_PRUNE is a folder on its way out (spool_prune.h). */
enum spool_pending { SPOOL_DELIVER, SPOOL_RELEASE, SPOOL_PRUNE, SPOOL_HOOK };
void spool_pending_add(struct spool *s, const char *id, enum spool_pending what,
                       struct err *err);
void spool_pending_remove(struct spool *s, const char *id,
                          enum spool_pending what);
/* Ids in order of time, NULL behind the last. */
char **spool_pending_list(const struct spool *s, enum spool_pending what,
                          struct arena *arena, struct err *err);

/* failed/<id> back to work/<id>, with a new series of attempts, for each id up
 * to a NULL. Returns how many were moved, durably: those before the first that
 * could not be. FAIL: ERR_ARGS for one that is not in failed/, "disk". */
size_t spool_retry(struct spool *s, char **id, struct err *err);
/* The schema by which failed/<id> will be read, as if it had been dropped into
 * in/FOLDER/: before a retry. FAIL: ERR_ARGS where it is not in failed/ or is in use,
 * "disk". */
void spool_set_folder(struct spool *s, const char *id, const char *folder,
                      struct err *err);

/* A person has seen that failed/<id> failed and wants to hear no more of it: it stays
 * there with the mark SPOOL_DISMISSED, which goes with `dismissed` false and with a
 * retry. FAIL: as above. */
#define SPOOL_DISMISSED "dismissed"
void spool_dismiss(struct spool *s, const char *id, bool dismissed,
                   struct err *err);
bool spool_is_dismissed(const struct spool *s, const char *id);

/* The second half, under the lock: the old reason and attempts go. */
void spool_forget(struct folder *f, struct err *err);

/* A whole small file of a folder, NUL behind it; data NULL when absent, not
 * regular, unreadable or larger than `most`. */
struct span spool_read(int folder_fd, const char *name, size_t most,
                       struct arena *arena);
bool spool_exists(int folder_fd, const char *name);

/* A file of a folder that is being written, and not yet under its name. */
bool spool_is_temporary(const char *name);

#endif
