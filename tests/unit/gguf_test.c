/* gguf_test.c - the container: what is read, and what is refused.
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/model/gguf.h"

/* ---- writing small files ---------------------------------------------- */

struct maker {
    struct buf facts, infos, data;
    uint64_t n_fact, n_tensor, alignment;
    uint32_t version;
};

static struct maker maker_new(void)
{
    const size_t most = 1 << 20;
    return (struct maker){.facts = buf_limit(most),
                          .infos = buf_limit(most),
                          .data = buf_limit(most),
                          .alignment = 32,
                          .version = 3};
}

static void put(struct buf *b, uint64_t v, int n_byte)
{
    unsigned char bytes[8];
    for (int i = 0; i < n_byte; i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, bytes, (size_t)n_byte);
}

static void put_text(struct buf *b, const char *text)
{
    put(b, strlen(text), 8);
    buf_add_text(b, text);
}

static void key(struct maker *m, const char *name, uint32_t kind)
{
    put_text(&m->facts, name);
    put(&m->facts, kind, 4);
    m->n_fact++;
}

static void add_int(struct maker *m, const char *name, enum gguf_kind kind,
                    uint64_t v, int n_byte)
{
    key(m, name, kind);
    put(&m->facts, v, n_byte);
}

static void add_text(struct maker *m, const char *name, const char *v)
{
    key(m, name, GGUF_STRING);
    put_text(&m->facts, v);
}

static void add_info(struct maker *m, const char *name, uint32_t type,
                     const uint64_t *ne, uint32_t n_dim, uint64_t offset)
{
    put_text(&m->infos, name);
    put(&m->infos, n_dim, 4);
    for (uint32_t i = 0; i < n_dim; i++)
        put(&m->infos, ne[i], 8);
    put(&m->infos, type, 4);
    put(&m->infos, offset, 8);
    m->n_tensor++;
}

/* An F32 vector of n values 0, 1, 2 ... */
static void add_vector(struct maker *m, const char *name, uint64_t n)
{
    while (m->data.size % m->alignment)
        put(&m->data, 0, 1);
    add_info(m, name, QUANT_F32, &n, 1, m->data.size);
    for (uint64_t i = 0; i < n; i++) {
        float v = (float)i;
        buf_add(&m->data, &v, sizeof v);
    }
}

/* The file in a block of exactly its size, so that a sanitizer sees a read
 * behind it. Release with mem_free. */
static struct span finish(struct maker *m)
{
    struct buf all = buf_limit(1 << 22);
    buf_add(&all, "GGUF", 4);
    put(&all, m->version, 4);
    put(&all, m->n_tensor, 8);
    put(&all, m->n_fact, 8);
    buf_add(&all, m->facts.data, m->facts.size);
    buf_add(&all, m->infos.data, m->infos.size);
    while (all.size % m->alignment)
        put(&all, 0, 1);
    buf_add(&all, m->data.data, m->data.size);
    char *out = mem_alloc(all.size, 1);
    memcpy(out, all.data, all.size);
    struct span bytes = {out, all.size};
    buf_free(&all);
    buf_free(&m->facts);
    buf_free(&m->infos);
    buf_free(&m->data);
    return bytes;
}

static void give(struct span bytes)
{
    mem_free((char *)(uintptr_t)bytes.data);
}

