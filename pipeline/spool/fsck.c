/* fsck.c - see fsck.h: invariants S1 and S2 of spool.h, promises G1 and G2 of
 * docs/spool.md, one function each. */
#include "pipeline/spool/fsck.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_part.h"
#include "pipeline/spool/spool_prune.h"
#include "stages/record/correct.h"
#include "stages/record/record_format.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { FSCK_STACK_TEXT = 256 };

/* --- fsck stack ------------------------------------------------------------ */

/* Checks that a stack and its parts refer to each other. */

/* Looks in the order in which a part moves, twice, so that a moving part is not
 * missed. */
static bool part_exists(const struct spool *s, int stack_fd, const char *id)
{
    static const enum spool_place way[] = {SPOOL_WORK, SPOOL_DONE,
                                           SPOOL_FAILED};
    char staged[SPOOL_ID_SIZE + 8];
    snprintf(staged, sizeof staged, "parts/%.39s", id);
    for (int round = 0; round < 2; round++) {
        if (spool_exists(stack_fd, staged)) return true;
        for (size_t i = 0; i < sizeof way / sizeof way[0]; i++)
            if (spool_exists(s->place[way[i]], id)) return true;
    }
    return false;
}

static const char *list_fault(const struct spool *s, const char *id, int fd,
                              const cJSON *parts, char *text)
{
    const cJSON *part = NULL;
    bool delivered = spool_exists(fd, "delivered");
    bool pruning = spool_exists(fd, SPOOL_PRUNING);
    int n = 0;
    cJSON_ArrayForEach(part, parts)
    {
        char wanted[SPOOL_ID_SIZE], staged[SPOOL_ID_SIZE + 8];
        spool_part_id(id, ++n, wanted);
        snprintf(staged, sizeof staged, "parts/%.39s", wanted);
        const char *pages = json_get_text_or_empty(part, "pages");
        if (strcmp(json_get_text_or_empty(part, "id"), wanted) != 0)
            snprintf(text, FSCK_STACK_TEXT, "its part %d has the wrong id", n);
        else if (delivered && spool_exists(fd, staged))
            snprintf(text, FSCK_STACK_TEXT,
                     "its part %.39s was never moved to work/", wanted);
        else if (!pruning && !part_exists(s, fd, wanted))
            snprintf(text, FSCK_STACK_TEXT,
                     "its part %.39s (pages %.60s) is missing", wanted, pages);
        else
            continue;
        return text;
    }
    return NULL;
}

static const char *stack_fault(const struct spool *s, const char *id, int fd,
                               const cJSON *record, char *text)
{
    const cJSON *parts = json_get(record, "parts");
    if (spool_part_is_stack(fd) != cJSON_IsArray(parts))
        return "parts/ and record.json disagree whether it is a stack";
    return parts ? list_fault(s, id, fd, parts, text) : NULL;
}

/* The entry of a stack's record for its part `number`, or NULL. */
static const cJSON *part_entry(const cJSON *record, int number)
{
    return number > 0
               ? cJSON_GetArrayItem(json_get(record, "parts"), number - 1)
               : NULL;
}

static const char *relation_fault(const cJSON *record,
                                  const struct spool_part *part, const char *id)
{
    const cJSON *entry = part_entry(record, part->number);
    const char *hex = json_get_text(entry, "sha256"); /* of an attachment */
    if (!hex)
        hex = json_get_text_or_empty(json_get(record, "source"), "sha256");
    if (!record) return "its stack is missing from done/";
    if (!entry || strcmp(json_get_text_or_empty(entry, "id"), id) != 0)
        return "its stack does not list it";
    if (strcmp(json_get_text_or_empty(entry, "pages"), part->pages) != 0)
        return "its stack lists other pages for it";
    if (strcmp(hex, part->sha256) != 0) return "its stack has another SHA-256";
    return NULL;
}

