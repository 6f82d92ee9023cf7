/* export_dataset.c - see export_dataset.h. */
#include "pipeline/export/export_dataset.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_work.h"
#include "pipeline/review/label_studio/label_studio_task.h"
#include "pipeline/show/show_pages.h"
#include "pipeline/show/show_values.h"
#include "pipeline/spool/spool.h"
#include "stages/engine/engine.h"
#include "stages/engine/prompt.h"
#include "stages/input/identify.h"
#include "stages/pixels/image_encode.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/make_folders.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

/* --- export chat ----------------------------------------------------------- */

/* A document as a training pair: question and correct answer.
 * One line in the format that TRL and ms-swift document for chats about
 * pictures: "messages" with {"type": "image"} for each picture, and the
 * pictures' paths in "images". */

/* Prints the answer as a model should write it: compact, in the order of the
 * schema. FAIL: ERR_INPUT if it is not valid. */
static void export_chat_answer(const struct schema *schema, const cJSON *data,
                               struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct findings found = {0};
    cJSON *ordered = cJSON_Duplicate(data, true);
    if (!schema_validate(schema, data, arena, &found, err) && !err_failed(err))
        err_set(err, ERR_INPUT, "its data does not fit the schema %s: %s: %s",
                schema_name(schema),
                found.n_finding ? found.finding[0].instance : "",
                found.n_finding ? found.finding[0].wanted : "");
    if (!err_failed(err)) {
        schema_order(schema, ordered);
        json_print(out, ordered, 0);
    }
    cJSON_Delete(ordered);
    arena_free(arena);
}

/* Prints the prompt before the pages; outline: that of the embedded model.
 * FAIL: as prompt_outline. */
static void export_chat_question(const struct schema *schema,
                                 const char *prompt, bool outline,
                                 struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    if (outline)
        prompt_outline(schema, out, err);
    else
        prompt_full(schema, prompt, out);
}

static cJSON *add_part(cJSON *content, const char *type, const char *text)
{
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "type", type);
    if (text) cJSON_AddStringToObject(part, "text", text);
    cJSON_AddItemToArray(content, part);
    return content;
}

static cJSON *add_turn(cJSON *messages, const char *role)
{
    cJSON *turn = cJSON_CreateObject();
    cJSON_AddStringToObject(turn, "role", role);
    cJSON_AddItemToArray(messages, turn);
    return cJSON_AddArrayToObject(turn, "content");
}

/* Prints the line, with a newline. */
static void export_chat_line(const char *question, const char *const *picture,
                             int n_picture, const char *answer, struct buf *out)
{
    cJSON *line = cJSON_CreateObject();
    cJSON *images = cJSON_AddArrayToObject(line, "images");
    cJSON *messages = cJSON_AddArrayToObject(line, "messages");
    cJSON *asked = add_part(add_turn(messages, "user"), "text", question);
    for (int i = 0; i < n_picture; i++) {
        cJSON_AddItemToArray(images, cJSON_CreateString(picture[i]));
        add_part(asked, "image", NULL);
    }
    add_part(add_turn(messages, "assistant"), "text", answer);
    json_print(out, line, 0);
    buf_add_text(out, "\n");
    cJSON_Delete(line);
}

/* --- export dataset -------------------------------------------------------- */

enum {
    PATH_SIZE = 4096,
    PICTURE_BYTES_MAX = 1 << 29,
    LINE_BYTES_MAX = 1 << 29,
    BYTES_A_TOKEN = 3 /* least bytes of text per token */
};

struct export_dataset {
    const struct config *config;
    enum export_form form;
    const char *folder;
    struct atomic_file all; /* chat.jsonl or tasks.json */
    struct engine *engine;  /* for EXPORT_CHAT */
    struct prepare_target target;
    size_t n_document;
    struct arena *arena;
};

/* A document that is being added. */
struct adding {
    struct export_dataset *set;
    const char *id;
    struct studio_page *page;
    const char **picture; /* paths relative to the folder */
    int n_page;
    int64_t n_pixel;
    struct arena *arena;
    const struct export_document *one;
    struct document_work_output *out; /* in the process that draws */
};

static void open_engine(struct export_dataset *s, struct err *err)
{
    s->engine = engine_open(&s->config->stage, err);
    if (!s->engine) return;
    const struct engine_facts *facts = engine_facts(s->engine);
    s->target = (struct prepare_target){.grid = facts->grid,
                                        .min_pixels = facts->min_pixels,
                                        .max_pixels = facts->max_pixels};
}

