/* example_choice.c - see example_choice.h. */
#define _GNU_SOURCE
#include "pipeline/spool/example_choice.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stages/confidence/earlier.h"
#include "vlm/base/fnv.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

enum { NAME_WORDS = 8, LINE_MOST = 4096, NAME_LETTERS = 3 };

/* --- names ------------------------------------------------------------------- */

static const char gaps[] = " \t";

/* Names that begin at `at`: its next word, with one more each time. */
static void names_at(char *at, void (*one)(void *arg, const char *name),
                     void *arg)
{
    char name[EARLIER_TEXT];
    size_t size = 0;
    for (int n = 0; n < NAME_WORDS && at[size] && size < EARLIER_TEXT; n++) {
        size += strspn(at + size, gaps);
        size += strcspn(at + size, gaps);
        char end = at[size];
        at[size] = '\0';
        earlier_fold(at, name);
        at[size] = end;
        if (strlen(name) >= NAME_LETTERS) one(arg, name);
    }
}

void example_choice_names(struct span words,
                          void (*one)(void *arg, const char *name), void *arg)
{
    char line[LINE_MOST];
    for (size_t from = 0; from < words.size;) {
        const char *at = words.data + from;
        const char *end = memchr(at, '\n', words.size - from);
        size_t size = end ? (size_t)(end - at) : words.size - from;
        size_t n = size < sizeof line ? size : sizeof line - 1;
        memcpy(line, at, n);
        line[n] = '\0';
        for (char *word = line + strspn(line, gaps); *word;) {
            names_at(word, one, arg);
            word += strcspn(word, gaps);
            word += strspn(word, gaps);
        }
        from += size + 1;
    }
}

/* --- likeness ---------------------------------------------------------------- */

/* The words of a text as sorted numbers, each once: tables have many rows. */
struct word_list {
    uint64_t *word;
    size_t n;
};

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All figures are alike. */
static uint64_t number_of(const char *word, size_t size)
{
    uint64_t hash = FNV_START;
    for (size_t i = 0; i < size; i++)
        hash = fnv_add(hash,
                       (unsigned char)(text_is_digit(word[i]) ? '0' : word[i]));
    return hash;
}

static struct word_list list_words(struct span text, struct arena *arena)
{
    struct word_list list = {.n = 0};
    for (size_t i = 0; i < text.size;) {
        size_t from = i;
        while (i < text.size && (unsigned char)text.data[i] > ' ')
            i++;
        if (i > from)
            *ARENA_ADD(arena, list.word, list.n) =
                number_of(text.data + from, i - from);
        i += i == from;
    }
    if (!list.n) return list;
    qsort(list.word, list.n, sizeof *list.word, by_number);
    size_t n = 1;
    for (size_t i = 1; i < list.n; i++)
        if (list.word[i] != list.word[n - 1]) list.word[n++] = list.word[i];
    list.n = n;
    return list;
}

static int likeness_of(const struct word_list *a, const struct word_list *b)
{
    size_t both = 0, all = a->n + b->n;
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        both += a->word[i] == b->word[k];
        bool first = a->word[i] <= b->word[k],
             second = b->word[k] <= a->word[i];
        i += first;
        k += second;
    }
    return all ? (int)(2 * both * EXAMPLE_LIKENESS / all) : 0;
}

static int by_likeness(const void *a, const void *b)
{
    const struct example_candidate *x = a, *y = b;
    if (x->likeness != y->likeness) return y->likeness - x->likeness;
    return strcmp(y->id, x->id);
}

int example_choice_rank(struct span words, struct example_candidate *all, int n)
{
    struct arena *arena = arena_new();
    struct word_list own = list_words(words, arena);
    int left = 0;
    for (int i = 0; i < n; i++) {
        struct word_list other = list_words(all[i].words, arena);
        all[i].likeness = likeness_of(&own, &other);
    }
    arena_free(arena);
    if (n) qsort(all, (size_t)n, sizeof *all, by_likeness);
    for (int i = 0; i < n; i++)
        if (all[i].likeness >= EXAMPLE_LIKENESS_LEAST &&
            !strcmp(all[i].sender, all[0].sender))
            all[left++] = all[i];
    return left;
}

/* --- the list ----------------------------------------------------------------- */

void example_choice_print(const struct example_candidate *e, const cJSON *value,
                          struct buf *out)
{
    buf_add_text(out, out->size ? ",{\"id\":" : "[{\"id\":");
    json_print_string(out, span_of(e->id));
    buf_add_text(out, ",\"words\":");
    json_print_string(out, e->words);
    buf_add_text(out, ",\"value\":");
    json_print(out, value, 0);
    buf_add_text(out, "}");
}

void example_choice_end(struct buf *out)
{
    if (out->size) buf_add_text(out, "]");
}

int example_choice_file(const struct buf *list)
{
    if (!list->size || list->full) return -1;
    int fd = memfd_create("examples", MFD_CLOEXEC);
    if (fd < 0) return -1;
    if (write(fd, list->data, list->size) == (ssize_t)list->size &&
        lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    return -1;
}