/* One of each kind of value, and three tensors. */
static struct span sample(void)
{
    struct maker m = maker_new();
    add_int(&m, "a.u8", GGUF_U8, 200, 1);
    add_int(&m, "a.i8", GGUF_I8, 0xfe, 1);
    add_int(&m, "a.i16", GGUF_I16, 0xfffd, 2);
    add_int(&m, "a.u32", GGUF_U32, 4000000000u, 4);
    add_int(&m, "a.i64", GGUF_I64, (uint64_t)-5, 8);
    add_int(&m, "a.u64", GGUF_U64, UINT64_MAX, 8);
    add_int(&m, "a.f32", GGUF_F32, 0x3fc00000, 4);
    add_int(&m, "a.nan", GGUF_F32, 0x7fc00000, 4);
    add_int(&m, "a.bool", GGUF_BOOL, 1, 1);
    add_text(&m, "a.text",
             "Gr\xc3\xbc\xc3\x9f"
             "e");
    key(&m, "a.list", GGUF_ARRAY);
    put(&m.facts, GGUF_I32, 4);
    put(&m.facts, 3, 8);
    for (int i = 0; i < 3; i++)
        put(&m.facts, (uint64_t)(11 - i), 4);
    key(&m, "a.texts", GGUF_ARRAY);
    put(&m.facts, GGUF_STRING, 4);
    put(&m.facts, 2, 8);
    put_text(&m.facts, "one");
    put_text(&m.facts, "");
    add_vector(&m, "first", 5);
    add_vector(&m, "second", 7);
    add_vector(&m, "another", 1);
    return finish(&m);
}

/* ---- reading ---------------------------------------------------------- */

static void facts_are_read(void **state)
{
    (void)state;
    struct err err = {0};
    struct span bytes = sample();
    struct gguf *g = gguf_open_bytes(bytes, "sample", &err);
    test_ok(&err);
    assert_int_equal(gguf_int(g, "a.u8", 0, &err), 200);
    assert_int_equal(gguf_int(g, "a.i8", 0, &err), -2);
    assert_int_equal(gguf_int(g, "a.i16", 0, &err), -3);
    assert_int_equal(gguf_int(g, "a.u32", 0, &err), 4000000000);
    assert_int_equal(gguf_int(g, "a.i64", 0, &err), -5);
    assert_int_equal(gguf_int(g, "a.none", 42, &err), 42);
    assert_true(gguf_float(g, "a.f32", 0, &err) == 1.5);
    assert_true(gguf_float(g, "a.i8", 0, &err) == -2);
    assert_true(gguf_bool(g, "a.bool", false, &err));
    assert_int_equal(gguf_string(g, "a.text", &err).size, 7);
    assert_int_equal(gguf_array_size(g, "a.list", &err), 3);
    assert_int_equal(gguf_array_int(g, "a.list", 2, &err), 9);
    assert_int_equal(gguf_array_size(g, "a.u8", &err), 1);
    assert_int_equal(gguf_array_int(g, "a.u8", 0, &err), 200);
    struct arena *arena = arena_new();
    struct span *text = gguf_array_strings(g, "a.texts", 2, arena, &err);
    test_ok(&err);
    assert_true(span_equal(text[0], span_of("one")));
    assert_int_equal(text[1].size, 0);
    assert_true(gguf_has(g, "a.nan"));
    arena_free(arena);
    gguf_close(g);
    give(bytes);
}

static void facts_of_another_kind_are_errors(void **state)
{
    (void)state;
    struct err open = {0};
    struct span bytes = sample();
    struct gguf *g = gguf_open_bytes(bytes, "sample", &open);
    test_ok(&open);
    struct arena *arena = arena_new();
    for (int i = 0; i < 10; i++) {
        struct err err = {0};
        switch (i) {
        case 0: gguf_int(g, "a.text", 0, &err); break;
        case 1: gguf_int(g, "a.u64", 0, &err); break;
        case 2: gguf_int(g, "a.f32", 0, &err); break;
        case 3: gguf_float(g, "a.nan", 0, &err); break;
        case 4: gguf_float(g, "a.text", 0, &err); break;
        case 5: gguf_bool(g, "a.u8", false, &err); break;
        case 6: gguf_string(g, "a.texts", &err); break;
        case 7: gguf_array_int(g, "a.list", 3, &err); break;
        case 8: gguf_array_strings(g, "a.texts", 3, arena, &err); break;
        case 9: gguf_array_strings(g, "a.list", 3, arena, &err); break;
        }
        assert_int_equal(err.kind, ERR_CONFIG);
        assert_non_null(strstr(err.text, "a."));
    }
    arena_free(arena);
    gguf_close(g);
    give(bytes);
}

