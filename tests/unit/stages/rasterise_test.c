/* rasterise_test.c - the pixel protocol against children that lie, the walls
 * round the real one, and the documents of samples/ and ../shared/corpus. */
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/children/wire/raster_protocol.h"
#include "stages/document/reason.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "tests/unit/stages/usual_settings.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"

static struct settings usual(void)
{
    struct settings s = usual_settings();
    s.deskew = s.skip_blank = true;
    return s;
}

static const struct prepare_target target = {
    .grid = 32, .min_pixels = 65536, .max_pixels = 600000};

/* What became of a file. */
struct outcome {
    struct err err;
    int n_page, n_source, n_warning, n_blank;
    int width, height, channels; /* of the last page, as drawn */
    double dpi;
};

static bool want_invoice;

static struct outcome run_with(const char *path, const struct settings *s,
                               const struct prepare_target *t)
{
    struct outcome out = {.n_page = 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail_msg("%s cannot be opened", path);
    struct document *doc = document_new("test", path, fd);
    identify_document(doc, s, &out.err);
    doc->want_invoice = want_invoice;
    struct raster *r = rasterise_open(doc, s, t, NULL, &out.err);
    struct image im;
    while (!err_failed(&out.err) && rasterise_next(r, &im, &out.err)) {
        struct page *page = &doc->page[out.n_page++];
        out.width = im.width_px;
        out.height = im.height_px;
        out.channels = im.n_channel;
        out.dpi = page->dpi;
        prepare_page(&im, NULL, page, t, s, &out.err);
        out.n_blank += page->blank;
        if (!err_failed(&out.err) && !page->blank) {
            assert_int_equal(im.n_channel, out.channels); /* grey stays grey */
            assert_int_equal(im.width_px % t->grid, 0);
            assert_int_equal(im.height_px % t->grid, 0);
        }
        image_free(&im);
    }
    rasterise_close(r);
    out.n_source = doc->n_page_source;
    out.n_warning = doc->warnings->n;
    document_free(doc);
    close(fd);
    return out;
}

static struct outcome run(const char *path)
{
    struct settings s = usual();
    return run_with(path, &s, &target);
}

static const char *code_of(const struct outcome *o)
{
    return err_failed(&o->err) ? reason_of(&o->err)->code : "";
}

static struct outcome run_sample(const char *path)
{
    char full[4096];
    return run(test_path(full, path));
}

/* A child of a few lines of shell. */
static struct outcome run_fake(const char *body)
{
    char dir[] = "/tmp/platen-raster-XXXXXX", child[64], doc[64];
    assert_non_null(mkdtemp(dir));
    snprintf(child, sizeof child, "%s/child", dir);
    snprintf(doc, sizeof doc, "%s/doc", dir);
    FILE *f = fopen(child, "w");
    /* u32 N...: little-endian numbers on descriptor 4 */
    fprintf(
        f,
        "#!/bin/bash\n"
        "u32() { for v; do printf \"$(printf '\\\\x%%02x\\\\x%%02x\\\\x%%02x"
        "\\\\x%%02x' $((v&255)) $((v>>8&255)) $((v>>16&255)) "
        "$((v>>24&255)))\" >&4; done; }\n"
        "frame() { u32 %d $1 ${2:-0} 0 ${3:-0} ${4:-0} ${5:-0} ${6:-0} "
        "${7:-0} 0; }\n"
        "hello() { frame 1 0 15 7; }\n"
        "bytes() { head -c $1 /dev/zero >&4; }\n%s\n",
        FRAME_MAGIC, body);
    fclose(f);
    chmod(child, 0700);
    f = fopen(doc, "w");
    fputs("\x89PNG\r\n\x1a\n", f);
    fclose(f);
    struct settings s = usual();
    s.raster_program = child;
    s.page_timeout_s = 1;
    struct outcome out = run_with(doc, &s, &target);
    unlink(child);
    unlink(doc);
    rmdir(dir);
    return out;
}

static const struct {
    const char *body, *code;
} lies[] = {
    {"exit 0", "raster-crash"},
    {"hello; exit 3", "raster-crash"},
    {"echo hello >&4; bytes 64", "raster-protocol"},
    {"frame 16 0 1 1; bytes 10000", "raster-protocol"},
    {"hello; frame 16; bytes 100", "raster-protocol"},
    {"hello; frame 16 0 -1 -1; bytes 100", "raster-protocol"},
    {"hello; frame 16 0 1 2; bytes 100", "raster-protocol"},
    {"hello; frame 16 0 5000 5000; bytes 100", "raster-protocol"},
    {"hello; frame 16 0 2000000000 2000000000; bytes 9", "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 64 2 8 8 1; bytes 64", "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 0 1 -8 8 1; bytes 64", "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 0 1 0 8 1; bytes 64", "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 4294574083 1 65535 65535 3",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 128 1 8 8 2; bytes 128",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 64 1 8 8 1; bytes 63", "raster-crash"},
    {"hello; frame 16 0 1 1; frame 18 63 1 8 8 1; bytes 64", "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 65 1 8 8 1; bytes 65; frame 19",
     "raster-protocol"},
    {"hello; frame 16 4 1 1; bytes 4; frame 18 64 1 8 8 1; bytes 64",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 64 1 8 8 1; bytes 64; bytes 40",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 64 1 8 8 1; bytes 64; frame 19; bytes 1",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 18 64 1 8 8 1; bytes 64; frame 18 64 1 8 8 "
     "1; bytes 64",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 17 401 1; bytes 401", "raster-protocol"},
    {"hello; frame 16 0 1 1; for i in 1 2 3 4 5 6 7 8 9; do frame 17 1 1; "
     "bytes 1; "
     "done",
     "raster-protocol"},
    {"hello; frame 16 0 1 1; frame 20 21 1 1 1; bytes 21; frame 18 64 1 8 8 1; "
     "bytes 64",
     "raster-protocol"},
    {"hello; frame 2 0 99", "raster-protocol"},
    {"hello; frame 2 -1", "raster-protocol"},
    {"hello; frame 2 4; printf 'bad!' >&4", "damaged"},
    {"hello; frame 16 0 1 1; frame 2 2 6 1; printf 'no' >&4", "page-failed"},
    {"frame 1; frame 16 0 1 1", "no-sandbox"},
    {"hello; sleep 20", "resource-cpu"},
    {"hello; frame 16 0 1 1; frame 18 64 1 8 8 1; bytes 10; sleep 20",
     "resource-cpu"},
    {"hello; kill -XCPU $$", "resource-cpu"},
    {"hello; kill -SYS $$", "sandbox-violation"},
    {"hello; kill -SEGV $$", "raster-crash"},
    {"hello; kill -KILL $$", "raster-crash"},
    {"hello; echo 'terminate: std::bad_alloc' >&2; kill -ABRT $$",
     "resource-memory"},
};

static void lying_children_are_found_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        double since = clock_seconds();
        struct outcome o = run_fake(lies[i].body);
        if (strcmp(code_of(&o), lies[i].code))
            fail_msg("%s: got [%s] %s", lies[i].body, code_of(&o), o.err.text);
        assert_true(clock_seconds() - since < 10);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    }
}