/* hex: the SHA-256 of the part's doc; "": not compared. */
static const char *part_fault(const struct spool *s, const char *id,
                              const char *hex, size_t most,
                              const struct spool_part *part, char *text)
{
    int stack = spool_is_id(part->stack)
                    ? spool_folder_fd(s, SPOOL_DONE, part->stack)
                    : -1;
    cJSON *record =
        stack >= 0 ? spool_read_json(stack, "record.json", most) : NULL;
    const char *fault = relation_fault(record, part, id);
    cJSON_Delete(record);
    if (stack >= 0) close(stack);
    if (!fault && *hex && strcmp(hex, part->sha256) != 0)
        fault = "its bytes are not those of its stack (SHA-256)";
    if (fault)
        snprintf(text, FSCK_STACK_TEXT, "%s: %s",
                 spool_is_id(part->stack) ? part->stack : "part.json", fault);
    return fault ? text : NULL;
}

/* --- fsck ------------------------------------------------------------------ */

struct seen { /* the place of a document's inode */
    dev_t dev;
    ino_t ino;
    char where[SPOOL_ID_SIZE + 16];
    char stack[SPOOL_ID_SIZE]; /* id of the stack that has these bytes, or "" */
};

/* A possible fault. It is reported if a second check finds it again, since a
 * running platen moves documents between the checks of two folders. */
struct suspicion {
    const char *line, *id;
    bool unread; /* a folder that cannot be read */
};

struct check {
    const struct spool *s;
    size_t most;
    bool quick;         /* doc is not read */
    const char *doc_of; /* the document whose SHA-256 is `doc`, or NULL */
    struct hash doc;
    struct fsck_result result;
    void (*say)(void *arg, bool fault, const char *line);
    void *arg;
    struct seen *seen;
    size_t n_seen;
    struct suspicion *suspicion;
    size_t n_suspicion;
    const struct check *first; /* in the second check: the first; else NULL */
    struct arena *arena;
    struct err *err;
};

static void suspect(struct check *c, const char *id, const char *line,
                    bool unread)
{
    *MEM_ADD(c->suspicion, c->n_suspicion) =
        (struct suspicion){arena_copy(c->arena, span_of(line)),
                           arena_copy(c->arena, span_of(id)), unread};
}

static void say_as(struct check *c, bool fault, const char *where,
                   const char *id, const char *what, bool unread)
{
    struct buf line = buf_limit(8192);
    buf_print(&line, "%s/", where);
    file_name_escape(id, &line);
    buf_print(&line, ": %s", what);
    if (fault) {
        suspect(c, id, buf_span(&line).data, unread);
    } else if (!c->first) {
        c->say(c->arg, false, buf_span(&line).data);
        c->result.n_foreign++;
    }
    buf_free(&line);
}

static void say(struct check *c, bool fault, const char *where, const char *id,
                const char *what)
{
    say_as(c, fault, where, id, what, false);
}

static bool is_suspect(const struct check *c, const char *id)
{
    for (size_t i = 0; i < c->n_suspicion; i++)
        if (!strcmp(c->suspicion[i].id, id)) return true;
    return false;
}

static bool is_found_again(const struct check *second, const char *line)
{
    for (size_t i = 0; i < second->n_suspicion; i++)
        if (!strcmp(second->suspicion[i].line, line)) return true;
    return false;
}

static void note_inode(struct check *c, const struct stat *st,
                       const char *where, const char *id, int folder)
{
    struct spool_part part;
    struct seen *s = MEM_ADD(c->seen, c->n_seen);
    *s = (struct seen){st->st_dev, st->st_ino, "", ""};
    snprintf(s->where, sizeof s->where, "%s/%.39s", where, id);
    if (folder < 0) return;
    if (spool_part_read(folder, &part))
        snprintf(s->stack, sizeof s->stack, "%s", part.stack);
    else if (spool_part_is_stack(folder))
        snprintf(s->stack, sizeof s->stack, "%s", id);
}

/* A folder that cannot be read is a fault: it cannot be verified. */
static void say_unread(struct check *c, const char *where, const char *name,
                       int sys)
{
    char what[128];
    snprintf(what, sizeof what, "cannot be read: %s", strerror(sys));
    say_as(c, true, where, name, what, true);
}

/* The SHA-256 of its doc, read once; "" if it was pruned, or in a quick
 * check. */
