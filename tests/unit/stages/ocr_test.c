/* ocr_test.c - OCR's protocol against children that lie
 * or die, and what becomes of the document; tests/e2e/ocr.sh has the true one.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stages/children/ocr_languages.h"
#include "stages/children/wire/ocr_protocol.h"
#include "stages/children/wire/packed_words.h"
#include "stages/print/ocr.h"
#include "stages/print/ocr_digits.h"
#include "stages/print/page_words.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"

enum { SIDE = 8 };

static char dir[64], child[80], table[80];

static int make_folder(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/platen-second-XXXXXX");
    if (!mkdtemp(dir)) return 1;
    snprintf(child, sizeof child, "%s/child", dir);
    snprintf(table, sizeof table, "%s/eng.traineddata", dir);
    FILE *f = fopen(table, "w");
    return !f || fclose(f);
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(child);
    unlink(table);
    return rmdir(dir);
}

static struct settings usual(void)
{
    return (struct settings){.ocr = "auto",
                             .ocr_languages = "eng",
                             .ocr_engine = "tesseract",
                             .ocr_models = "",
                             .ocr_data = dir,
                             .ocr_program = child,
                             .child_memory_limit = (int64_t)1 << 30,
                             .child_cpu_limit_s = 5,
                             .max_pages = 10,
                             .page_timeout_s = 1};
}

/* A child of a few lines of shell that reads an order and its page by `order`. */
static void write_child(const char *body)
{
    FILE *f = fopen(child, "w");
    fprintf(
        f,
        "#!/bin/bash\n"
        "u32() { for v; do printf \"$(printf '\\\\x%%02x\\\\x%%02x\\\\x%%02x"
        "\\\\x%%02x' $((v&255)) $((v>>8&255)) $((v>>16&255)) "
        "$((v>>24&255)))\" >&4; done; }\n"
        "frame() { u32 %d $1 ${2:-0} 0 ${3:-0} ${4:-0} ${5:-0} ${6:-0} "
        "${7:-0} 0; }\n"
        "hello() { frame 1 0 127 7; }\n"
        "ready() { hello; frame 33 1 1; printf 5 >&4; }\n"
        "order() { head -c %zu <&3 > /dev/null; }\n"
        "bytes() { head -c $1 /dev/zero >&4; }\n"
        "one=%d\n%s\n",
        FRAME_MAGIC, sizeof(struct child_frame) + SIDE * SIDE, PACKED_WORD_ONE,
        body);
    fclose(f);
    chmod(child, 0700);
}

/* Reads n pages; the warnings in a row. */
static char *read_pages(const char *body, const struct settings *s, int n,
                        int *n_read)
{
    struct err err = {0};
    struct image page = image_new(SIDE, SIDE, 1, &err);
    struct ocr_page out;
    memset(page.data, 255, SIDE * SIDE);
    if (body) write_child(body);
    struct document *doc = document_new("test", "test", -1);
    struct ocr *r = ocr_new(doc, s, NULL);
    *n_read = 0;
    for (int i = 1; i <= n; i++) {
        if (!ocr_read(r, i, &page, 150, OCR_WORDS | OCR_SCRIPT, &out)) {
            assert_int_equal(out.words.n_word, 0);
            continue;
        }
        ++*n_read;
        assert_int_equal(out.words.n_word, 1);
        assert_string_equal(out.words.word[0].text, "net");
        assert_true(fabsf(out.words.word[0].confidence - 0.9F) < 0.001F);
        assert_true(fabs(out.words.word[0].x - 0.25) < 1e-6);
        assert_string_equal(out.script.name, "Latin");
        assert_true(fabs(out.script.confidence - 0.8) < 0.001);
    }
    char *text = mem_alloc(64, 600), *to = text;
    for (int i = 0; i < doc->warnings->n && i < 64; i++)
        to += sprintf(to, "%s\n", doc->warnings->row[i].text);
    ocr_free(r);
    document_free(doc);
    image_free(&page);
    return text;
}

#define SCRIPT "frame 34 5 $n 400; printf Latin >&4; "
#define WORDS                                                                  \
    "frame 35 24 $n 1 3; u32 $((one/4)) 0 $((one/4)) $one 3; printf net >&4; " \
    "printf Z >&4; "

static void honest_words_are_taken(void **state)
{
    struct settings s = usual();
    int n;
    (void)state;
    char *said = read_pages(
        "ready; for n in 1 2 3; do order; " WORDS SCRIPT "done", &s, 3, &n);
    assert_int_equal(n, 3);
    assert_string_equal(said, "");
    mem_free(said);
}