struct export_dataset *export_dataset_open(const char *folder,
                                           enum export_form form,
                                           const struct config *config,
                                           struct err *err)
{
    if (err_failed(err)) return NULL;
    struct export_dataset *s = mem_alloc(1, sizeof *s);
    *s = (struct export_dataset){
        .config = config, .form = form, .arena = arena_new()};
    bool chat = form == EXPORT_CHAT;
    s->folder = arena_copy(s->arena, span_of(folder));
    if (chat) open_engine(s, err);
    make_folders_one(folder, err);
    make_folders_one(arena_text(s->arena, "%s/pictures", folder), err);
    if (!chat)
        atomic_file_write(arena_text(s->arena, "%s/label-config.xml", folder),
                          span_of(label_studio_task_config()), err);
    atomic_file_begin(&s->all,
                      arena_text(s->arena, "%s/%s", folder,
                                 chat ? "chat.jsonl" : "tasks.json"),
                      err);
    if (!err_failed(err)) return s;
    export_dataset_close(s);
    return NULL;
}

/* --- pages --------------------------------------------------------------- */

static struct prepare_target target_of(const struct export_dataset *s)
{
    if (s->form == EXPORT_CHAT) return s->target;
    return (struct prepare_target){.grid = 1,
                                   .min_pixels = 1,
                                   .max_pixels =
                                       settings_page_pixels(&s->config->stage)};
}

/* An item of the process that draws: the size of a picture, and its file. */
struct picture_head {
    int32_t width_px, height_px;
};

/* Puts out a page; for EXPORT_CHAT not a blank one, which the model is not
 * shown. */
static void put_page(void *arg, struct page *page, struct image *image,
                     struct err *err)
{
    const struct adding *w = arg;
    const struct export_dataset *s = w->set;
    bool chat = s->form == EXPORT_CHAT;
    if (chat)
        prepare_page(image, NULL, page, &s->target, &s->config->stage, err);
    if (err_failed(err) || (chat && page->blank)) return;
    const struct picture_head head = {image->width_px, image->height_px};
    struct buf file = buf_limit(PICTURE_BYTES_MAX);
    if (chat)
        image_encode_png(image, &file, err);
    else
        image_encode_jpeg(image, &file, err);
    document_work_add(w->out, (struct span){(const char *)&head, sizeof head});
    document_work_add(w->out, buf_span(&file));
    if (!err_failed(err)) document_work_end(w->out, page->number);
    buf_free(&file);
}

static void add_page(void *arg, int page, struct span item, struct err *err)
{
    struct adding *w = arg;
    bool chat = w->set->form == EXPORT_CHAT;
    struct picture_head head = {0, 0};
    if (item.size >= sizeof head) memcpy(&head, item.data, sizeof head);
    if (head.width_px < 1 || head.height_px < 1 || page < 1)
        err_reason(err, ERR_CHILD, "internal",
                   "the process that drew it broke its protocol");
    if (err_failed(err)) return;
    const char *name = arena_text(w->arena, "pictures/%s-%d.%s", w->id, page,
                                  chat ? "png" : "jpg");
    atomic_file_write(
        arena_text(w->arena, "%s/%s", w->set->folder, name),
        (struct span){item.data + sizeof head, item.size - sizeof head}, err);
    w->picture = mem_room(w->picture, (size_t)w->n_page, 1, sizeof *w->picture);
    w->picture[w->n_page] = name;
    *MEM_ADD(w->page, w->n_page) =
        (struct studio_page){page, head.width_px, head.height_px, name};
    w->n_pixel += (int64_t)head.width_px * head.height_px;
}

/* Prints "1-3,7"; "": all pages, for a record written by a person. */
static void choose_pages(const cJSON *record, struct buf *out)
{
    for (int i = 0, first = 0, last = 0, n = 1; n; i++) {
        n = show_values_page(record, i);
        if (first && n != last + 1)
            buf_print(out, "%s%d-%d", out->size ? "," : "", first, last);
        if (!first || n != last + 1) first = n;
        last = n;
    }
}

static void check_document(const struct document *doc, const cJSON *record,
                           struct err *err)
{
    const char *wanted =
        json_get_text_or_empty(json_get(record, "source"), "sha256");
    if (!err_failed(err) && strcmp(doc->sha256.hex, wanted) != 0)
        err_set(err, ERR_INPUT, "doc is not the document of its record");
}

static void draw_document(void *arg, struct document *doc,
                          const struct settings *settings,
                          struct document_work_output *out, struct err *err)
{
    struct adding *w = arg;
    struct prepare_target target = target_of(w->set);
    struct buf pages = buf_limit(1 << 20);
    w->out = out;
    choose_pages(w->one->record, &pages);
    identify_document(doc, settings, err);
    check_document(doc, w->one->record, err);
    show_pages_raster(doc, buf_span(&pages).data, settings, &target, put_page,
                      w, err);
    buf_free(&pages);
}