static const char *doc_hash(struct check *c, int fd, const char *id)
{
    if (c->quick) return "";
    if (c->doc_of != id) c->doc = document_folder_hash(fd);
    c->doc_of = id;
    return c->doc.hex;
}

static void check_work(struct check *c, int fd, const char *id)
{
    struct stat st;
    c->result.n_work++;
    if (fstatat(fd, "doc", &st, AT_SYMLINK_NOFOLLOW) != 0)
        return; /* an interrupted claim: the next start removes it */
    note_inode(c, &st, "work", id, fd);
}

/* The record has a version that platen reads, and each line of review.jsonl is
 * valid and fits it; an incomplete last line was never acknowledged. */
static void check_record(struct check *c, int fd, const char *id,
                         const cJSON *record)
{
    struct corrections corrections;
    struct err err = {0};
    corrections_read(fd, &corrections, &err);
    record_check_format(record, &err);
    if (corrections.is_there && !err_failed(&err)) {
        cJSON *corrected = cJSON_Duplicate(record, true);
        correct_apply(corrected, corrections.line, 1, &err);
        cJSON_Delete(corrected);
    }
    if (err_failed(&err)) say(c, true, "done", id, err.text);
    if (corrections.torn && !err_failed(&err))
        say(c, false, "done", id,
            "review.jsonl ends with an incomplete line, which was never "
            "acknowledged and is ignored");
    corrections_free(&corrections);
}

/* A failed document that was filled in by hand keeps its reason. */
static bool is_read_by_person(const cJSON *record)
{
    return !strcmp(json_get_text_or_empty(record, "engine"), "person");
}

/* S2: folders of done/ are complete. */
static void check_done(struct check *c, int fd, const char *id,
                       const cJSON *record)
{
    struct stat st;
    const char *fault = NULL;
    c->result.n_done++;
    bool there = fstatat(fd, "doc", &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && !spool_exists(fd, SPOOL_PRUNED))
        fault = "the document itself is missing";
    else if (there && !S_ISREG(st.st_mode))
        fault = "the document is not a regular file";
    else
        fault = document_folder_fault_of(record, id, doc_hash(c, fd, id));
    if (!fault && spool_exists(fd, "reason.json") && !is_read_by_person(record))
        fault = "has both a record and a reason";
    if (fault) say(c, true, "done", id, fault);
    if (!fault) check_record(c, fd, id, record);
    if (fault && strstr(fault, "itself")) return;
    if (delivery_is_due(fd) && !spool_is_held(fd)) {
        c->result.n_undelivered++;
        say(c, false, "done", id, "record not delivered to out/ yet");
    }
    if (there) note_inode(c, &st, "done", id, fd);
}

static void check_failed(struct check *c, int fd, const char *id)
{
    struct stat st;
    c->result.n_failed++;
    if (fstatat(fd, "doc", &st, AT_SYMLINK_NOFOLLOW) != 0) {
        say(c, true, "failed", id, "the document itself is missing");
        return;
    }
    note_inode(c, &st, "failed", id, fd);
    cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    bool hashed = *json_get_text_or_empty(json_get(reason, "source"), "sha256");
    const char *fault = document_folder_reason_fault_of(
        reason, id, hashed ? doc_hash(c, fd, id) : "");
    if (fault) say(c, true, "failed", id, fault);
    cJSON_Delete(reason);
}

/* a temporary file belongs to a running platen, or is harmless after a
 * crash: complete files never have such a name. */
static void check_name(struct check *c, int folder, const char *where,
                       const char *id, const char *name)
{
    char path[SPOOL_ID_SIZE + 4 + FILE_NAME_BYTES_MAX];
    if (!strcmp(name, ".") || !strcmp(name, "..")) return;
    snprintf(path, sizeof path, "%.39s/%.255s", id, name);
    if (spool_is_temporary(name)) {
        if (!spool_is_held(folder) && spool_exists(folder, name))
            say(c, false, where, path, "was left by a crash; harmless");
    } else if (!document_folder_is_ours(name)) {
        say(c, false, where, path, "is not platen's; left alone");
    }
}

