/* progress.c - see progress.h. */
#include "pipeline/observe/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pipeline/observe/page_rate.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/base/utf8.h"

enum { HANDS = 80, NAME_SIZE = 120, ENDED_TO_TELL = 3 };
enum { COLUMNS_DEFAULT = 80, COLUMNS_SPARE = 3 };
enum { MINUTES_MOST = 300 }; /* above, hours are shown */
enum { WIDE = 0x1100 };      /* from here on a character can be two columns */
static const double draw_each_s = 0.1, say_each_s = 60;
static const double rest_s =
    10; /* watch: after this idle time counts restart */

struct at_hand {
    char id[SPOOL_ID_SIZE], name[NAME_SIZE], stage[24];
    int page, n_page, n_read;
    double since, logged;
    struct page_rate tempo;
};

struct progress {
    bool terminal, drawn;
    double drew;
    size_t n_ended, n_left;
    double ended_s; /* that those took, together */
    double rested;  /* since when no document is read */
    struct at_hand hand[HANDS];
    size_t n_hand;
    char shown[SPOOL_ID_SIZE]; /* the one of which the line tells more */
};

struct progress *progress_new(bool terminal)
{
    struct progress *p = mem_alloc(1, sizeof *p);
    p->terminal = terminal && log_on_terminal();
    return p;
}

void progress_free(struct progress *p)
{
    if (!p) return;
    progress_wipe(p);
    mem_free(p);
}

void progress_expect(struct progress *p, size_t n_left)
{
    p->n_left = n_left;
}

static struct at_hand *find_hand(struct progress *p, const char *id)
{
    for (size_t i = 0; i < p->n_hand; i++)
        if (!strcmp(p->hand[i].id, id)) return &p->hand[i];
    return NULL;
}

static struct at_hand *add_hand(struct progress *p, const char *id, double now)
{
    if (p->n_hand == HANDS) return NULL;
    if (!p->n_hand && now - p->rested > rest_s) {
        p->n_ended = 0;
        p->ended_s = 0;
    }
    struct at_hand *h = &p->hand[p->n_hand++];
    *h = (struct at_hand){.since = now, .logged = now};
    snprintf(h->id, sizeof h->id, "%s", id);
    return h;
}

/* Pages that are not read yet. */
static int pages_left(const struct at_hand *h)
{
    return h->n_page - h->n_read;
}

/* Chooses the document with the most pages left. The choice stays until that
 * document ends, or another has twice as many: a line that jumps cannot be
 * read. */
static void choose_shown(struct progress *p)
{
    struct at_hand *shown = find_hand(p, p->shown);
    for (size_t i = 0; i < p->n_hand; i++) {
        struct at_hand *h = &p->hand[i];
        if (!shown || pages_left(h) > 2 * pages_left(shown)) shown = h;
    }
    snprintf(p->shown, sizeof p->shown, "%s", shown ? shown->id : "");
}

void progress_update(struct progress *p, const struct progress_step *step,
                     double now)
{
    struct at_hand *h = find_hand(p, step->id);
    if (!h) h = add_hand(p, step->id, now);
    if (!h) return;
    size_t n = utf8_cut(step->name, strnlen(step->name, NAME_SIZE - 1));
    memcpy(h->name, step->name, n);
    h->name[n] = '\0';
    snprintf(h->stage, sizeof h->stage, "%s", step->stage);
    h->page = step->page;
    h->n_page = step->n_page;
    h->n_read = step->n_read;
    page_rate_add(&h->tempo, step->n_read, now);
    choose_shown(p);
}

void progress_end(struct progress *p, const char *id, bool ended, double now)
{
    struct at_hand *h = find_hand(p, id);
    p->n_ended += ended;
    if (ended && h) p->ended_s += now - h->since;
    if (h) *h = p->hand[--p->n_hand];
    p->rested = now;
    choose_shown(p);
}

/* --- how long it will take ------------------------------------------------- */

/* Average seconds per document; negative: too few are finished. */
static double mean(const struct progress *p)
{
    return p->n_ended < ENDED_TO_TELL ? -1 : p->ended_s / (double)p->n_ended;
}

/* Estimated seconds until the document ends; negative: unknown. */
static double document_left(const struct progress *p, const struct at_hand *h,
                            double now)
{
    if (h->n_read) return page_rate_left(&h->tempo, h->n_page, now);
    /* one that takes longer than the others may take as long again */
    return mean(p) < 0 ? -1 : fabs(mean(p) - (now - h->since));
}

/* Estimated seconds until all documents end; negative: unknown. */
static double run_left(const struct progress *p, double now)
{
    double sum = 0, most = 0;
    for (size_t i = 0; i < p->n_hand; i++) {
        double left = document_left(p, &p->hand[i], now);
        if (left < 0) return -1;
        sum += left;
        if (left > most) most = left;
    }
    if (p->n_left > p->n_hand) {
        if (mean(p) < 0) return -1;
        sum += (double)(p->n_left - p->n_hand) * mean(p);
    }
    double shared = sum / (double)(p->n_hand ? p->n_hand : 1);
    return shared > most ? shared : most;
}

/* --- the line ---------------------------------------------------------------- */

/* 2,000 */
static void print_count(struct buf *out, size_t n)
{
    if (n >= 1000) {
        print_count(out, n / 1000);
        buf_print(out, ",%03zu", n % 1000);
    } else {
        buf_print(out, "%zu", n);
    }
}

