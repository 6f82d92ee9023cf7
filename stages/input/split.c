/* split.c - see split.h. */
#include "stages/input/split.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stages/input/identify.h"
#include "vlm/base/buf.h"

const char split_patch[] = "PATCHT", split_prefix[] = "PLATEN:";

/* On a sheet the code is large and accompanied by a few words; a sticker is
 * small, on a page with any content. In doubt the page is kept: reading a sheet
 * does less harm than losing a page. from: the code's length in thousandths of
 * the page's shorter side; most_marks: marks on a sheet at most. */
static const struct {
    int from, most_marks;
} sheet_table[] = {{400, 120}, {200, 40}, {30, 12}, {0, 40} /* not measured */};

enum { ARCHIVE_MAX = 64, SCHEMA_MAX = 79 };

/* The meaning of a page's codes. */
struct page_marks {
    const char *separator; /* its text, or NULL */
    const char *schema;    /* "" if it names none */
    const char *rival;     /* a different schema on the same page, or NULL */
    const char *archive;   /* archive number, or NULL */
    bool is_sheet;
};

static bool is_archive_number(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    bool digit = false;
    if (n == 0 || strncmp(text, prefix, n) != 0 || strlen(text) > ARCHIVE_MAX)
        return false;
    for (const char *at = text + n; *at; at++) {
        if (!isalnum((unsigned char)*at) && !strchr(" ./_-", *at)) return false;
        digit |= *at >= '0' && *at <= '9';
    }
    return digit;
}

bool split_names_schema(const char *text)
{
    if (*text == '.' || !*text || strlen(text) > SCHEMA_MAX) return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) return false;
    return true;
}

/* The schema that a platen separator names, "" for none; NULL: not a separator.
 * Lenient, because users print codes of their own, and a missed sheet silently
 * makes one document of two. */
static const char *schema_named(const char *text)
{
    size_t n = strlen(split_prefix);
    if (strncasecmp(text, split_prefix, n) != 0) return NULL;
    return text + n + strspn(text + n, " ");
}

/* Adds a code; called from the top of the page to the bottom. */
static void add_code(struct page_marks *f, const struct page_code *code,
                     const char *archive_prefix)
{
    const char *name = schema_named(code->text), *schema = name ? name : "";
    if (name || !strcmp(code->text, split_patch)) {
        if (!f->separator || (!*f->schema && *schema)) {
            f->separator = code->text;
            f->schema = schema;
        } else if (*schema && strcmp(schema, f->schema) != 0) {
            f->rival = schema;
        }
    } else if (!f->archive && is_archive_number(code->text, archive_prefix)) {
        f->archive = code->text;
    }
}

static const struct page_code *highest_below(const struct page_codes *page,
                                             const struct page_code *last)
{
    const struct page_code *best = NULL;
    for (int i = 0; i < page->n_code; i++) {
        const struct page_code *c = &page->code[i];
        bool after =
            !last || c->top > last->top || (c->top == last->top && c > last);
        if (after && (!best || c->top < best->top)) best = c;
    }
    return best;
}

static struct page_marks read_marks(const struct page_codes *page,
                                    const char *archive_prefix)
{
    struct page_marks f = {.schema = ""};
    const struct page_code *code = NULL;
    while ((code = highest_below(page, code)))
        add_code(&f, code, archive_prefix);
    int row = 0, length = 0;
    for (int i = 0; f.separator && i < page->n_code; i++)
        if (page->code[i].length > length &&
            !strcmp(page->code[i].text, f.separator))
            length = page->code[i].length;
    while (length < sheet_table[row].from)
        row++;
    f.is_sheet = f.separator && page->marks <= sheet_table[row].most_marks;
    return f;
}

static const struct split_part no_part = {
    .pages = "", .schema = "", .archive_number = "", .warning = ""};

/* --- the plan ----------------------------------------------------------- */

struct planner {
    const struct page_codes *page;
    struct arena *arena;
    struct split split;
    int from, to; /* pages of the current document, by index; none: equal */
    struct split_part next;
};

/* "4-6,9": ranges of page numbers. */
static const char *pages_of(const struct planner *p)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = p->from, end; i < p->to; i = end) {
        int first = p->page[i].number, last = first;
        for (end = i + 1; end < p->to && p->page[end].number == last + 1; end++)
            last++;
        buf_print(&text, last > first ? "%s%d-%d" : "%s%d",
                  i > p->from ? "," : "", first, last);
    }
    const char *kept = arena_copy(p->arena, buf_span(&text));
    buf_free(&text);
    return kept;
}

/* Ends the current document; if it has no pages, its properties pass to the
 * next. */
static void end_document(struct planner *p, int next_page)
{
    if (p->to > p->from) {
        p->next.pages = pages_of(p);
        p->split.part[p->split.n_part++] = p->next;
        p->next = no_part;
    }
    p->from = p->to = next_page;
}

