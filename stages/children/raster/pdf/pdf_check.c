/* pdf_check.c - see pdf_check.h. */
#include "stages/children/raster/pdf/pdf_check.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stages/children/raster/pdf/embedded_files.h"
#include "stages/children/raster/pdf/pdf_attachment.h"
#include "stages/children/raster/pdf/pdf_password.h"
#include "stages/document/page_range.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"

enum { AT_ONCE = 32 };
static const double at_once_s = 2; /* CPU time for a batch */

struct pdf_check {
    const struct job *job;
    int n_page;
    struct page_range pages; /* the pages of the job */
    int number[AT_ONCE], n;
    struct pdf_walk walk[AT_ONCE];
    bool looked, has_invoice, attached;
    char unread[RASTER_N_NOTE][SHEET_TEXT_MAX];
};

struct pdf_check *pdf_check_new(const struct job *job, int n_page)
{
    struct err err = {0};
    struct pdf_check *check = mem_alloc(1, sizeof *check);
    check->job = job;
    check->n_page = n_page;
    page_range_parse(&check->pages, job->pages, &err);
    return check;
}

void pdf_check_free(struct pdf_check *check)
{
    mem_free(check);
}

void pdf_check_has_invoice(struct pdf_check *check)
{
    check->has_invoice = true;
}

/* --- the file ------------------------------------------------------------- */

static void add_unread(struct pdf_check *c, enum raster_note kind,
                       const char *text)
{
    char *all = c->unread[kind];
    size_t n = strlen(all);
    snprintf(all + n, SHEET_TEXT_MAX - n, "%s%s", n ? "; " : "", text);
}

struct attached_files {
    struct pdf_file *file;
    int n, n_named, n_xml; /* all; with an e-invoice's name; other XML */
    char first[256];       /* the first that is not XML */
};

static void add_attached(void *arg, pdf_object spec)
{
    struct attached_files *a = arg;
    char name[256];
    embedded_files_name(a->file, spec, name, sizeof name);
    size_t n = strlen(name);
    bool is_xml = n > 4 && !strcasecmp(name + n - 4, ".xml");
    bool named = embedded_files_is_invoice(name);
    a->n++;
    a->n_named += named;
    a->n_xml += is_xml && !named;
    if (!*a->first && !named) snprintf(a->first, sizeof a->first, "%s", name);
}

static void check_attachments(struct pdf_check *c, struct pdf_file *file,
                              pdf_object root)
{
    struct attached_files a = {.file = file};
    char text[SHEET_TEXT_MAX];
    bool is_portfolio =
        pdf_file_is_dictionary(file, pdf_file_get(file, root, "Collection"));
    embedded_files_specs(file, add_attached, &a);
    int n = a.n - a.n_named;
    if (c->has_invoice && a.n_named == 0 && a.n_xml > 0) n--;
    if (is_portfolio)
        snprintf(text, sizeof text,
                 "the file is a portfolio: its contents (%d %s) are not read",
                 n, n == 1 ? "file" : "files");
    else
        snprintf(text, sizeof text, "%d attached %s not read (%.60s)", n,
                 n == 1 ? "file is" : "files are", a.first);
    if (is_portfolio || n > 0) add_unread(c, RASTER_NOTE_ATTACHMENTS, text);
}

/* A dynamic form: the viewer lays out its fields; the page in the file only
 * asks for a suitable viewer. */
static bool is_dynamic_form(struct pdf_file *file, pdf_object root)
{
    pdf_object form = pdf_file_get(file, root, "AcroForm");
    return !pdf_file_is_null(file, pdf_file_get(file, form, "XFA")) &&
           (pdf_file_is_true(file,
                             pdf_file_get(file, root, "NeedsRendering")) ||
            pdf_file_array_size(file, pdf_file_get(file, form, "Fields")) == 0);
}