static void print_left(struct buf *out, double seconds)
{
    double minutes = ceil(seconds / 60);
    if (minutes < 1) minutes = 1;
    if (minutes <= MINUTES_MOST)
        buf_print(out, ", about %.0f min left", minutes);
    else
        buf_print(out, ", about %.0f h left", ceil(minutes / 60));
}

static void print_page(struct buf *out, const struct at_hand *h)
{
    if (!h->page) return;
    buf_add_text(out, "page ");
    print_count(out, (size_t)h->page);
    if (h->n_page) buf_add_text(out, " of ");
    if (h->n_page) print_count(out, (size_t)h->n_page);
}

static void print_documents(struct buf *out, const struct progress *p)
{
    size_t left = p->n_left > p->n_hand ? p->n_left : p->n_hand;
    print_count(out, p->n_ended);
    buf_add_text(out, " of ");
    print_count(out, p->n_ended + left);
    buf_add_text(out, p->n_ended + left == 1 ? " document" : " documents");
}

/* The number of bytes of the text that fit into the columns. */
static size_t fitting(const char *text, int columns)
{
    const char *at = text;
    for (int n = 0; *at;) {
        const char *next = at;
        uint32_t c = utf8_take(&next);
        n += c != UTF8_BAD && c >= WIDE ? 2 : 1;
        if (n > columns) break;
        at = next;
    }
    return (size_t)(at - text);
}

/* Cuts the line at the last of the ends that fits, since half a number would be
 * wrong. Only the name at the end can be cut anywhere, with a mark. */
static void cut_columns(struct buf *out, const size_t *end, int n_end,
                        int columns)
{
    static const char more[] = "...", before[] = ": ";
    const char *text = buf_span(out).data;
    size_t fits = fitting(text, columns);
    if (fits == out->size) return;
    size_t name = fitting(text, columns - (int)strlen(more));
    if (name > end[n_end - 1] + strlen(before)) {
        buf_cut(out, name);
        buf_add_text(out, more);
        return;
    }
    while (n_end > 0 && end[n_end - 1] > fits)
        n_end--;
    buf_cut(out, n_end ? end[n_end - 1] : 0);
}

/* The time left for the run if known, else for the document shown, else the
 * time it has taken. */
static void print_time(struct buf *out, const struct progress *p,
                       const struct at_hand *h, double now)
{
    double all = run_left(p, now), one = document_left(p, h, now);
    if (all >= 0 || one >= 0)
        print_left(out, all >= 0 ? all : one);
    else
        buf_print(out, ", %.0f s", now - h->since);
    if (all < 0 && one >= 0) buf_add_text(out, " of this one");
}

void progress_print(const struct progress *p, double now, int columns,
                    struct buf *out)
{
    const struct at_hand *h = p->hand;
    if (!p->n_hand) return;
    while (strcmp(h->id, p->shown) != 0)
        h++;
    size_t end[3];
    print_documents(out, p);
    end[0] = out->size;
    if (h->page) buf_add_text(out, ", ");
    print_page(out, h);
    end[1] = out->size;
    print_time(out, p, h, now);
    end[2] = out->size;
    buf_print(out, ": %s", h->name);
    if (p->n_hand > 1) buf_print(out, " and %zu more", p->n_hand - 1);
    if (!h->n_read) buf_print(out, ", %s", *h->stage ? h->stage : "begins");
    cut_columns(out, end, 3, columns);
}

static int columns_of_terminal(void)
{
    struct winsize size;
    int n = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (n <= 0) n = COLUMNS_DEFAULT;
    n -= COLUMNS_SPARE; /* for ^C */
    return n > 0 ? n : 0;
}

/* One write that also wipes the rest of the line, against flicker. */
static void draw_line(struct progress *p, double now)
{
    if (now - p->drew < draw_each_s) return;
    struct buf line = buf_limit(4096);
    buf_add_text(&line, "\r");
    struct buf text = buf_limit(2048);
    progress_print(p, now, columns_of_terminal(), &text);
    buf_add_text(&line, buf_span(&text).data);
    buf_add_text(&line, "\033[K");
    if (text.size || p->drawn) fwrite(line.data, 1, line.size, stderr);
    p->drawn = text.size > 0;
    p->drew = now;
    buf_free(&text);
    buf_free(&line);
}

/* Without a terminal: a line per minute for each document read page by page. */
static void log_lines(struct progress *p, double now)
{
    for (size_t i = 0; i < p->n_hand; i++) {
        struct at_hand *h = &p->hand[i];
        if (!h->n_read || now - h->logged < say_each_s) continue;
        h->logged = now;
        struct buf text = buf_limit(2048);
        buf_print(&text, "%s: ", h->name);
        print_page(&text, h);
        double left = page_rate_left(&h->tempo, h->n_page, now);
        if (left >= 0) print_left(&text, left);
        buf_add_text(&text, "; ");
        print_documents(&text, p);
        log_note("%s", buf_span(&text).data);
        buf_free(&text);
    }
}

void progress_draw(struct progress *p)
{
    double now = clock_seconds();
    if (p->terminal)
        draw_line(p, now);
    else
        log_lines(p, now);
}

void progress_wipe(struct progress *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
    p->drew = 0;
}