/* What a child says after its greeting, and the warning that comes of it. */
static const struct {
    const char *body, *warning;
} lies[] = {
    {"exit 0", "ended early with status 0"},
    {"hello; exit 3", "ended early with status 3"},
    {"ready; kill -SEGV $$", "died of signal 11"},
    {"ready; kill -SYS $$", "its sandbox forbids"},
    {"ready; kill -XCPU $$", "processor time (child_cpu_limit)"},
    {"echo oh no >&2; exit 1", "status 1: oh no"},
    {"ready; order; sleep 20", "took longer than 1 s"},
    {"bytes 240", "without its magic number"},
    {"ready; order; bytes 99", "without its magic number"},
    {"frame 33 1 1", "unexpected message"},
    {"hello; frame 33 1 7", "no readiness"},
    {"hello; frame 33 500 1; bytes 500", "text that is too long"},
    {"ready; order; frame 35 0 1; frame 35 0 1", "unexpected message"},
    {"ready; order; n=1; " WORDS "n=2; " SCRIPT, "another page"},
    {"ready; order; n=1; " WORDS "frame 34 400 1 1; bytes 400",
     "text that is too long"},
    {"ready; order; n=1; frame 35 23 1 1 3; u32 0 0 $one $one 3; "
     "printf netZ >&4",
     "a message that is too short"},
    {"ready; order; n=1; frame 35 0 2", "not requested"},
    {"ready; order; n=1; frame 35 2199999978 1 99999999 99999999",
     "not requested"},
    {"ready; order; n=1; frame 35 4294967294 1 -1 -1", "not requested"},
    {"ready; order; n=1; frame 35 43 1 2 1", "not requested"},
    {"ready; order; n=1; frame 35 24 1 1 3 7", "not requested"},
    {"ready; order; n=1; frame 35 24 1 1 3; u32 0 0 $one $one 4; bytes 4",
     "invalid words"},
    {"ready; order; n=1; "
     "frame 35 24 1 1 3; u32 1 0 $one $one 3; printf netZ >&4",
     "invalid words"},
    {"ready; order; n=1; "
     "frame 35 24 1 1 3; u32 0 0 $one $one 3; printf 'net\\xff' >&4",
     "invalid words"},
    {"ready; order; n=1; "
     "frame 35 24 1 1 3; u32 0 0 $one $one 3; printf 'n\\x01tZ' >&4",
     "invalid words"},
    {"ready; order; frame 2 0 99", "an unknown failure"},
    {"ready; order; frame 2 4 1; printf 'oh\\x01.' >&4", "OCR: oh?."},
};

static void what_lies_or_dies_is_a_warning(void **state)
{
    struct settings s = usual();
    int n;
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char *said = read_pages(lies[i].body, &s, 1, &n);
        if (n || !strstr(said, lies[i].warning) || strchr(said, '\n')[1])
            fail_msg("%s: wanted \"%s\", read %d, got \"%s\"", lies[i].body,
                     lies[i].warning, n, said);
        mem_free(said);
    }
}

/* By whoever is short of memory: it is asked again, twice for each page. */
static void who_is_killed_from_outside_is_asked_again(void **state)
{
    static const struct {
        const char *first, *said;
        int n_read;
    } moment[] = {{"hello; kill -KILL $$", "", 1},
                  {"ready; order; kill -KILL $$", "", 1},
                  {"ready; order; n=1; " WORDS "kill -KILL $$", "", 1},
                  {"ready; order; exit 9",
                   "page 1: OCR: it ended early with status 9\n", 0}};
    struct settings s = usual();
    int n;
    (void)state;
    for (size_t i = 0; i < sizeof moment / sizeof moment[0]; i++) {
        char mark[80], body[900];
        snprintf(mark, sizeof mark, "%s/mark", dir);
        snprintf(
            body, sizeof body,
            "if [ ! -e %s ]; then touch %s; %s; fi; ready; n=1; order; " WORDS
                SCRIPT,
            mark, mark, moment[i].first);
        char *said = read_pages(body, &s, 1, &n);
        unlink(mark);
        assert_string_equal(said, moment[i].said);
        assert_int_equal(n, moment[i].n_read);
        mem_free(said);
    }
    char *said = read_pages("ready; order; kill -KILL $$", &s, 1, &n);
    assert_string_equal(said, "page 1: OCR: it died of signal 9\n");
    mem_free(said);
}

static void a_page_that_fails_costs_no_other(void **state)
{
    struct settings s = usual();
    int n;
    (void)state;
    char mark[80], body[600];
    snprintf(mark, sizeof mark, "%s/mark", dir);
    snprintf(body, sizeof body,
             "ready; if [ -e %s ]; then n=2; else n=0; fi; touch %s; order; "
             "[ $n = 0 ] && exit 9; " WORDS SCRIPT "n=3; order; " WORDS SCRIPT,
             mark, mark);
    char *said = read_pages(body, &s, 3, &n);
    unlink(mark);
    assert_int_equal(n, 2);
    assert_string_equal(said, "page 1: OCR: it ended early with status 9\n");
    mem_free(said);
    double since = clock_seconds();
    said = read_pages("ready; exit 4", &s, 200, &n);
    assert_int_equal(n, 0);
    assert_non_null(strstr(said, "gave up after page 3"));
    assert_null(strstr(said, "page 4"));
    assert_true(clock_seconds() - since < 20);
    mem_free(said);
}