static void an_honest_child_is_believed(void **state)
{
    (void)state;
    struct outcome o =
        run_fake("hello; frame 16 0 2 2\n"
                 "frame 17 4 1; printf 'note' >&4\n"
                 "frame 18 4096 1 64 64 1 72000; bytes 4096\n"
                 "frame 18 6144 2 64 32 3; bytes 6144; frame 19");
    test_ok(&o.err);
    assert_int_equal(o.n_page, 2);
    assert_int_equal(o.n_warning, 1);
    assert_int_equal(o.height, 32);
}

/* Before its first page: whoever killed it meant no document. */
static void a_child_that_was_killed_is_begun_again(void **state)
{
    (void)state;
    struct outcome o =
        run_fake("mkdir $0.1 2> /dev/null && kill -KILL $$\n"
                 "mkdir $0.2 2> /dev/null && hello && kill -KILL $$\n"
                 "rmdir $0.1 $0.2; hello; frame 16 0 1 1\n"
                 "frame 18 4096 1 64 64 1 72000; bytes 4096; frame 19");
    test_ok(&o.err);
    assert_int_equal(o.n_page, 1);
    assert_int_equal(o.n_warning, 0);
}

/* A child that is asked for an e-invoice, once. */
#define ONE_PAGE "frame 18 4096 1 64 64 1 72000; bytes 4096; frame 19"