static void tensors_are_found_by_name(void **state)
{
    (void)state;
    struct err err = {0};
    struct span bytes = sample();
    struct gguf *g = gguf_open_bytes(bytes, "sample", &err);
    test_ok(&err);
    assert_int_equal(gguf_n_tensor(g), 3);
    const struct gguf_tensor *t = gguf_find_tensor(g, "second");
    assert_ptr_equal(t, gguf_tensor(g, 1));
    assert_int_equal(t->ne[0], 7);
    assert_int_equal(t->ne[1], 1);
    assert_int_equal(t->size_bytes, 28);
    assert_true(((const float *)t->data)[6] == 6);
    assert_null(gguf_find_tensor(g, "third"));
    assert_null(gguf_find_tensor(g, ""));
    gguf_close(g);
    give(bytes);
}

static void files_and_hashes(void **state)
{
    (void)state;
    struct err err = {0};
    char path[4096];
    struct gguf *g =
        gguf_open(test_path(path, "tests/vectors/micro-q8_0.gguf"), &err);
    test_ok(&err);
    size_t size;
    char *all = test_read(path, &size);
    struct hash want = hash_bytes((struct span){all, size});
    assert_string_equal(gguf_hash(g, &err).hex, want.hex);
    test_give(all);
    gguf_close(g);

    assert_null(gguf_open("/nowhere/model.gguf", &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

/* ---- refusing --------------------------------------------------------- */

static void expect_refused(struct span bytes, const char *words)
{
    struct err err = {0};
    struct gguf *g = gguf_open_bytes(bytes, "sample", &err);
    assert_null(g);
    assert_true(err_failed(&err));
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    give(bytes);
}

static void odd_tensors_are_refused(void **state)
{
    (void)state;
    const uint64_t five = 5, ne[] = {4, 4, 4, 4, 4},
                   wraps[] = {(1ull << 42) + 1, 1ull << 42}, zero = 0,
                   many = 1ull << 40;
    struct {
        const char *name;
        uint32_t type;
        const uint64_t *ne;
        uint32_t n_dim;
        uint64_t offset;
        const char *words;
    } c[] = {
        {"first", QUANT_F32, &five, 1, 64, "twice"},
        {"x", QUANT_F32, &five, 1, 0, "share bytes"},
        {"x", QUANT_F32, &five, 1, 4, "alignment"},
        {"x", QUANT_F32, &five, 1, 1 << 20, "incomplete"},
        {"x", QUANT_F32, &five, 1, UINT64_MAX - 31, "incomplete"},
        {"x", QUANT_F32, &five, 0, 64, "dimensions"},
        {"x", QUANT_F32, ne, 5, 64, "dimensions"},
        {"x", QUANT_F32, &zero, 1, 64, "not possible"},
        {"x", QUANT_F32, wraps, 2, 64, "not possible"},
        {"x", QUANT_F32, &many, 1, 64, "does not fit"},
        {"x", QUANT_Q8_0, &five, 1, 64, "no multiple of 32"},
        {"x", 4, &five, 1, 64, "type number 4"},
        {"x", 999, &five, 1, 64, "type number 999"},
        {"", QUANT_F32, &five, 1, 64, "empty"},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct maker m = maker_new();
        add_vector(&m, "first", 5);
        add_info(&m, c[i].name, c[i].type, c[i].ne, c[i].n_dim, c[i].offset);
        for (int k = 0; k < 32; k++)
            put(&m.data, 0, 4);
        expect_refused(finish(&m), c[i].words);
    }
}

static void odd_headers_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 11; i++) {
        const char *words = "";
        struct maker m = maker_new();
        switch (i) {
        case 0: m.version = 1, words = "version 1"; break;
        case 1: m.version = 4, words = "version 4"; break;
        case 2: m.version = 3u << 24, words = "big-endian"; break;
        case 3: m.n_tensor = 65537, words = "at most 65536"; break;
        case 4: m.n_fact = 1ull << 63, words = "at most 65536"; break;
        case 5:
            add_int(&m, "general.alignment", GGUF_U32, 48, 4);
            words = "power of two";
            break;
        case 6:
            add_int(&m, "general.alignment", GGUF_U32, 0, 4);
            words = "power of two";
            break;
        case 7:
            add_int(&m, "x", GGUF_U8, 1, 1);
            add_int(&m, "x", GGUF_U8, 1, 1);
            words = "twice";
            break;
        case 8: /* an array of arrays */
            add_int(&m, "x", GGUF_ARRAY, GGUF_ARRAY, 4);
            put(&m.facts, 1, 8);
            words = "in an array";
            break;
        case 9: add_int(&m, "x", GGUF_BOOL, 2, 1), words = "neither"; break;
        case 10:
            key(&m, "x", GGUF_STRING);
            put(&m.facts, (64 << 20) + 1, 8);
            words = "at most";
            break;
        }
        for (int k = 0; k < 16; k++)
            put(&m.data, 0, 8);
        expect_refused(finish(&m), words);
    }
    char *not = mem_alloc(32, 1);
    memcpy(not, "PK\3\4", 4);
    expect_refused((struct span){not, 32}, "not a GGUF file");
}

/* Uses everything that an open file offers. */
static void walk(const struct gguf *g)
{
    volatile unsigned seen = 0; /* keeps the reads */
    for (int i = 0; i < gguf_n_tensor(g); i++) {
        const struct gguf_tensor *t = gguf_tensor(g, i);
        const unsigned char *p = t->data;
        seen = seen + p[0] + p[t->size_bytes - 1];
        char name[GGUF_SHOW_MAX];
        gguf_show(t->name, name);
    }
    assert_true(seen <= 510u * (unsigned)gguf_n_tensor(g));
    struct err err = {0};
    const char *name[] = {"a.u8",   "a.i64",  "a.f32",  "a.bool",
                          "a.text", "a.list", "a.texts"};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        int64_t n = gguf_array_size(g, name[i], &err);
        gguf_int(g, name[i], 0, &err);
        err = (struct err){0};
        gguf_array_int(g, name[i], n - 1, &err);
        err = (struct err){0};
        gguf_array_float(g, name[i], n - 1, &err);
        err = (struct err){0};
        gguf_array_strings(g, name[i], n, arena, &err);
        err = (struct err){0};
        gguf_string(g, name[i], &err);
        err = (struct err){0};
    }
    arena_free(arena);
}