static void draw_pages(struct adding *w, const struct export_document *one,
                       struct err *err)
{
    if (err_failed(err)) return;
    static const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(one->folder_fd, "doc", flags);
    int unlocked = openat(one->folder_fd, SPOOL_UNLOCKED, flags);
    if (fd < 0) err_errno(err, "doc");
    w->one = one;
    document_work_run(
        &(struct document_work){.name = one->id,
                                .fd = fd,
                                .unlocked = unlocked,
                                .settings = &w->set->config->stage,
                                .run = draw_document,
                                .take = add_page,
                                .arg = w},
        err);
    if (fd >= 0) close(fd);
    if (unlocked >= 0) close(unlocked);
}

/* --- questions ----------------------------------------------------------- */

/* Fails if the document would be asked page by page: then no model would see
 * such a pair. */
static void check_one_question(const struct adding *w,
                               const struct schema *schema, size_t n_text,
                               struct err *err)
{
    const struct engine_facts *facts = engine_facts(w->set->engine);
    int64_t cell = (int64_t)facts->grid * facts->grid;
    int64_t n = w->n_pixel / cell + (int64_t)n_text / BYTES_A_TOKEN;
    bool by_page =
        cJSON_IsTrue(json_get(schema_root(schema), "x-platen-per-page"));
    if (err_failed(err)) return;
    if (!w->n_page)
        err_set(err, ERR_INPUT, "every page is blank");
    else if (by_page && w->n_page > 1)
        err_set(err, ERR_INPUT,
                "its schema is asked page by page, and its record does not say "
                "which page gave which value");
    else if (facts->images_max && w->n_page > facts->images_max)
        err_set(err, ERR_INPUT,
                "the model accepts %d pages per question, the document has %d",
                facts->images_max, w->n_page);
    else if (facts->n_ctx && n > facts->n_ctx)
        err_set(err, ERR_INPUT,
                "it would be read page by page: its %d pages and their record "
                "do not fit into one question (n_ctx %d)",
                w->n_page, facts->n_ctx);
}

static void print_pair(struct adding *w, const struct export_document *one,
                       struct buf *out, struct err *err)
{
    struct buf question = buf_limit(1 << 20);
    struct buf answer = buf_limit(LINE_BYTES_MAX / 2);
    bool outline = engine_facts(w->set->engine)->prompt_is_keys;
    export_chat_answer(one->schema, json_get(one->record, "data"), &answer,
                       err);
    export_chat_question(one->schema, one->prompt, outline, &question, err);
    draw_pages(w, one, err);
    check_one_question(w, one->schema, question.size + answer.size, err);
    if (!err_failed(err))
        export_chat_line(buf_span(&question).data, w->picture, w->n_page,
                         buf_span(&answer).data, out);
    buf_free(&question);
    buf_free(&answer);
}

static void print_task(struct adding *w, const struct export_document *one,
                       struct buf *out, struct err *err)
{
    draw_pages(w, one, err);
    struct studio_document d = {.id = one->id,
                                .record = one->record,
                                .schema = one->schema,
                                .version = one->n_line,
                                .page = w->page,
                                .n_page = w->n_page};
    buf_add_text(out, w->set->n_document ? ",\n" : "[\n");
    if (!err_failed(err)) label_studio_task_print(&d, out);
}

void export_dataset_add(struct export_dataset *s,
                        const struct export_document *one, struct err *err)
{
    if (err_failed(err)) return;
    struct adding w = {.set = s, .id = one->id, .arena = arena_new()};
    struct buf line = buf_limit(LINE_BYTES_MAX);
    if (s->form == EXPORT_CHAT)
        print_pair(&w, one, &line, err);
    else
        print_task(&w, one, &line, err);
    if (line.full) err_set(err, ERR_LIMIT, "too long for one example");
    if (!err_failed(err) &&
        fwrite(line.data, 1, line.size, s->all.file) != line.size)
        err_errno(err, "cannot write %s", s->all.path);
    s->n_document += !err_failed(err);
    for (int i = 0; i < w.n_page && err_failed(err); i++)
        unlink(arena_text(w.arena, "%s/%s", s->folder, w.picture[i]));
    mem_free(w.page);
    mem_free(w.picture);
    buf_free(&line);
    arena_free(w.arena);
}

void export_dataset_end(struct export_dataset *s, struct err *err)
{
    if (err_failed(err)) return;
    if (s->form == EXPORT_STUDIO)
        fputs(s->n_document ? "\n]\n" : "[]\n", s->all.file);
    atomic_file_end(&s->all, err);
}

void export_dataset_close(struct export_dataset *s)
{
    if (!s) return;
    atomic_file_drop(&s->all);
    engine_close(s->engine);
    arena_free(s->arena);
    mem_free(s);
}