static void an_e_invoice_costs_no_page(void **state)
{
    (void)state;
    static const struct {
        const char *invoice;
        int n_warning;
    } each[] = {{"frame 23", 0},
                {"frame 23 23 1 1 3; u32 1 0 0 3 0; printf 'R-1' >&4", 0},
                {"frame 23 23 2 1 3; u32 0 0 0 3 0; printf 'a.x' >&4", 1},
                {"exit 3", 1},
                {"kill -SEGV $$", 1},
                {"kill -XCPU $$", 1},
                {"frame 23 0 77", 1},
                {"frame 23 23 1 1 3; u32 1 0 0 2 0; printf 'R-1' >&4", 1},
                {"frame 23 23 1 1 3; u32 500 0 0 3 0; printf 'R-1' >&4", 1},
                {"frame 23 23 1 1 3; u32 1 0 0 3 0; printf 'R\\n1' >&4", 1},
                {"frame 23 11700000 1 900000 900000", 1},
                {ONE_PAGE "; exit", 1}};
    want_invoice = true;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        char body[400];
        snprintf(body, sizeof body,
                 "hello; frame 16 0 1 1\ncase \"$*\" in *--invoice*) %s ;; "
                 "esac\n" ONE_PAGE,
                 each[i].invoice);
        struct outcome o = run_fake(body);
        if (o.n_page != 1 || o.n_warning != each[i].n_warning)
            fail_msg("%s: %d pages, %d warnings, %s", each[i].invoice, o.n_page,
                     o.n_warning, o.err.text);
    }
    want_invoice = false;
}

static void endless_complaints_are_forgotten(void **state)
{
    (void)state;
    struct outcome o = run_fake("head -c 30000000 /dev/zero >&2\n"
                                "hello; frame 2");
    assert_string_equal(code_of(&o), "damaged");
    assert_true(strlen(o.err.text) < 400);
}

static void nothing_of_ours_is_open_in_the_child(void **state)
{
    (void)state;
    int extra = open("/dev/null", O_RDONLY); /* not close-on-exec */
    setenv("OPENAI_API_KEY", "secret", 1);
    struct outcome o = run_fake(
        "[ -z \"$OPENAI_API_KEY\" ] || exit 9\n"
        "for f in 0 1 2 3 4; do [ -e /proc/$$/fd/$f ] || exit 8; done\n"
        /* bash keeps the script itself at 255 */
        "for f in /proc/$$/fd/*; do [ -e $f ] || continue\n"
        "case ${f##*/} in [0-4] | 255) ;; *) exit 7 ;; esac; done\n"
        "hello; frame 2");
    unsetenv("OPENAI_API_KEY");
    close(extra);
    assert_string_equal(code_of(&o), "damaged");
}

static void a_missing_program_is_said(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    s.raster_program = "/nonexistent/platen-raster";
    struct outcome o =
        run_with(test_path(full, "samples/good/kiosk.png"), &s, &target);
    assert_int_equal(o.err.kind, ERR_MISSING);
}

static void good_samples_become_pages(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int n_page, n_blank;
    } good[] = {
        {"samples/good/cafe.pdf", 1, 0},
        {"samples/good/market-scan.pdf", 1, 0},
        {"samples/good/two-pages.pdf", 2, 0},
        {"samples/good/turned-page.pdf", 1, 0},
        {"samples/good/fax-two-pages.tiff", 2, 0},
        {"samples/good/colour-lzw.tif", 1, 0},
        {"samples/good/photo-sideways.jpg", 1, 0},
        {"samples/good/four-colours.jpg", 1, 0},
        {"samples/good/kiosk.png", 1, 0},
        {"samples/good/torn-off.png", 1, 0},
        {"samples/good/askew.png", 1, 0},
        {"samples/good/bistro.webp", 1, 0},
        {"samples/good/phone.heic", 1, 0},
        {"samples/good/download.avif", 1, 0},
        {"samples/good/archive.jp2", 1, 0},
        {"samples/good/till.bmp", 1, 0},
        {"samples/good/web.gif", 1, 0},
        {"samples/good/scanner.pbm", 1, 0},
        {"samples/good/blank.jpg", 1, 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct outcome o = run_sample(good[i].path);
        if (err_failed(&o.err)) fail_msg("%s: %s", good[i].path, o.err.text);
        assert_int_equal(o.n_page, good[i].n_page);
        assert_int_equal(o.n_blank, good[i].n_blank);
        assert_int_equal(o.n_warning, 0);
        assert_true(o.width > o.height); /* upright: all are wider than high */
    }
}