static int n_opened;

static void try_bytes(const char *bytes, size_t size)
{
    char *copy = mem_alloc(size ? size : 1, 1);
    memcpy(copy, bytes, size);
    struct err err = {0};
    struct gguf *g = gguf_open_bytes((struct span){copy, size}, "sample", &err);
    assert_true((g != NULL) == !err_failed(&err));
    if (g) {
        walk(g);
        n_opened++;
    }
    gguf_close(g);
    mem_free(copy);
}

static void a_cut_file_is_refused_at_every_byte(void **state)
{
    (void)state;
    struct span bytes = sample();
    n_opened = 0;
    for (size_t n = 0; n < bytes.size; n++)
        try_bytes(bytes.data, n);
    assert_int_equal(n_opened, 0);
    try_bytes(bytes.data, bytes.size);
    assert_int_equal(n_opened, 1);
    give(bytes);
}

static void nasty_numbers_anywhere_do_no_harm(void **state)
{
    (void)state;
    const uint64_t nasty[] = {0,
                              1,
                              255,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x100000000,
                              (1ull << 42) + 1,
                              INT64_MAX,
                              1ull << 63,
                              UINT64_MAX - 1,
                              UINT64_MAX};
    struct span bytes = sample();
    char *changed = mem_alloc(bytes.size, 1);
    for (int width = 4; width <= 8; width += 4)
        for (size_t at = 0; at + (size_t)width <= bytes.size; at++)
            for (size_t i = 0; i < sizeof nasty / sizeof *nasty; i++) {
                memcpy(changed, bytes.data, bytes.size);
                memcpy(changed + at, &nasty[i], (size_t)width);
                try_bytes(changed, bytes.size);
            }
    mem_free(changed);
    give(bytes);
}