static void check_contents(struct check *c, int folder, const char *where,
                           const char *id)
{
    struct err err = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) durable_fail(&err, "cannot list", id);
    for (struct dirent *e; (e = durable_next(d, id, &err));)
        check_name(c, folder, where, id, e->d_name);
    if (err_failed(&err)) say_unread(c, where, id, err.sys);
    if (d) closedir(d);
}

/* What is wrong between the document and its stack or parts. A stack: every part
 * of its record is in parts/, work/, done/ or failed/, and none is left in parts/
 * after their release. A part: its stack is in done/, lists it with these
 * pages, and both have the same bytes. */
static void check_stack(struct check *c, enum spool_place place, int folder,
                        const char *id, const cJSON *record)
{
    char text[FSCK_STACK_TEXT];
    struct spool_part part;
    const char *fault = NULL;
    bool there = spool_exists(folder, "doc");
    if (!there && !spool_exists(folder, SPOOL_PRUNED)) return;
    if (spool_part_read(folder, &part))
        fault = part_fault(c->s, id, there ? doc_hash(c, folder, id) : "",
                           c->most, &part, text);
    else if (place == SPOOL_DONE)
        fault = stack_fault(c->s, id, folder, record, text);
    if (fault) say(c, true, spool_place_name(place), id, fault);
}

/* A document's folder, whose record is parsed once. */
static void check_document(struct check *c, enum spool_place place, int folder,
                           const char *id)
{
    cJSON *record = place == SPOOL_DONE
                        ? spool_read_json(folder, "record.json", c->most)
                        : NULL;
    c->doc_of = NULL;
    if (place == SPOOL_WORK) check_work(c, folder, id);
    if (place == SPOOL_DONE) check_done(c, folder, id, record);
    if (place == SPOOL_FAILED) check_failed(c, folder, id);
    check_stack(c, place, folder, id, record);
    if (place != SPOOL_WORK)
        check_contents(c, folder, spool_place_name(place), id);
    c->doc_of = NULL;
    cJSON_Delete(record);
}

/* Second check of a document without fault in the first: only notes its
 * inode. */
static void note_only(struct check *c, enum spool_place place, const char *id)
{
    struct stat st;
    int folder = spool_is_id(id) ? spool_folder_fd(c->s, place, id) : -1;
    if (folder < 0) return;
    if (fstatat(folder, "doc", &st, AT_SYMLINK_NOFOLLOW) == 0)
        note_inode(c, &st, spool_place_name(place), id, folder);
    close(folder);
}

static void check_folder(struct check *c, enum spool_place place,
                         const char *id)
{
    if (c->first && !is_suspect(c->first, id)) {
        note_only(c, place, id);
        return;
    }
    const char *where = spool_place_name(place);
    int folder = spool_is_id(id) ? spool_folder_fd(c->s, place, id) : -1;
    bool foreign = !spool_is_id(id) || errno == ENOTDIR || errno == ELOOP;
    if (folder < 0 && foreign) {
        say(c, false, where, id, "is not platen's; left alone");
    } else if (folder < 0) {
        /* moved meanwhile, or no permission */
        if (errno != ENOENT) say_unread(c, where, id, errno);
    } else {
        check_document(c, place, folder, id);
        close(folder);
    }
}

static void check_place(struct check *c, enum spool_place place)
{
    const char *where = spool_place_name(place);
    int fd =
        openat(c->s->place[place], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) durable_fail(c->err, "cannot list", where);
    for (struct dirent *e; (e = durable_next(d, where, c->err));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            check_folder(c, place, e->d_name);
    if (d) closedir(d);
}

/* Documents that are being deleted. */
static void check_pruned(struct check *c)
{
    struct arena *arena = arena_new();
    char **id = spool_pending_list(c->s, SPOOL_PRUNE, arena, c->err);
    for (; *id; id++)
        say(c, false, "pending", *id,
            "was being pruned; the next platen prune continues");
    arena_free(arena);
}

/* S1 for ids: in one place only. */
static void check_ids(struct check *c)
{
    struct arena *arena = arena_new();
    enum spool_place places[] = {SPOOL_WORK, SPOOL_DONE, SPOOL_FAILED};
    for (size_t p = 0; p < 3; p++) {
        char **id = spool_list(c->s, places[p], arena, NULL, c->err);
        for (; *id; id++)
            for (size_t q = p + 1; q < 3; q++)
                if (spool_exists(c->s->place[places[q]], *id))
                    say(c, true, spool_place_name(places[p]), *id,
                        "is in two places");
    }
    arena_free(arena);
}

static int by_inode(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->dev != y->dev) return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino) return x->ino < y->ino ? -1 : 1;
    return strcmp(x->where, y->where);
}

