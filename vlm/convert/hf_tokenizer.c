/* hf_tokenizer.c - see hf_tokenizer.h. */
#include "vlm/convert/hf_tokenizer.h"

#include <string.h>

#include "vlm/base/file_map.h"

enum { NORMAL = 1, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5 };
enum { TEMPLATE_MOST = 16 << 20 };

/* How this family splits text (MODEL.md, "Words"); the pattern of older
 * families has no \p{M}. */
static const char pattern[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|"
    "\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|"
    "\\s+";

struct token_table {
    const char **text; /* [n] NULL: an id without text */
    int32_t *type;     /* [n] */
    int n;
    struct arena *arena;
    struct err *err;
};

/* --- tokens ---------------------------------------------------------------- */

/* The pattern of the first step that has one. */
static const char *split_pattern(const cJSON *step)
{
    const cJSON *list = json_get(step, "pretokenizers");
    if (cJSON_IsArray(list)) {
        for (const cJSON *e = list->child; e; e = e->next) {
            const char *inner = split_pattern(e);
            if (inner) return inner;
        }
        return NULL;
    }
    const cJSON *p = json_get(step, "pattern");
    return p ? json_get_text(p, "Regex") : NULL;
}

static void check_split(const cJSON *root, struct err *err)
{
    const cJSON *step = json_get(root, "pre_tokenizer");
    const char *found = cJSON_IsObject(step) ? split_pattern(step) : NULL;
    if (!found || strcmp(found, pattern) != 0)
        err_set(err, ERR_UNSUPPORTED,
                "pre_tokenizer splits text differently from Qwen3.5: %.80s",
                found ? found : "no pattern");
}

static void add_token(struct token_table *w, const char *text, const cJSON *id,
                      int32_t type)
{
    double i = cJSON_IsNumber(id) ? id->valuedouble : -1;
    if (!text || !(i >= 0 && i < w->n) || i != (double)(int)i) {
        err_set(w->err, ERR_CONFIG,
                "token %.40s: invalid id (vocab_size is %d)",
                text ? text : "(none)", w->n);
        return;
    }
    const char *was = w->text[(int)i];
    if (was && strcmp(was, text) != 0)
        err_set(w->err, ERR_CONFIG, "id %d is %.40s and %.40s", (int)i, was,
                text);
    w->text[(int)i] = text;
    w->type[(int)i] = type;
}

static bool looks_special(const char *text)
{
    size_t n = strlen(text);
    return n > 4 && !strncmp(text, "<|", 2) && !strcmp(text + n - 2, "|>");
}

static void read_tokens(struct token_table *w, const cJSON *root)
{
    const cJSON *model = json_get(root, "model");
    const cJSON *vocab = model ? json_get(model, "vocab") : NULL;
    const cJSON *added = json_get(root, "added_tokens");
    if (!cJSON_IsObject(vocab))
        err_set(w->err, ERR_CONFIG, "model.vocab is missing");
    for (const cJSON *e = vocab ? vocab->child : NULL; e && !err_failed(w->err);
         e = e->next)
        add_token(w, e->string, e, NORMAL);
    for (const cJSON *e = added ? added->child : NULL; e && !err_failed(w->err);
         e = e->next) {
        const char *text = json_get_text(e, "content");
        bool control = cJSON_IsTrue(json_get(e, "special")) ||
                       (text && looks_special(text));
        add_token(w, text, json_get(e, "id"), control ? CONTROL : USER_DEFINED);
    }
}

static void write_tokens(struct gguf_writer *out, struct token_table *w)
{
    gguf_write_list(out, "tokenizer.ggml.tokens", GGUF_STRING, w->n);
    for (int i = 0; i < w->n; i++) {
        if (!w->text[i]) {
            w->text[i] = arena_text(w->arena, "[PAD%d]", i);
            w->type[i] = UNUSED;
        }
        gguf_write_list_text(out, span_of(w->text[i]));
    }
    gguf_write_list(out, "tokenizer.ggml.token_type", GGUF_I32, w->n);
    for (int i = 0; i < w->n; i++)
        gguf_write_list_i32(out, w->type[i]);
}

/* --- merges ---------------------------------------------------------------- */

/* "a b", or ["a", "b"] in newer files. */
static struct span merge_text(const cJSON *e, struct arena *arena)
{
    struct span none = {0};
    if (cJSON_IsString(e)) return span_of(e->valuestring);
    if (!cJSON_IsArray(e) || cJSON_GetArraySize(e) != 2) return none;
    const cJSON *a = e->child, *b = a->next;
    if (!cJSON_IsString(a) || !cJSON_IsString(b)) return none;
    return span_of(arena_text(arena, "%s %s", a->valuestring, b->valuestring));
}

static void write_merges(struct gguf_writer *out, const cJSON *root,
                         struct token_table *w)
{
    const cJSON *model = json_get(root, "model");
    const cJSON *list = model ? json_get(model, "merges") : NULL;
    if (!cJSON_IsArray(list)) {
        err_set(w->err, ERR_CONFIG, "model.merges is missing");
        return;
    }
    gguf_write_list(out, "tokenizer.ggml.merges", GGUF_STRING,
                    cJSON_GetArraySize(list));
    int i = 0;
    for (const cJSON *e = list->child; e && !err_failed(w->err); e = e->next) {
        struct span text = merge_text(e, w->arena);
        if (!text.size)
            err_set(w->err, ERR_CONFIG, "model.merges: entry %d is not a pair",
                    i);
        gguf_write_list_text(out, text);
        i++;
    }
}

/* --- special tokens and template ------------------------------------------- */

/* The id of a token named by its text, or by {"content": text}; or -1. */
static int token_id(const struct token_table *w, const cJSON *named)
{
    const char *text = cJSON_IsString(named)   ? named->valuestring
                       : cJSON_IsObject(named) ? json_get_text(named, "content")
                                               : NULL;
    for (int i = 0; text && i < w->n; i++)
        if (w->text[i] && !strcmp(w->text[i], text)) return i;
    return -1;
}

/* The end-of-turn id in config.json (the first one of a list), or -1. */
static int id_in_config(const struct hf_config *f)
{
    const cJSON *text = json_get(f->root, "text_config");
    const cJSON *id = json_get(f->root, "eos_token_id");
    if (!id && text) id = json_get(text, "eos_token_id");
    if (cJSON_IsArray(id)) id = id->child;
    return cJSON_IsNumber(id) && id->valuedouble >= 0 &&
                   id->valuedouble < f->n_vocab
               ? (int)id->valuedouble
               : -1;
}

/* The chat template: a text, or the one named "default" in a list. */
static const char *find_template(const cJSON *config)
{
    const cJSON *t = config ? json_get(config, "chat_template") : NULL;
    if (cJSON_IsString(t)) return t->valuestring;
    for (const cJSON *e = cJSON_IsArray(t) ? t->child : NULL; e; e = e->next)
        if (!strcmp(json_get_text_or_empty(e, "name"), "default"))
            return json_get_text(e, "template");
    return NULL;
}

static void write_template(struct gguf_writer *out, const struct checkpoint *c,
                           const cJSON *config, struct arena *arena)
{
    struct err missing = {0};
    const char *path =
        arena_text(arena, "%s/chat_template.jinja", checkpoint_folder(c));
    struct span text = file_map_read(path, TEMPLATE_MOST, arena, &missing);
    const char *inside = find_template(config);
    if (err_failed(&missing) && inside) text = span_of(inside);
    if (text.size) gguf_write_text(out, "tokenizer.chat_template", text);
}

static void write_ends(struct gguf_writer *out, const struct token_table *w,
                       const struct hf_config *f, const cJSON *config)
{
    int end = config ? token_id(w, json_get(config, "eos_token")) : -1;
    int pad = config ? token_id(w, json_get(config, "pad_token")) : -1;
    if (end < 0) end = id_in_config(f);
    if (end < 0)
        err_set(w->err, ERR_CONFIG,
                "no end-of-turn token: neither a valid eos_token in "
                "tokenizer_config.json nor an eos_token_id in config.json");
    else
        gguf_write_u32(out, "tokenizer.ggml.eos_token_id", end);
    if (pad >= 0) gguf_write_u32(out, "tokenizer.ggml.padding_token_id", pad);
    gguf_write_bool(out, "tokenizer.ggml.add_bos_token", false);
}

void hf_tokenizer_write(struct gguf_writer *out, const struct checkpoint *c,
                        const struct hf_config *f, struct arena *arena,
                        struct err *err)
{
    if (err_failed(err)) return;
    cJSON *root = hf_config_file(c, "tokenizer.json", arena, err);
    cJSON *config = hf_config_file(c, "tokenizer_config.json", arena, err);
    if (!root) {
        err_set(err, ERR_MISSING, "%s: contains no tokenizer.json",
                checkpoint_folder(c));
    } else {
        struct token_table w = {.n = f->n_vocab, .arena = arena, .err = err};
        w.text = arena_array(arena, (size_t)w.n, sizeof *w.text);
        w.type = arena_array(arena, (size_t)w.n, sizeof *w.type);
        check_split(root, err);
        if (!err_failed(err)) read_tokens(&w, root);
        gguf_write_text(out, "tokenizer.ggml.model", span_of("gpt2"));
        gguf_write_text(out, "tokenizer.ggml.pre", span_of("qwen35"));
        if (!err_failed(err)) write_ends(out, &w, f, config);
        write_tokens(out, &w);
        if (!err_failed(err)) write_merges(out, root, &w);
        if (!err_failed(err)) write_template(out, c, config, arena);
        err_context(err, "%s/tokenizer.json", checkpoint_folder(c));
    }
    cJSON_Delete(config);
    cJSON_Delete(root);
}