/* ---- parts ------------------------------------------------------------ */

static void write_part(const char *dir, int number, int count, int no,
                       int total, const char *tensor)
{
    struct maker m = maker_new();
    add_int(&m, "split.no", GGUF_U16, (uint64_t)no, 2);
    add_int(&m, "split.count", GGUF_U16, (uint64_t)count, 2);
    add_int(&m, "split.tensors.count", GGUF_I32, (uint64_t)total, 4);
    if (number == 1) add_text(&m, "general.name", "in parts");
    if (tensor) add_vector(&m, tensor, 9);
    struct span bytes = finish(&m);
    char path[4096];
    snprintf(path, sizeof path, "%s/m-%05d-of-%05d.gguf", dir, number, count);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, f), bytes.size);
    fclose(f);
    give(bytes);
}

static void remove_parts(const char *dir, int count)
{
    char path[4096];
    for (int i = 1; i <= count; i++) {
        snprintf(path, sizeof path, "%s/m-%05d-of-%05d.gguf", dir, i, count);
        unlink(path);
    }
    rmdir(dir);
}

static struct gguf *open_part(const char *dir, int number, struct err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/m-%05d-of-00003.gguf", dir, number);
    return gguf_open(path, err);
}

static void parts_make_one_model(void **state)
{
    (void)state;
    char dir[] = "/tmp/platen-gguf-XXXXXX";
    assert_non_null(mkdtemp(dir));
    write_part(dir, 1, 3, 0, 2, NULL);
    write_part(dir, 2, 3, 1, 2, "b");
    write_part(dir, 3, 3, 2, 2, "a");
    struct err err = {0};
    struct gguf *g = open_part(dir, 1, &err);
    test_ok(&err);
    assert_int_equal(gguf_n_tensor(g), 2);
    assert_non_null(gguf_find_tensor(g, "a"));
    assert_non_null(gguf_find_tensor(g, "b"));
    assert_int_equal(gguf_string(g, "general.name", &err).size, 8);
    assert_int_equal(strlen(gguf_hash(g, &err).hex), 64);
    gguf_close(g);

    assert_null(open_part(dir, 2, &err));
    assert_non_null(strstr(err.text, "use the first part"));

    const struct {
        int no, total;
        const char *tensor, *words;
    } odd[] = {{2, 3, "a", "have 2 tensors"},
               {1, 2, "a", "with the right file"},
               {2, 2, "b", "twice"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (odd[i].total == 3) write_part(dir, 1, 3, 0, 3, NULL);
        write_part(dir, 3, 3, odd[i].no, odd[i].total, odd[i].tensor);
        err = (struct err){0};
        assert_null(open_part(dir, 1, &err));
        if (!strstr(err.text, odd[i].words)) fail_msg("%s", err.text);
        write_part(dir, 1, 3, 0, 2, NULL);
    }
    remove_parts(dir, 3);
    err = (struct err){0};
    assert_null(open_part(dir, 1, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void a_lone_part_under_another_name_is_refused(void **state)
{
    (void)state;
    struct maker m = maker_new();
    add_int(&m, "split.count", GGUF_U16, 2, 2);
    add_vector(&m, "a", 3);
    expect_refused(finish(&m), "one of 2 parts");
}

TEST_GROUP(gguf, cmocka_unit_test(facts_are_read),
           cmocka_unit_test(facts_of_another_kind_are_errors),
           cmocka_unit_test(tensors_are_found_by_name),
           cmocka_unit_test(files_and_hashes),
           cmocka_unit_test(odd_tensors_are_refused),
           cmocka_unit_test(odd_headers_are_refused),
           cmocka_unit_test(a_cut_file_is_refused_at_every_byte),
           cmocka_unit_test(nasty_numbers_anywhere_do_no_harm),
           cmocka_unit_test(parts_make_one_model),
           cmocka_unit_test(a_lone_part_under_another_name_is_refused))