static void without_it_one_warning_is_enough(void **state)
{
    struct settings s = usual();
    int n;
    (void)state;
    s.ocr_languages = "eng+chi_sim";
    char *said = read_pages("ready", &s, 5, &n);
    assert_non_null(strstr(said, "install tesseract-ocr-chi-sim (Debian)"));
    assert_null(strchr(strchr(said, '\n') + 1, '\n'));
    mem_free(said);
    s = usual();
    s.ocr_program = "/nonexistent";
    said = read_pages(NULL, &s, 5, &n);
    assert_string_equal(said, "OCR is not available: /nonexistent is missing "
                              "(ocr_program)\n");
    mem_free(said);
    s = usual();
    s.ocr = "off";
    said = read_pages("ready", &s, 5, &n);
    assert_string_equal(said, "");
    mem_free(said);
}

static const struct {
    const char *languages, *complaint;
} lists[] = {{"eng", NULL},
             {"eng+eng", NULL},
             {"", "expected languages"},
             {"eng+", "expected languages"},
             {"eng,deu", "expected languages"},
             {"../eng", "expected languages"},
             {"deu", "install tesseract-ocr-deu"},
             {"eng+Kannada", "tesseract-ocr-script-*"}};

static void languages_must_be_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct settings s = usual();
        struct err err = {0};
        s.ocr_languages = lists[i].languages;
        ocr_languages_check(&s, &err);
        if (!lists[i].complaint)
            test_ok(&err);
        else if (!strstr(err.text, lists[i].complaint))
            fail_msg("%s: %s", lists[i].languages, err.text);
    }
}

#define IN_FOLDER(test) \
    cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

/* "11.045," in a box around all of it, and "41" within; two figures of a text. */
static void a_figure_that_was_split_is_one_word(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct word each[] = {
        {.10, .1, .09, .01, "11.045,", .9F}, {.17, .1, .02, .01, "41", .6F},
        {.30, .1, .03, .01, "12,", .9F},     {.34, .1, .02, .01, "50", .9F},
        {.40, .1, .04, .01, "1.", .9F},      {.44, .1, .06, .01, "045,41", .9F},
        {.60, .1, .03, .01, "12.", .9F},     {.63, .2, .02, .01, "50", .9F},
        {.80, .1, .03, .01, "12,", .9F},     {.83, .1, .02, .01, "EUR", .9F}};
    static const char *const wanted[] = {"11.045,41", "12,", "50",  "1.045,41",
                                         "12.",       "50",  "12,", "EUR"};
    struct words words = {.word = each, .n_word = 10};
    ocr_digits_join(&words, arena);
    assert_int_equal(words.n_word, 8);
    for (int i = 0; i < 8; i++)
        assert_string_equal(words.word[i].text, wanted[i]);
    assert_float_equal(words.word[0].w, .09, 1e-9);
    assert_float_equal(words.word[0].confidence, .6, 1e-6);
    arena_free(arena);
}

/* The words for drafts, of a page without a text layer. */
static void what_is_read_by_now_can_be_copied(void **state)
{
    (void)state;
    struct settings s = usual();
    struct err err = {0};
    struct document *doc = document_new("test", "test", -1);
    struct page one = {.number = 1, .dpi = 150};
    const struct words none = {.n_word = 0};
    struct image drawn = image_new(SIDE, SIDE, 1, &err);
    struct buf text = buf_limit(1000);
    write_child("ready; order; read -r < $0.go; n=1; " WORDS SCRIPT);
    char go[100];
    snprintf(go, sizeof go, "%s.go", child);
    assert_int_equal(mkfifo(go, 0600), 0);
    memset(drawn.data, 255, SIDE * SIDE);
    doc->page = &one;
    doc->n_page = 1;
    struct page_words *p = page_words_new(doc, &s, NULL, true);
    struct page_view *view = page_view_new(&drawn, false, doc->arena, &err);
    test_ok(&err);
    page_words_add(p, 0, &none, view);
    page_words_append_text(p, 0, "\t", &text);
    assert_int_equal(text.size, 0); /* it does not wait */
    FILE *f = fopen(go, "w");
    assert_non_null(f);
    fputs("\n", f);
    fclose(f);
    assert_int_equal(page_words_get(p, 0)->words.n_word, 1);
    page_words_append_text(p, 0, "\t", &text);
    assert_string_equal(buf_span(&text).data, "net\n");
    page_view_close(view);
    page_words_free(p);
    image_free(&drawn);
    buf_free(&text);
    document_free(doc);
    unlink(go);
}

TEST_GROUP(ocr, cmocka_unit_test(a_figure_that_was_split_is_one_word),
           IN_FOLDER(honest_words_are_taken),
           IN_FOLDER(what_lies_or_dies_is_a_warning),
           IN_FOLDER(who_is_killed_from_outside_is_asked_again),
           IN_FOLDER(a_page_that_fails_costs_no_other),
           IN_FOLDER(without_it_one_warning_is_enough),
           IN_FOLDER(what_is_read_by_now_can_be_copied),
           IN_FOLDER(languages_must_be_there))