/* S1 for bytes: no inode has two names, except that of a stack and its
 * parts. */
static void check_inodes(struct check *c)
{
    if (!c->n_seen) return;
    qsort(c->seen, c->n_seen, sizeof *c->seen, by_inode);
    for (size_t i = 1; i < c->n_seen; i++) {
        const struct seen *a = &c->seen[i - 1], *b = &c->seen[i];
        bool in_both =
            !strncmp(a->where, "in/", 3) && !strncmp(b->where, "in/", 3);
        bool in_stack = *a->stack && !strcmp(a->stack, b->stack);
        if (a->dev != b->dev || a->ino != b->ino || in_both || in_stack)
            continue;
        char what[128];
        snprintf(what, sizeof what, "is the same file as %s", b->where);
        say(c, true, ".", a->where, what);
    }
}

/* A FIFO, or a nested folder with files. */
static void note_unread(void *arg, const char *folder, const char *name,
                        const char *what)
{
    struct check *c = arg;
    struct buf line = buf_limit(8192);
    if (c->first) return;
    buf_add_text(&line, "in/");
    file_name_escape(folder, &line);
    if (*folder) buf_add_text(&line, "/");
    file_name_escape(name, &line);
    buf_print(&line, ": %s", what);
    c->say(c->arg, false, buf_span(&line).data);
    c->result.n_foreign++;
    buf_free(&line);
}

static void check_in(struct check *c)
{
    struct arena *arena = arena_new();
    struct drops drops = spool_scan(c->s, arena, note_unread, c, c->err);
    c->result.n_in = drops.n_drop;
    for (size_t i = 0; i < drops.n_unlisted; i++) {
        struct buf line = buf_limit(8192);
        buf_print(&line, "in/%s; its files are not known", drops.unlisted[i]);
        suspect(c, "", buf_span(&line).data, true);
        buf_free(&line);
    }
    c->result.n_nested = drops.n_nested;
    for (size_t i = 0; i < drops.n_drop; i++)
        note_inode(c, &drops.drop[i].stat, "in", drops.drop[i].name, -1);
    arena_free(arena);
}

static void check_all(struct check *c)
{
    check_in(c);
    check_place(c, SPOOL_WORK);
    check_place(c, SPOOL_DONE);
    check_place(c, SPOOL_FAILED);
    if (!c->first) check_pruned(c);
    check_ids(c);
    check_inodes(c);
    mem_free(c->seen);
}

/* Checks again after a moment, and reports the faults that remain. */
static void report_faults(struct check *first)
{
    static const struct timespec moment = {.tv_nsec = 200 * 1000 * 1000};
    struct check second = {.s = first->s,
                           .most = first->most,
                           .quick = first->quick,
                           .first = first,
                           .arena = first->arena,
                           .err = first->err};
    if (!first->n_suspicion) return;
    nanosleep(&moment, NULL);
    check_all(&second);
    for (size_t i = 0; i < first->n_suspicion; i++) {
        const struct suspicion *s = &first->suspicion[i];
        if (!is_found_again(&second, s->line)) continue;
        first->say(first->arg, true, s->line);
        first->result.n_fault++;
        first->result.n_unread += s->unread;
    }
    mem_free(second.suspicion);
}

struct fsck_result fsck_spool(const struct spool *s, size_t most, bool quick,
                              void (*line)(void *arg, bool fault,
                                           const char *line),
                              void *arg, struct err *err)
{
    struct check c = {.s = s,
                      .most = most,
                      .quick = quick,
                      .say = line,
                      .arg = arg,
                      .err = err};
    if (err_failed(err)) return c.result;
    c.arena = arena_new();
    check_all(&c);
    report_faults(&c);
    mem_free(c.suspicion);
    arena_free(c.arena);
    return c.result;
}