static void bad_samples_have_their_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *path, *code;
    } bad[] = {
        {"samples/bad/encrypted.pdf", "encrypted"},
        {"samples/bad/cut-off.jpg", "damaged"},
        {"samples/bad/cut-off.png", "damaged"},
        {"samples/bad/empty.pdf", "empty"},
        {"samples/bad/letter.pdf", "unknown-type"},
        {"samples/bad/no-pages.pdf", "no-pages"},
        {"samples/bad/four-gigapixels.png", "too-large"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct outcome o = run_sample(bad[i].path);
        assert_string_equal(code_of(&o), bad[i].code);
    }
}

static void limits_hold_at_the_limit_and_one_over(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    s.max_pages = 2;
    struct outcome o =
        run_with(test_path(full, "samples/good/two-pages.pdf"), &s, &target);
    test_ok(&o.err);
    s.max_pages = 1;
    o = run_with(full, &s, &target);
    assert_string_equal(code_of(&o), "too-many-pages");
    s.pages = "2"; /* one page of two is within the limit */
    o = run_with(full, &s, &target);
    test_ok(&o.err);
    assert_int_equal(o.n_page, 1);
    assert_int_equal(o.n_source, 2);
    s.pages = "3";
    o = run_with(full, &s, &target);
    assert_string_equal(code_of(&o), "no-such-page");
    s = usual();
    s.max_decoded_pixels = 264 * 192;
    o = run_with(test_path(full, "samples/good/kiosk.png"), &s, &target);
    test_ok(&o.err);
    s.max_decoded_pixels--;
    o = run_with(full, &s, &target);
    assert_string_equal(code_of(&o), "too-large");
    struct stat st;
    stat(full, &st);
    s = usual();
    s.max_document_bytes = st.st_size;
    o = run_with(full, &s, &target);
    test_ok(&o.err);
    s.max_document_bytes--;
    o = run_with(full, &s, &target);
    assert_string_equal(code_of(&o), "too-large");
}

static void damage_is_taken_when_asked_for(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    s.lenient = true;
    struct outcome o =
        run_with(test_path(full, "samples/bad/cut-off.jpg"), &s, &target);
    test_ok(&o.err);
    assert_int_equal(o.n_page, 1);
    assert_int_equal(o.n_warning, 1);
}

static void resolution_follows_budget_source_and_wish(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    struct prepare_target t = {
        .grid = 32, .min_pixels = 65536, .max_pixels = 102400};
    /* a page of 3.12 x 2.88 inches */
    struct outcome o =
        run_with(test_path(full, "samples/good/cafe.pdf"), &s, &t);
    test_ok(&o.err);
    assert_int_equal(o.width, 320);
    assert_int_equal(o.height, 288);
    t.max_pixels = 100000000; /* a printer's 300 dpi and no more */
    o = run_with(full, &s, &t);
    assert_int_equal(o.width, 936 / 32 * 32);
    assert_int_equal(o.height, 864 / 32 * 32);
    s.dpi = 150;
    o = run_with(full, &s, &t);
    assert_int_equal(o.width, 468 / 32 * 32);
    s.dpi = 0; /* a 200 dpi scan of 624 x 576 px holds no more than that */
    o = run_with(test_path(full, "samples/good/market-scan.pdf"), &s, &t);
    assert_int_equal(o.width, 624 / 32 * 32);
    assert_int_equal(o.height, 576);
    o = run_with(test_path(full, "samples/good/colour-lzw.tif"), &s, &t);
    assert_int_equal(o.width, 624);
    s.dpi = 100;
    o = run_with(full, &s, &t);
    assert_int_equal(o.width, 312);
    assert_true(o.dpi > 99 && o.dpi < 101);
}