static void warn_contradiction(struct planner *p, const struct page_marks *f,
                               int number)
{
    p->next.warning = arena_text(p->arena,
                                 "page %d has separators for two schemas, "
                                 "%.60s and %.60s: neither is used",
                                 number, f->schema, f->rival);
}

static void begin_document(struct planner *p, const struct page_marks *f, int i)
{
    end_document(p, i);
    if (f->rival)
        warn_contradiction(p, f, p->page[i].number);
    else if (*f->schema)
        p->next.schema = f->schema;
    if (f->archive) p->next.archive_number = f->archive;
    if (!f->is_sheet) return;
    p->split.sheet[p->split.n_sheet++] = (struct split_sheet){
        p->page[i].number, f->separator, p->page[i].marks, false};
    p->from = p->to = i + 1;
}

/* Directly after a sheet no document has pages yet, so none is torn apart. */
static bool drop_back(struct planner *p, int i)
{
    int n = p->split.n_sheet, number = p->page[i].number;
    if (!p->page[i].is_blank || n == 0) return false;
    struct split_sheet sheet = p->split.sheet[n - 1];
    if (sheet.is_back || sheet.page != number - 1) return false;
    p->split.sheet[n] = (struct split_sheet){number, sheet.text, 0, true};
    p->split.n_sheet++;
    p->from = p->to = i + 1;
    return true;
}

static void plan_page(struct planner *p, const char *archive_prefix, int i)
{
    if (drop_back(p, i)) return;
    struct page_marks f = read_marks(&p->page[i], archive_prefix);
    bool other = f.archive && strcmp(f.archive, p->next.archive_number) != 0;
    /* a number on a document's first page belongs to it */
    if (f.separator || (other && p->to > p->from))
        begin_document(p, &f, i);
    else if (other)
        p->next.archive_number = f.archive;
    if (!f.is_sheet) p->to = i + 1;
}

struct split split_plan(const struct page_codes *page, int n_page,
                        const char *archive_prefix, struct arena *arena)
{
    struct planner p = {.page = page, .arena = arena, .next = no_part};
    size_t most = (size_t)n_page;
    p.split.part = arena_array(arena, most, sizeof *p.split.part);
    p.split.sheet = arena_array(arena, most, sizeof *p.split.sheet);
    for (int i = 0; i < n_page; i++)
        plan_page(&p, archive_prefix, i);
    end_document(&p, n_page);
    return p.split;
}

bool split_is_stack(const struct split *split)
{
    return split->n_sheet || split->n_part > 1 || split->n_attached ||
           (split->n_part == 1 && *split->part[0].schema);
}

bool split_is_wanted(const struct settings *settings, const char *name)
{
    const char *dot = strrchr(name, '.');
    return !strcmp(settings->split, "barcode") ||
           !strcmp(settings->attachments, "read") ||
           (dot && !strcasecmp(dot, ".eml"));
}

void split_check(struct document *doc, const struct settings *settings,
                 const char *sha256, struct err *err)
{
    if (err_failed(err)) return;
    identify_document(doc, settings, err);
    if (!err_failed(err) && strcmp(doc->sha256.hex, sha256) != 0)
        err_reason(err, ERR_INPUT, "damaged",
                   "the content differs from that of its stack (SHA-256)");
}

/* --- attachments ---------------------------------------------------------- */

enum { UNREAD_MAX = 900 };

struct attached {
    struct split *split;
    struct split_part *part;
    int n, n_more;
    struct buf unread;
};