static void check_file(struct pdf_check *c, struct pdf_file *file, int n)
{
    char text[SHEET_TEXT_MAX];
    pdf_object root = pdf_file_root(file);
    if (n > c->n_page) {
        snprintf(text, sizeof text,
                 "pages %d to %d are not read: the file has %d pages but "
                 "declares %d",
                 c->n_page + 1, n, n, c->n_page);
        add_unread(c, RASTER_NOTE_UNREAD, text);
    }
    check_attachments(c, file, root);
    if (is_dynamic_form(file, root))
        add_unread(c, RASTER_NOTE_FORM,
                   "the file is a dynamic XFA form, whose fields only Adobe's "
                   "viewers show: print it to a PDF there");
}

/* --- pages ---------------------------------------------------------------- */

struct batch {
    struct pdf_check *check;
    struct pdf_file *file;
    struct sandbox_profile profile;
    int next;     /* the next page to check; 0: none */
    double until; /* CPU time */
};

/* Checks a page if it is the next one; the first visit counts all pages. */
static bool check_next(void *arg, int number, pdf_object page)
{
    struct batch *t = arg;
    struct pdf_check *c = t->check;
    if (number == t->next) {
        sandbox_cpu(&t->profile);
        pdf_walk_page(t->file, page, &c->walk[c->n]);
        c->number[c->n++] = number;
        bool full = c->n == AT_ONCE || clock_cpu_seconds() > t->until;
        t->next = full ? 0 : page_range_next(&c->pages, number, c->n_page);
    }
    return t->next || !c->looked;
}

static struct pdf_file *open_file(const struct job *job)
{
    return pdf_file_open(job->fd, (size_t)job->size_bytes, job->password->used);
}

void pdf_check_find_invoice(struct pdf_check *check, struct pdf_attachment *out)
{
    struct pdf_file *file = open_file(check->job);
    if (file) pdf_attachment_find_related(file, out);
    pdf_file_close(file);
}

static void check_batch(struct pdf_check *c, int number)
{
    struct batch t = {.check = c,
                      .file = open_file(c->job),
                      .profile = job_profile(c->job),
                      .next = number,
                      .until = clock_cpu_seconds() + at_once_s};
    c->n = 0;
    if (t.file) {
        int n = pdf_file_visit(t.file, check_next, &t);
        if (!c->looked) check_file(c, t.file, n);
    } else if (!c->looked) {
        add_unread(
            c, RASTER_NOTE_UNREAD,
            "libqpdf cannot read the file: whether pages are complete is "
            "not known");
    }
    c->looked = true;
    pdf_file_close(t.file);
    sandbox_cpu(&t.profile);
}

const struct pdf_walk *pdf_check_page(struct pdf_check *c, int number)
{
    static const struct pdf_walk unknown = {.missing = NULL};
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < c->n; i++) {
            if (c->number[i] != number) continue;
            if (c->walk[i].attached && !c->attached)
                add_unread(c, RASTER_NOTE_ATTACHMENTS,
                           "a file that is attached to a page is not read");
            c->attached |= c->walk[i].attached;
            return &c->walk[i];
        }
        if (!again) check_batch(c, number);
    }
    return &unknown;
}

const char *pdf_check_unread(const struct pdf_check *check,
                             enum raster_note kind)
{
    return check->unread[kind];
}

static bool count_page(void *arg, int number, pdf_object page)
{
    (void)arg;
    (void)page;
    return number < INT_MAX;
}

bool pdf_check_count(const struct job *job, int *n_page, long long *n_counted)
{
    struct pdf_file *file = open_file(job);
    if (!file) return false;
    pdf_object pages = pdf_file_get(file, pdf_file_root(file), "Pages");
    *n_counted = pdf_file_integer(file, pdf_file_get(file, pages, "Count"), 0);
    *n_page = pdf_file_visit(file, count_page, NULL);
    pdf_file_close(file);
    return true;
}

bool pdf_check_files(const struct job *job, const struct embedded_files_to *to)
{
    struct pdf_file *file = open_file(job);
    if (!file) return false;
    embedded_files_find(file, to);
    pdf_file_close(file);
    return true;
}