static void the_same_file_gives_the_same_pixels(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    struct hash first = {{0}};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        int fd = open(test_path(full, "samples/good/market-scan.pdf"),
                      O_RDONLY | O_CLOEXEC);
        struct document *doc = document_new("test", full, fd);
        identify_document(doc, &s, &err);
        struct raster *r = rasterise_open(doc, &s, &target, NULL, &err);
        struct image im;
        assert_true(rasterise_next(r, &im, &err));
        struct hash h = hash_bytes((struct span){
            (const char *)im.data, im.stride_bytes * (size_t)im.height_px});
        if (i == 0) first = h;
        assert_string_equal(first.hex, h.hex);
        image_free(&im);
        rasterise_close(r); /* before the end: the child is killed */
        document_free(doc);
        close(fd);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static bool stop_at_once(void *arg)
{
    (void)arg;
    return true;
}

static void who_asks_to_stop_is_heard(void **state)
{
    (void)state;
    char full[4096];
    struct settings s = usual();
    struct err err = {0};
    int fd = open(test_path(full, "samples/good/cafe.pdf"), O_RDONLY);
    struct document *doc = document_new("test", full, fd);
    identify_document(doc, &s, &err);
    struct child_process_stop stop = {stop_at_once, NULL};
    assert_null(rasterise_open(doc, &s, &target, &stop, &err));
    assert_int_equal(err.kind, ERR_CANCELLED);
    document_free(doc);
    close(fd);
}

static void the_doctor_names_every_layer(void **state)
{
    (void)state;
    struct settings s = usual();
    struct buf out = buf_limit(4000);
    rasterise_doctor(&s, &out);
    static const char *const layer[] = {"Landlock", "seccomp",
                                        "no new privileges", "resource limits",
                                        "memory limit"};
    for (size_t i = 0; i < 5; i++)
        assert_non_null(strstr(out.data, layer[i]));
    buf_free(&out);
}

/* Every file of a folder ends in pages or in a reason of the table. */
static void run_folder(const char *folder, int *n_file, int *n_good)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/corpus/%s", test_shared(), folder);
    DIR *dir = opendir(path);
    if (!dir) fail_msg("%s is not there", path);
    struct settings s = usual();
    s.child_cpu_limit_s = 2;
    s.child_memory_limit = (int64_t)1 << 30;
    struct prepare_target small = {
        .grid = 32, .min_pixels = 65536, .max_pixels = 200000};
    struct dirent *entry;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        char file[4600];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        struct outcome o = run_with(file, &s, &small);
        (*n_file)++;
        *n_good += !err_failed(&o.err);
        if (!err_failed(&o.err)) {
            assert_true(o.n_page > 0);
            continue;
        }
        if (!o.err.reason) fail_msg("%s: %s", file, o.err.text);
        assert_non_null(reason_find(o.err.reason));
        if (!strcmp(o.err.reason, "sandbox-violation") ||
            !strcmp(o.err.reason, "raster-crash") ||
            !strcmp(o.err.reason, "raster-protocol") ||
            !strcmp(o.err.reason, "internal"))
            fail_msg("%s: [%s] %s", file, o.err.reason, o.err.text);
    }
    closedir(dir);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void difficult_pictures_end_in_pages_or_reasons(void **state)
{
    (void)state;
    int n_file = 0, n_good = 0;
    run_folder("image", &n_file, &n_good);
    run_folder("tiff", &n_file, &n_good);
    run_folder("exif", &n_file, &n_good);
    assert_true(n_file >= 200 && n_good >= 190);
}

static void difficult_pdfs_end_in_pages_or_reasons(void **state)
{
    (void)state;
    int n_file = 0, n_good = 0;
    run_folder("pdf", &n_file, &n_good);
    assert_true(n_file >= 130 && n_good >= 105);
}

TEST_GROUP(rasterise, cmocka_unit_test(lying_children_are_found_out),
           cmocka_unit_test(a_child_that_was_killed_is_begun_again),
           cmocka_unit_test(an_honest_child_is_believed),
           cmocka_unit_test(an_e_invoice_costs_no_page),
           cmocka_unit_test(endless_complaints_are_forgotten),
           cmocka_unit_test(nothing_of_ours_is_open_in_the_child),
           cmocka_unit_test(a_missing_program_is_said),
           cmocka_unit_test(good_samples_become_pages),
           cmocka_unit_test(bad_samples_have_their_reasons),
           cmocka_unit_test(limits_hold_at_the_limit_and_one_over),
           cmocka_unit_test(damage_is_taken_when_asked_for),
           cmocka_unit_test(resolution_follows_budget_source_and_wish),
           cmocka_unit_test(the_same_file_gives_the_same_pixels),
           cmocka_unit_test(who_asks_to_stop_is_heard),
           cmocka_unit_test(the_doctor_names_every_layer),
           cmocka_unit_test(difficult_pictures_end_in_pages_or_reasons),
           cmocka_unit_test(difficult_pdfs_end_in_pages_or_reasons))
