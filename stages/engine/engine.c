/* engine.c - selects the engine. */
#include "stages/engine/engine.h"

#include <string.h>

static const struct {
    const char *name;
    const struct engine_api *api;
} engines[] = {
    {"native", &engine_native_api},
    {"auto", &engine_native_api}, /* stages.c reads the words first */
    {"endpoint", &engine_endpoint_api},
    {"words", &engine_words_api},
    {"null", &engine_null_api},
};

static const struct engine_api *api_of(const struct settings *settings,
                                       struct err *err)
{
    if (err_failed(err)) return NULL;
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
        if (!strcmp(engines[i].name, settings->engine)) return engines[i].api;
    err_set(err, ERR_ARGS,
            "engine %s: unknown; use native, auto, endpoint, words or null",
            settings->engine);
    return NULL;
}

struct engine *engine_open(const struct settings *settings, struct err *err)
{
    const struct engine_api *api = api_of(settings, err);
    struct engine *e = api ? api->open(settings, err) : NULL;
    if (e) e->api = api;
    return e;
}

bool engine_asks_outline(const struct settings *settings, struct err *err)
{
    const struct engine_api *api = api_of(settings, err);
    return api && api->asks_outline && api->asks_outline(settings, err);
}

void engine_close(struct engine *e)
{
    if (e) e->api->close(e);
}

void engine_detach(struct engine *e)
{
    if (e->api->detach) e->api->detach(e);
}

int engine_renew(struct engine *e, struct err *err)
{
    return !err_failed(err) && e->api->renew ? e->api->renew(e, err) : -1;
}

void engine_learn(struct engine *e, const struct schema *schema,
                  const char *prompt, struct err *err)
{
    if (err_failed(err)) return;
    if (e->api->learn) e->api->learn(e, schema, prompt, err);
}

const struct engine_facts *engine_facts(const struct engine *e)
{
    return e->api->facts(e);
}

const struct engine_facts *engine_facts_for(const struct engine *e,
                                            const struct document *doc)
{
    static const struct engine_facts no_model = {
        .name = "e-invoice", .model = "none", .model_hash = ""};
    static const struct engine_facts words = {
        .name = "words", .model = "none", .model_hash = "", .unmeasured = true};
    if (doc->by_words) return &words;
    return document_is_xml_invoice(doc) ? &no_model : engine_facts(e);
}

void engine_test(struct engine *e, struct err *err)
{
    if (!err_failed(err) && e->api->test) e->api->test(e, err);
}
