/* failure_note.c - see failure_note.h. */
#include "pipeline/spool/failure_note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "vlm/json/json.h"

enum { NOTE_MOST = 1 << 14, NAME_SIZE = 512 };

static const char temporary[] = ".%.39s.note.tmp";

/* Does the file out/name have this id in it? */
static bool is_note_of(int out, const char *name, const char *id)
{
    struct arena *arena = arena_new();
    struct span text = spool_read(out, name, NOTE_MOST, arena);
    bool ours = text.data && strstr(text.data, id);
    arena_free(arena);
    return ours;
}

/* The name of the note: that of the document, with its id if `try` is 1. */
static void print_name(char name[static NAME_SIZE], const struct folder *f,
                       const struct document_folder_state *state, int try)
{
    struct buf text = buf_limit(4096);
    file_name_of_note(state->name, &text);
    snprintf(name, NAME_SIZE, "%s%s%s.failed.txt", buf_span(&text).data,
             try ? "." : "", try ? f->id : "");
    buf_free(&text);
}

static void print_note(const struct folder *f,
                       const struct document_folder_state *state,
                       struct buf *out)
{
    cJSON *o = spool_read_json(f->fd, "reason.json", SPOOL_JSON_MAX);
    struct buf name = buf_limit(4096);
    file_name_escape(state->name, &name);
    buf_print(out,
              "%s could not be read.\n\n"
              "Reason: %s [%s]\n"
              "What to do: %s\n"
              "To try again: platen retry %s %s\n",
              buf_span(&name).data, json_get_text_or_empty(o, "text"),
              json_get_text_or_empty(o, "code"),
              json_get_text_or_empty(o, "remedy"), f->spool->path, f->id);
    buf_free(&name);
    cJSON_Delete(o);
}

/* Writes the text under a name that is free or is this document's note. */
static void write_note(struct folder *f, int out,
                       const struct document_folder_state *state,
                       struct span text, struct err *err)
{
    char tmp[64], name[NAME_SIZE];
    struct folder to = {.spool = f->spool, .fd = out};
    snprintf(tmp, sizeof tmp, temporary, f->id);
    durable_write_new(&to, tmp, text, err);
    for (int try = 0; try < 2 && !err_failed(err); try++) {
        print_name(name, f, state, try);
        if (is_note_of(out, name, f->id)) unlinkat(out, name, 0);
        if (linkat(out, tmp, out, name, 0) == 0) break;
        if (try || errno != EEXIST)
            durable_fail(err, "cannot put into out/:", name);
    }
    unlinkat(out, tmp, 0);
    if (!err_failed(err)) durable_sync(f->spool, out, "out", err);
}

void failure_note_put(struct folder *f, struct err *err)
{
    if (err_failed(err)) return;
    struct document_folder_state state;
    struct buf text = buf_limit(NOTE_MOST);
    if (spool_exists(f->fd, SPOOL_DISMISSED)) {
        spool_pending_remove(f->spool, f->id, SPOOL_NOTE);
        return;
    }
    document_folder_read_name(f->fd, f->id, &state);
    print_note(f, &state, &text);
    if (!spool_exists(f->fd, SPOOL_NOTED)) spool_mark(f, SPOOL_NOTED, err);
    int out = spool_out_open(f->spool, state.path, err);
    if (out >= 0) write_note(f, out, &state, buf_span(&text), err);
    if (out >= 0) close(out);
    if (!err_failed(err)) spool_pending_remove(f->spool, f->id, SPOOL_NOTE);
    buf_free(&text);
}

void failure_note_drop(struct folder *f, struct err *err)
{
    if (err_failed(err) || !spool_exists(f->fd, SPOOL_NOTED)) return;
    struct document_folder_state state;
    char name[NAME_SIZE];
    document_folder_read_name(f->fd, f->id, &state);
    int out = spool_out_open(f->spool, state.path, err);
    for (int try = 0; out >= 0 && try < 2; try++) {
        print_name(name, f, &state, try);
        if (is_note_of(out, name, f->id) && unlinkat(out, name, 0) != 0)
            durable_fail(err, "cannot remove from out/:", name);
    }
    if (out >= 0) durable_sync(f->spool, out, "out", err);
    if (out >= 0) close(out);
    spool_remove(f, SPOOL_NOTED, err);
}
