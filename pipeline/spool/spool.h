/* spool.h - the folders of a spool, and all operations that change them.
 *
 *   in/     dropped files; their names are chosen by others
 *   work/   one folder for each claimed document: doc, name.json, ...
 *   done/   the same folder after one rename, with record.json; for a stack
 *           with parts/, from which its documents move to work/
 *   failed/ the same folder after one rename, with reason.json
 *   out/    hard links to records, in the sub-folders of in/
 *   pending/ empty files <id>.deliver, <id>.release, <id>.hook, <id>.note:
 *           operations to be completed; folders <id>.prune: documents being deleted
 *
 * The place of a document's folder is its state; one rename is one commit.
 * Only files of pipeline/spool/ rename, unlink, link or make folders here.
 * INVARIANTS  (docs/spool.md, "Invariants"; fsck checks S1 and S2)
 *   S1 a document is under exactly one name in the spool
 *   S2 a folder in done/ holds a complete record, in failed/ a complete reason
 *   S3 what is reported is durable: fsyncs F1..F7 come before the report
 *   S4 work/<id> is changed only by the holder of its flock, after comparing
 *      the inode with that of the present work/<id>
 *   S5 folders without doc are removed only under the exclusive spool lock
 *   S6 an outcome is written only for bytes that no one else can change: doc is
 *      a private copy, or a lease proved that it is not open for writing
 *   S7 after a failed fsync the file is written again, never fsynced again
 * ERRORS  ERR_SYSTEM "disk": the environment; no document is at fault. After a
 * failed fsync `unsure` is set as well: only a new process may continue (S7).
 */
#ifndef PIPELINE_SPOOL_SPOOL_H
#define PIPELINE_SPOOL_SPOOL_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "pipeline/spool/file_name.h"
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
/* Of "NAME/a/b"; a retry can give it a longer NAME. */
enum { SPOOL_PATH_SIZE = FILE_NAME_PATH_MAX + FILE_NAME_BYTES_MAX + 2 };

/* Files of work/<id> that survive a crash and are removed by the commit: the
 * rows of a long document read so far; its progress (page_progress.h); a mark:
 * handed over to a fleet (pipeline/fleet). */
#define SPOOL_ROWS  "rows"
#define SPOOL_PACE  "pace"
#define SPOOL_FLEET "fleet"

/* A PDF without its encryption, made with a password that is not kept: it is read in
 * place of doc, which stays as it came (spool_api.c). */
#define SPOOL_UNLOCKED "unlocked.pdf"

/* The words of a document by line, if examples are on: once it is reviewed, it is
 * an example for later ones (spool_examples.h). */
#define SPOOL_WORDS "words.txt"

/* A mark made by a commit: its hook is due; removed when the hook's program has
 * exited with 0 (supervisor/hooks.h). */
#define SPOOL_HOOK_FILE "hook"

/* A mark: out/ has a note that the document failed (failure_note.h). */
#define SPOOL_NOTED "noted"

/* Limits for copies; 0: none. */
struct spool_limits {
    int64_t doc_bytes;  /* the largest document */
    int64_t free_bytes; /* space that a copy must leave free */
};

struct folder;

