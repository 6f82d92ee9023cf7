/* page_relevance.c - see page_relevance.h. */
#include "stages/long/plan/page_relevance.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/fnv.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum {
    LABELS_MAX = 512,
    LABEL_WORDS_MAX = 8,
    WORD_BYTES = 128,
    DEPTH_MAX = 8,
    DESCRIPTION_WORD_LEAST = 5 /* letters */
};

/* Words in sequence; those of a description in any order. */
struct label {
    uint64_t word[LABEL_WORDS_MAX];
    int n_word;
    bool loose;
    int field; /* that it is a label of */
};

struct page_relevance {
    struct label label[LABELS_MAX];
    int n_label, n_field;
    const cJSON *root;
};

/* The word without case, accents and punctuation at its ends; 0: none. */
static uint64_t hash_of(const char *word, size_t n)
{
    char copy[WORD_BYTES], folded[WORD_BYTES];
    if (n >= sizeof copy) return 0;
    memcpy(copy, word, n);
    copy[n] = '\0';
    utf8_fold(copy, folded, sizeof folded);
    const char *from = folded;
    size_t size = strlen(folded);
    while (size > 0 && ispunct((unsigned char)from[size - 1]))
        size--;
    while (size > 0 && ispunct((unsigned char)*from)) {
        from++;
        size--;
    }
    return size ? fnv_bytes(FNV_START, from, size) : 0;
}

/* Where a word of a name ends: before _ - . and blanks, between aB and ABc. */
static size_t word_size(const char *at)
{
    size_t n = 1;
    for (; at[n] && !strchr("_-./ \t\n", at[n]); n++) {
        bool upper = isupper((unsigned char)at[n]);
        if (upper && islower((unsigned char)at[n - 1])) break;
        if (upper && islower((unsigned char)at[n + 1])) break;
    }
    return n;
}

/* Adds a label of the text's words of at least `least` bytes. */
static void add_label(struct page_relevance *m, const char *text, size_t least,
                      bool split)
{
    if (m->n_label == LABELS_MAX || !text) return;
    struct label label = {.loose = least > 1, .field = m->n_field};
    for (const char *at = text; *at && label.n_word < LABEL_WORDS_MAX;) {
        size_t blank = strspn(at, split ? "_-./ \t\n" : " \t\n");
        at += blank;
        if (!*at) break;
        size_t n = split ? word_size(at) : strcspn(at, " \t\n");
        uint64_t hash = n >= least ? hash_of(at, n) : 0;
        if (hash) label.word[label.n_word++] = hash;
        at += n;
    }
    if (label.n_word) m->label[m->n_label++] = label;
}

static const cJSON *follow(const struct page_relevance *m, const cJSON *node)
{
    for (int i = 0; i < DEPTH_MAX; i++) {
        const char *reference = json_get_text(node, "$ref");
        if (!reference || *reference != '#') break;
        const cJSON *target = json_pointer_find(m->root, reference + 1);
        if (!target) break;
        node = target;
    }
    return node;
}

/* Follows references, and the non-null one of a schema or null. */
static const cJSON *resolve(const struct page_relevance *m, const cJSON *node)
{
    const cJSON *target = follow(m, node), *only = NULL, *option = NULL;
    const cJSON *any = json_get(target, "anyOf");
    if (!any) any = json_get(target, "oneOf");
    cJSON_ArrayForEach(option, any)
    {
        const cJSON *o = follow(m, option);
        const char *type = json_get_text(o, "type");
        if (type && !strcmp(type, "null")) continue;
        if (only) return target;
        only = o;
    }
    return only ? only : target;
}

static bool is_array(const cJSON *node)
{
    const char *type = json_get_text(node, "type");
    return json_get(node, "items") || json_get(node, "prefixItems") ||
           (type && !strcmp(type, "array"));
}

static void add_field(struct page_relevance *m, const cJSON *given,
                      const cJSON *node)
{
    const char *title = json_get_text(given, "title");
    const char *description = json_get_text(given, "description");
    add_label(m, given->string, 1, true);
    add_label(m, title ? title : json_get_text(node, "title"), 1, false);
    add_label(m, description ? description : json_get_text(node, "description"),
              DESCRIPTION_WORD_LEAST, false);
    m->n_field++;
}

static void add_fields(struct page_relevance *m, const cJSON *node, int depth)
{
    const cJSON *property = NULL;
    cJSON_ArrayForEach(property, json_get(resolve(m, node), "properties"))
    {
        const cJSON *target = resolve(m, property);
        if (is_array(target)) continue;
        if (!json_get(target, "properties"))
            add_field(m, property, target);
        else if (depth < DEPTH_MAX)
            add_fields(m, target, depth + 1);
    }
}

struct page_relevance *page_relevance_new(const cJSON *root, const cJSON *node,
                                          struct arena *arena)
{
    struct page_relevance *m = arena_alloc(arena, sizeof *m);
    m->root = root;
    add_fields(m, node, 0);
    return m;
}

/* The longest prefix of the label that is on the page. */
static int longest_run(const struct label *label, const uint64_t *page, int n)
{
    int best = 0;
    for (int i = 0; i < n && best < label->n_word; i++) {
        int run = 0;
        while (run < label->n_word && i + run < n &&
               page[i + run] == label->word[run])
            run++;
        if (run > best) best = run;
    }
    return best;
}

static int words_seen(const struct label *label, const uint64_t *page, int n)
{
    int seen = 0;
    for (int w = 0; w < label->n_word; w++)
        for (int i = 0; i < n; i++)
            if (page[i] == label->word[w]) {
                seen++;
                break;
            }
    return seen;
}

/* 1: as written; less for parts of it and for words of a description. */
static double label_on(const struct label *label, const uint64_t *page, int n)
{
    double seen = words_seen(label, page, n) / (double)label->n_word;
    if (label->loose) return 0.3 * seen;
    if (longest_run(label, page, n) == label->n_word) return 1;
    return 0.4 * seen;
}

double page_relevance(const struct page_relevance *match,
                      const struct words *words)
{
    if (words->n_word < 1 || match->n_field < 1) return 0;
    uint64_t *page = mem_alloc((size_t)words->n_word, sizeof *page);
    double sum = 0, best = 0;
    int n = 0;
    for (int i = 0; i < words->n_word; i++) {
        const char *text = words->word[i].text;
        page[n] = hash_of(text, strlen(text));
        n += page[n] != 0;
    }
    for (int l = 0; l < match->n_label; l++) {
        bool first =
            l == 0 || match->label[l].field != match->label[l - 1].field;
        if (first) {
            sum += best;
            best = 0;
        }
        best = fmax(best, label_on(&match->label[l], page, n));
    }
    mem_free(page);
    return (sum + best) / match->n_field;
}
