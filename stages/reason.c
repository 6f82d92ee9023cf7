/* reason.c - see reason.h. */
#include "stages/reason.h"

#include <string.h>

static const struct reason table[] = {
    /* what was dropped */
    {"unknown-type", EXIT_INPUT, FATE_REJECT,
     "Convert it to PDF, TIFF, JPEG, PNG or WebP and drop it again."},
    {"empty", EXIT_INPUT, FATE_REJECT, "The file has no bytes: scan again."},
    {"damaged", EXIT_INPUT, FATE_REJECT,
     "The file cannot be read to its end: scan or export it again."},
    {"encrypted", EXIT_ENCRYPTED, FATE_REJECT,
     "Remove the password (qpdf --decrypt) and drop it again."},
    {"no-pages", EXIT_INPUT, FATE_REJECT, "The file holds no page."},
    {"too-many-pages", EXIT_INPUT, FATE_REJECT,
     "Split the file, or raise pages_max."},
    {"too-large", EXIT_INPUT, FATE_REJECT,
     "Make the file or its pictures smaller, or raise the limit it names."},
    {"unsupported-image", EXIT_INPUT, FATE_REJECT,
     "Convert the picture to 8-bit RGB or grey and drop it again."},
    {"page-failed", EXIT_INPUT, FATE_REJECT,
     "One page cannot be drawn: export the file again."},
    {"not-regular", EXIT_INPUT, FATE_REJECT,
     "Drop the file itself, not a link to it."},
    {"unreadable", EXIT_ACCESS, FATE_REJECT,
     "Give platen permission to read the file."},
    {"no-such-page", EXIT_ARGS, FATE_REJECT,
     "Ask for pages that the document has (--pages)."},
    /* the rasteriser */
    {"resource-cpu", EXIT_CHILD, FATE_REJECT,
     "Drawing takes longer than child_cpu allows: simplify the file."},
    {"resource-memory", EXIT_CHILD, FATE_REJECT,
     "Drawing takes more than child_memory: simplify the file."},
    {"resource-time", EXIT_CHILD, FATE_RETRY,
     "The document takes longer than document_wall: raise it, or split it."},
    {"raster-crash", EXIT_CHILD, FATE_RETRY,
     "The rasteriser died on it: keep the file for a bug report."},
    {"raster-protocol", EXIT_CHILD, FATE_REJECT,
     "The rasteriser sent nonsense: keep the file for a bug report."},
    {"sandbox-violation", EXIT_CHILD, FATE_REJECT,
     "The file made the rasteriser do what it must not: treat it as hostile."},
    /* the schema */
    {"no-schema", EXIT_CONFIG, FATE_REJECT,
     "Drop it into a sub-folder named after a schema, or set default_schema."},
    {"unknown-schema", EXIT_CONFIG, FATE_REJECT,
     "No schema has this name: see platen schema list."},
    {"schema-refused", EXIT_CONFIG, FATE_REJECT,
     "Correct the schema at the place named: see platen schema check."},
    /* the model's answer */
    {"context-full", EXIT_OUTPUT, FATE_REJECT,
     "Raise n_ctx, lower max_pixels, or split the document."},
    {"model-invalid-json", EXIT_OUTPUT, FATE_RETRY,
     "The answer was not JSON: use the native engine or a better model."},
    {"schema-invalid", EXIT_OUTPUT, FATE_RETRY,
     "The answer does not fit the schema: see the findings beside it."},
    {"model-truncated", EXIT_OUTPUT, FATE_RETRY,
     "The answer reached max_tokens: raise it, or narrow the schema."},
    {"model-loop", EXIT_OUTPUT, FATE_RETRY,
     "The model repeated itself: try a better scan or a larger model."},
    {"poison-host", EXIT_OTHER, FATE_REJECT,
     "platen died again and again on this document alone: keep it."},
    /* the environment: nothing fails, the queue waits */
    {"model-missing", EXIT_DEPENDENCY, FATE_WAIT,
     "Put the model where the configuration says (platen config)."},
    {"model-refused", EXIT_CONFIG, FATE_WAIT,
     "Take a model file of the qwen35 family (platen model info FILE)."},
    {"engine-error", EXIT_OTHER, FATE_WAIT,
     "The engine failed: check memory and the model file's hash."},
    {"endpoint-failed", EXIT_CHILD, FATE_WAIT,
     "The endpoint does not answer: start it, or check its address."},
    {"endpoint-refused", EXIT_CONFIG, FATE_WAIT,
     "The endpoint refuses the request: check model name and key."},
    {"no-sandbox", EXIT_DEPENDENCY, FATE_WAIT,
     "Neither Landlock nor seccomp works here: see platen doctor."},
    {"disk", EXIT_ACCESS, FATE_WAIT,
     "Make room or repair permissions on the spool's file system."},
    {"still-written", EXIT_INPUT, FATE_WAIT,
     "A program is still writing the file: platen waits for its end."},
    {"cancelled", EXIT_INTERRUPTED, FATE_WAIT, "It was asked to stop."},
    {"internal", EXIT_OTHER, FATE_RETRY,
     "This is a defect of platen: keep the document for a bug report."},
};

enum { N_REASON = sizeof table / sizeof table[0] };

const struct reason *reason_at(size_t index)
{
    return index < N_REASON ? &table[index] : NULL;
}

const struct reason *reason_find(const char *code)
{
    for (size_t i = 0; code && i < N_REASON; i++)
        if (!strcmp(table[i].code, code)) return &table[i];
    return NULL;
}

static const char *code_of_kind(enum err_kind kind)
{
    switch (kind) {
    case ERR_INPUT: return "damaged";
    case ERR_UNSUPPORTED: return "unsupported-image";
    case ERR_LIMIT: return "too-large";
    case ERR_ANSWER: return "schema-invalid";
    case ERR_CONFIG: return "schema-refused";
    case ERR_SYSTEM: return "disk";
    case ERR_MISSING: return "disk";
    case ERR_CHILD: return "raster-crash";
    case ERR_REMOTE: return "endpoint-failed";
    case ERR_CANCELLED: return "cancelled";
    case ERR_ARGS:
    case ERR_NONE: break;
    }
    return "internal";
}

const struct reason *reason_of(const struct err *err)
{
    const struct reason *r = reason_find(err->reason);
    return r ? r : reason_find(code_of_kind(err->kind));
}