struct spool {
    char path[4096];
    int root, lock, pending;
    int place
        [SPOOL_PLACES]; /* descriptors; in/ and out/ are opened each time */
    struct spool_limits limits;
    bool notes; /* failures are written to out/, too (failure_note.h) */
    bool hook[SPOOL_PLACES]; /* commits to this place leave SPOOL_HOOK_FILE */
    pid_t supervisor;   /* records how attempts of this process end; 0: none */
    const char *ignore; /* patterns of further names that are ignored (ignore),
                         * or NULL */
    bool flat;          /* folders of in/NAME/ are not read (recursive = no) */
    bool reserve_spent;
    bool unsure; /* an fsync failed in this process */
    /* Writes corrected.json (and corrected.xml, depending on `formats`) into a
     * locked folder of done/ that has corrections; NULL: not available. */
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

/* A file (or link) in in/ or a folder below it. */
struct drop {
    const char *folder; /* "" or the name of the folder in in/: the schema */
    const char *path;   /* where the file is: the folder, or "FOLDER/a/b" */
    const char *name;
    struct stat stat; /* of the name itself, links not followed */
};

enum { DROPS_IGNORED = 100 };

struct drops {
    struct drop *drop; /* oldest first */
    size_t n_drop;
    size_t n_ignored;      /* names that are ignored (file_name_ignored), and
                            * what is neither a file nor a folder */
    const char **ignored;  /* the first DROPS_IGNORED of them, escaped */
    size_t n_nested;       /* files in folders that are not read: all folders of
                            * in/NAME/ if `flat`, else those whose path or name
                            * is too long (FILE_NAME_PATH_MAX) */
    const char **unlisted; /* folders that could not be listed completely:
                            * "NAME: why", escaped */
    size_t n_unlisted;
};

/* The folder's name inside the spool ("work"); static text. */
const char *spool_place_name(enum spool_place place);

/* Opens the spool and takes its lock (shared). `make`: creates it, or missing
 * folders. FAIL: ERR_ARGS if it does not exist or is no spool, ERR_CONFIG for a
 * remote or FUSE file system (docs/spool.md, "Another file system"). */
void spool_open(struct spool *s, const char *path, bool make, struct err *err);

/* The same for processing: a spool must exist, so that a mistyped path creates
 * none, but folders missing in it are created. */
void spool_open_existing(struct spool *s, const char *path, struct err *err);
void spool_close(struct spool *s);

/* Makes in/NAME/ for each of the names, up to a NULL. FAIL: "disk". */
void spool_make_folders(struct spool *s, const char *const *name,
                        struct err *err);

/* Is the opened folder still at its path? */
bool spool_is_there(const struct spool *s);

/* work/, done/, failed/ and pending/ are kept open. An operator may move one
 * away or remove it (mv done archive; mkdir done) while platen runs.
 * spool_moved_away: the name of the first one that is no longer under its name,
 * or NULL. spool_follow opens such a place again, made if it is missing, and
 * returns whether it had to; spool_follow_all does so for all four. FAIL:
 * "disk"; the old folder stays open then. */
const char *spool_moved_away(const struct spool *s);
bool spool_follow(struct spool *s, enum spool_place p, struct err *err);
bool spool_follow_all(struct spool *s, struct err *err);

/* Call once at the start, for what a crash, power cut or kill -9 left behind
 * (spool_crash_cleanup.c): finds copies that are still to be released, and, if
 * no other platen uses the spool (S5), removes claims without a document and
 * temporary files. False: another platen uses it. */
bool spool_clean_up(struct spool *s, struct err *err);

/* Are so many bytes, and some inodes, free? */
bool spool_has_space(const struct spool *s, int64_t bytes);

/* Checks that work/ can be written and in/ opened, and that free_bytes are
 * free. Writes and fsyncs a file without a name. FAIL: "disk". */
void spool_probe(const struct spool *s, int64_t free_bytes, struct err *err);

/* Tries in a folder of its own, which it removes, what a spool needs of its file
 * system: writing, fsync, links, renames, locks. Appends what is missing and the
 * remedy; a line that begins with "! " is a problem. Returns false for one. */
bool spool_probe_needs(const struct spool *s, struct buf *out);

/* Lists in/ and the folders below it. `report` (can be NULL) is called for
 * things that are neither files nor folders of files, and for folders with
 * files that are not read, with a text such as "is a FIFO and is not read";
 * `folder` is a path. Folders that cannot be listed are in `unlisted`; the
 * others are listed. FAIL: "disk". */
struct drops spool_scan(const struct spool *s, struct arena *arena,
                        void (*report)(void *arg, const char *folder,
                                       const char *name, const char *what),
                        void *arg, struct err *err);

/* The ids in a place, in order of time; NULL ends the list. Names that are not
 * ids are counted in *n_foreign (can be NULL). */
char **spool_list(const struct spool *s, enum spool_place place,
                  struct arena *arena, size_t *n_foreign, struct err *err);
/* The entry of `id` in such a list of n, or NULL. */
char **spool_find(char **list, size_t n, const char *id);
bool spool_is_id(const char *name);
void spool_make_id(char id[static SPOOL_ID_SIZE]); /* time and 32 random bits */

/* Opens a dropped file for reading; -1: it is gone, or cannot be opened. Never follows a
 * link, never waits for a FIFO. */
int spool_open_drop(const struct spool *s, const struct drop *drop);

/* Moves a dropped file into a new folder of work/ (docs/spool.md, "Taking a
 * file"), or copies it if it has other names or in/ is another file system; a
 * link is copied as a link. False: it is gone or was claimed by another
 * process; or FAIL: "disk" for the spool, another reason for a fault of this
 * entry only (spool_is_of_entry). A failed claim leaves nothing behind. */
bool spool_claim(struct spool *s, const struct drop *drop, struct folder *f,
                 struct err *err);
bool spool_is_of_entry(const struct err *err);

/* Makes a locked, empty folder of work/ for a document that has an id already;
 * write `doc` last. FAIL: "disk", also if it exists. */
void spool_admit(struct spool *s, const char *id, struct folder *f,
                 struct err *err);

/* Completes a claim by copy that a crash interrupted: removes the dropped
 * name. */
void spool_release(struct folder *f, struct err *err);

/* --- sealing: the bytes become private (S6) --- */

struct spool_seal {
    struct folder *folder;
    int fd;       /* the bytes to be read, read only; -1: none */
    int unlocked; /* of SPOOL_UNLOCKED, or 0 */
    int dropped;  /* the dropped inode, if fd is a copy of it; else -1 */
    bool leased;  /* fd is the dropped inode, and a lease prevents writing */
    bool shared;  /* shared by a stack and its parts; sealed before the split */
    struct stat before; /* of the dropped inode, or of fd */
};

/* Opens the bytes to be read: doc itself if it is private or a lease proves
 * that it is not open for writing, else a private copy (doc.tmp; a reflink if
 * possible). A doc above the size limit is not copied: it will be refused
 * unread. Removes set-user-id bits. FAIL: "not-regular", "unreadable";
 * "still-written" if it changed while it was copied; "disk". */
void spool_seal_begin(struct folder *f, struct spool_seal *seal,
                      struct err *err);

/* Checks that the dropped bytes have not changed since they were opened, and
 * have this SHA-256 ("": not checked). FAIL: "still-written", "disk". */
void spool_seal_check(struct spool_seal *seal, const char *sha256,
                      struct err *err);

/* Makes doc hold these bytes, durably. FAIL: as above. */
void spool_seal_end(struct spool_seal *seal, struct err *err);

/* Closes, and removes a copy that did not become doc. */
void spool_seal_drop(struct spool_seal *seal);

/* All of these steps, before committing an outcome of an earlier process. A doc
 * that cannot be opened or is not a regular file is left unchanged. */
void spool_seal_found(struct folder *f, struct err *err);

/* Locks a folder without waiting. False: it is locked or gone. */
bool spool_lock(struct spool *s, enum spool_place place, const char *id,
                struct folder *f, struct err *err);
void spool_unlock(struct folder *f);

/* Is the folder locked by a running platen? */
bool spool_is_held(int folder_fd);

/* Opens a folder for reading, without a lock; -1: it does not exist. */
int spool_folder_fd(const struct spool *s, enum spool_place place,
                    const char *id);

/* Writes a file: write, fsync, rename, fsync of the folder (F4, F5). */
void spool_write(struct folder *f, const char *name, struct span text,
                 struct err *err);

/* The same for a long text, written piece by piece: `print` adds it to `out`,
 * which is full above `most` bytes. `print` is called again if the disk was
 * full and releasing the reserve freed space; with `once`, for a text that can
 * be printed only once, the next attempt can use it. A failure leaves nothing
 * behind. FAIL: "disk". */
void spool_write_long(struct folder *f, const char *name, size_t most,
                      bool once,
                      void (*print)(void *arg, struct buf *out,
                                    struct err *err),
                      void *arg, struct err *err);

/* The two halves of spool_write_long: NAME.tmp, durable; then its rename to NAME,
 * made durable. A commit removes what is called .tmp. */
void spool_write_tmp(struct folder *f, const char *name, size_t most, bool once,
                     void (*print)(void *arg, struct buf *out, struct err *err),
                     void *arg, struct err *err);
void spool_keep_tmp(struct folder *f, const char *name, struct err *err);
void spool_remove(struct folder *f, const char *name, struct err *err);

/* Makes an empty file, durably. */
void spool_mark(struct folder *f, const char *name, struct err *err);

/* Marks that a hook is due, if this process has one for `place`. FAIL:
 * "disk". */
void spool_mark_hook(struct folder *f, enum spool_place place, struct err *err);

/* Writes an existing file again: after a crash or a failed fsync it may be in
 * memory only (S7). Does nothing if it does not exist. */
void spool_write_again(struct folder *f, const char *name, struct err *err);

/* The commit: one rename (F6). Before it, temporary files are removed and, for
 * done/, the entry in pending/ is made. The folder stays locked. */
void spool_commit(struct folder *f, enum spool_place to, struct err *err);

/* Links the records of a locked folder of done/ into out/PATH/, or moves a
 * stack's parts to work/ (spool_part.h); marks it as delivered (F7), and removes
 * the entry in pending/. `path`: of struct drop. out/ is opened by its path each
 * time. A record that is linked already stays; if the name belongs to another
 * one, the id is added to it. `formats`: of enum record_format. */
void spool_deliver(struct folder *f, const char *path, const char *name,
                   unsigned formats, struct err *err);
bool spool_is_delivered(const struct spool *s, const char *id);

/* spool_is_corrected: does the record have corrections? spool_put_corrected
 * replaces the document's record in `out` (a folder of out/) by the corrected
 * one, by an exchange, or under a free name if it was collected. FAIL: "disk";
 * as the spool's `correct`. */
bool spool_is_corrected(const struct folder *f);
void spool_put_corrected(struct folder *f, int out, const char *stem,
                         unsigned formats, struct err *err);

/* Moves a folder of failed/ to done/, with a record entered by a person;
 * reason.json stays. */
void spool_adopt(struct folder *f, struct err *err);

/* pending/: operations to be completed, also after a crash. The folders are
 * authoritative; the entries are made again from them at each start. Adding
 * FAILs with "disk". SPOOL_PRUNE is a folder being deleted (spool_prune.h). */
enum spool_pending {
    SPOOL_DELIVER,
    SPOOL_RELEASE,
    SPOOL_PRUNE,
    SPOOL_HOOK,
    SPOOL_NOTE
};
void spool_pending_add(struct spool *s, const char *id, enum spool_pending what,
                       struct err *err);
void spool_pending_remove(struct spool *s, const char *id,
                          enum spool_pending what);
/* The ids in order of time; NULL ends the list. */
char **spool_pending_list(const struct spool *s, enum spool_pending what,
                          struct arena *arena, struct err *err);

/* Moves failed/<id> back to work/<id>, with a new series of attempts, for each
 * id up to a NULL. Returns how many were moved, durably, before the first
 * failure. FAIL: ERR_ARGS for one that is not in failed/, "disk". */
size_t spool_retry(struct spool *s, char **id, struct err *err);
/* Before a retry: sets the schema of failed/<id>, as if it had been dropped
 * into in/FOLDER/. FAIL: ERR_ARGS if it is not in failed/ or is in use,
 * "disk". */
void spool_set_folder(struct spool *s, const char *id, const char *folder,
                      struct err *err);

/* The same for the clockwise quarter turns after which its pages are upright. */
void spool_set_turns(struct spool *s, const char *id, int turns,
                     struct err *err);

/* Sets or removes the mark SPOOL_DISMISSED of failed/<id>: it is no longer
 * listed. A retry removes it, too. FAIL: as above. */
#define SPOOL_DISMISSED "dismissed"
void spool_dismiss(struct spool *s, const char *id, bool dismissed,
                   struct err *err);
bool spool_is_dismissed(const struct spool *s, const char *id);

/* The second half of a retry, under the lock: removes the old reason and
 * attempts. */
void spool_forget(struct folder *f, struct err *err);

/* Reads a small file of a folder, NUL-terminated; data is NULL if it is absent,
 * not regular, unreadable or larger than `most`. */
struct span spool_read(int folder_fd, const char *name, size_t most,
                       struct arena *arena);

/* Reads a JSON file of the folder; NULL if it is absent or damaged. Owned by
 * the caller. */
cJSON *spool_read_json(int folder_fd, const char *name, size_t most);
/* Opens a regular file of a folder for reading; -1 and errno. */
int spool_open_file(int folder_fd, const char *name);
bool spool_exists(int folder_fd, const char *name);
/* The same for a file of the document's folder in `place`. */
bool spool_has_file(const struct spool *s, enum spool_place place,
                    const char *id, const char *name);

/* Is it the temporary name of a file that is being written? */
bool spool_is_temporary(const char *name);

#endif