/* In lower case, the name of the type is the usual ending. */
static const char *ending_of(enum file_type type, struct arena *arena)
{
    char *ending = arena_copy(arena, span_of(file_type_name(type)));
    for (char *at = ending; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return ending;
}

static void add_unread(struct attached *a, const char *name, const char *why)
{
    struct buf *all = &a->unread;
    all->full = false;
    buf_print(all, "%s%s%s%s", all->size ? ", " : "", name,
              *name && *why ? " " : "", why);
    a->n_more += all->full;
}

/* An attached file of a type that cannot be drawn. */
static void add_foreign(struct attached *a, const struct raster_file *file)
{
    const char *what = file_type_foreign(file->bytes);
    char why[200];
    snprintf(why, sizeof why, "(%s)", what ? what : "a file without a name");
    add_unread(a, file->name, what || !*file->name ? why : "");
}

/* Adds an attached file, if it is of a type that can be drawn. */
static void add_file(struct attached *a, const struct raster_file *file,
                     struct arena *arena)
{
    enum file_type type = file_type_of(file->bytes);
    if (type == FILE_UNKNOWN || type == FILE_MAIL) {
        if (type == FILE_MAIL)
            add_unread(a, file->name, "(a mail)");
        else
            add_foreign(a, file);
        return;
    }
    struct split_part *part = ARENA_ADD(arena, a->part, a->n);
    *part = no_part;
    part->attachment = file->name;
    part->bytes = file->bytes;
    part->sha256 = hash_bytes(file->bytes);
    part->ending = ending_of(type, arena);
}

static void join_parts(struct split *split, const struct attached *a,
                       struct arena *arena)
{
    size_t n = (size_t)split->n_part, n_more = (size_t)a->n;
    if (n && n_more && !split_is_stack(split)) split->part[0].pages = "";
    struct split_part *all = arena_array(arena, n + n_more + 1, sizeof *all);
    if (n) memcpy(all, split->part, n * sizeof *all);
    if (n_more) memcpy(all + n, a->part, n_more * sizeof *all);
    split->part = all;
    split->n_part += a->n;
    split->n_attached = a->n;
}

/* True: a rasteriser that somebody killed, which says nothing of the document. */
static bool read_attached(struct document *doc, const struct settings *settings,
                          const struct child_process_stop *stop,
                          struct attached *a, const char **other,
                          struct err *err)
{
    struct raster_file file;
    struct raster *r = rasterise_open_files(doc, settings, stop, err);
    while (!err_failed(err) && rasterise_next_file(r, &file, other, err))
        add_file(a, &file, doc->arena);
    bool killed = err_failed(err) && rasterise_was_killed(r);
    rasterise_close(r);
    return killed;
}

static void find_attached(struct document *doc, const struct settings *settings,
                          const struct child_process_stop *stop,
                          struct split *split, struct err *err)
{
    struct attached a = {.n = 0};
    const char *other = "";
    bool killed = !err_failed(err);
    for (int n = 0; killed && n <= RASTERISE_AGAIN_MAX; n++) {
        buf_free(&a.unread);
        other = "";
        a = (struct attached){.unread = buf_limit(UNREAD_MAX)};
        *err = (struct err){0};
        killed = read_attached(doc, settings, stop, &a, &other, err);
    }
    if (!err_failed(err)) {
        if (*other) add_unread(&a, other, "");
        join_parts(split, &a, doc->arena);
        split->unread = arena_text(doc->arena, "%s", buf_span(&a.unread).data);
        if (a.n_more)
            split->unread = arena_text(doc->arena, "%s and %d more",
                                       split->unread, a.n_more);
    }
    buf_free(&a.unread);
}

/* --- both ------------------------------------------------------------------- */

/* True: as read_attached. */
static bool read_codes(struct document *doc, const struct settings *settings,
                       const struct child_process_stop *stop,
                       struct split *split, struct err *err)
{
    struct raster *r = rasterise_open_codes(doc, settings, stop, err);
    if (!err_failed(err)) {
        struct page_codes *page =
            arena_array(doc->arena, (size_t)doc->n_page + 1, sizeof *page);
        int n = 0;
        while (rasterise_next_codes(r, &page[n], err))
            n++;
        if (!err_failed(err))
            *split = split_plan(page, n, settings->archive_prefix, doc->arena);
    }
    bool killed = err_failed(err) && rasterise_was_killed(r);
    rasterise_close(r);
    return killed;
}

static void find_codes(struct document *doc, const struct settings *settings,
                       const struct child_process_stop *stop,
                       struct split *split, struct err *err)
{
    bool killed = !err_failed(err);
    for (int n = 0; killed && n <= RASTERISE_AGAIN_MAX; n++) {
        *err = (struct err){0};
        killed = read_codes(doc, settings, stop, split, err);
    }
    if (!err_failed(err) && split->n_part == 0)
        err_reason(err, ERR_INPUT, "no-pages",
                   "every page is a separator sheet, or the blank back of one");
    split->unread = "";
}

/* All pages are one document. */
static struct split whole_file(struct document *doc)
{
    struct split split = {.unread = "", .n_part = 1};
    split.part = arena_array(doc->arena, 1, sizeof *split.part);
    split.part[0] = no_part;
    return split;
}

struct split split_find(struct document *doc, const struct settings *settings,
                        const struct child_process_stop *stop, struct err *err)
{
    struct split split = {.unread = ""};
    if (err_failed(err)) return split;
    identify_document(doc, settings, err);
    doc->stage = "split";
    if (err_failed(err)) return split;
    bool is_mail = doc->type == FILE_MAIL;
    if (!is_mail) split = whole_file(doc);
    bool has_pages = !is_mail && !document_is_xml_invoice(doc);
    if (has_pages && !strcmp(settings->split, "barcode"))
        find_codes(doc, settings, stop, &split, err);
    bool can_hold = doc->type == FILE_PDF || document_is_xml_invoice(doc);
    if (is_mail || (can_hold && !strcmp(settings->attachments, "read")))
        find_attached(doc, settings, stop, &split, err);
    if (is_mail && !err_failed(err) && split.n_part == 0)
        err_reason(err, ERR_INPUT, "no-attachment",
                   "the mail has no attached PDF, picture or e-invoice%s%s",
                   *split.unread ? "; it has: " : "", split.unread);
    return split;
}
