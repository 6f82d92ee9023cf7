/* reason.c - see reason.h. */
#include "stages/document/reason.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/log.h"
#include "vlm/base/utf8.h"

static const struct reason table[] = {
    /* the input file */
    {"unknown-type", EXIT_INPUT, FATE_REJECT,
     "The file is not of a type that platen reads (PDF, TIFF, JPEG, PNG, WebP, "
     "HEIC, AVIF, JPEG 2000, BMP, GIF, PNM, XML), whatever its name says.",
     "Save the document itself as PDF, TIFF, JPEG or PNG and try again."},
    {"not-e-invoice", EXIT_INPUT, FATE_REJECT,
     "The XML file is no e-invoice in UBL 2.1 or CII (EN 16931), declares a "
     "document type, or has no value for the fields of its schema.",
     "Send the e-invoice itself, without <!DOCTYPE, with a schema for "
     "invoices; "
     "print other XML to PDF."},
    {"empty", EXIT_INPUT, FATE_REJECT, "The file has no bytes.",
     "Scan or copy it again."},
    {"damaged", EXIT_INPUT, FATE_REJECT,
     "The file cannot be decoded, or ends too soon.",
     "Scan or export it again."},
    {"encrypted", EXIT_ENCRYPTED, FATE_REJECT, "The PDF needs a password.",
     "Put the password into a file and set passwords to its path, or remove "
     "the password (qpdf --decrypt)."},
    {"signed", EXIT_INPUT, FATE_REJECT,
     "Added words would invalidate the PDF's digital signature.",
     "Set invalidate_digital_signatures, or use hOCR or ALTO."},
    {"not-pdfa", EXIT_INPUT, FATE_REJECT,
     "The PDF has what PDF/A does not allow, or what platen does not check.",
     "Leave output_type out, or convert the file with another program."},
    {"no-pages", EXIT_INPUT, FATE_REJECT,
     "The file has no pages, or nothing but separator sheets.",
     "Export it again, with at least one page that is not blank."},
    {"no-attachment", EXIT_INPUT, FATE_REJECT,
     "The e-mail has no attached PDF, picture or e-invoice.",
     "Drop what it holds encrypted or in an archive as a file of its own; ask "
     "for PDF."},
    {"too-many-pages", EXIT_INPUT, FATE_REJECT,
     "The document has more pages than max_pages.",
     "Split the file, or raise max_pages."},
    {"too-large", EXIT_INPUT, FATE_REJECT,
     "The file, a page or a picture exceeds a size limit.",
     "Make the file or its pictures smaller, or raise the limit it names."},
    {"unsupported-image", EXIT_INPUT, FATE_REJECT,
     "The picture uses a format variant that cannot be decoded.",
     "Convert the picture to 8-bit RGB or grey and try again."},
    {"page-failed", EXIT_INPUT, FATE_REJECT,
     "A page cannot be drawn completely.",
     "Export the file again, or leave the page out (pages)."},
    {"not-regular", EXIT_INPUT, FATE_REJECT,
     "The name is a link, a folder or a device.",
     "Provide a regular file, not a link or a folder."},
    {"unreadable", EXIT_ACCESS, FATE_REJECT,
     "The file does not exist or cannot be opened.",
     "Check that the file exists and that platen may read it."},
    {"no-such-page", EXIT_ARGS, FATE_REJECT,
     "The document has none of the pages that were asked for.",
     "Ask for pages that the document has (pages)."},
    /* the rasteriser */
    {"resource-cpu", EXIT_CHILD, FATE_REJECT,
     "Drawing the document took more processor time than child_cpu_limit.",
     "Simplify the file (print it to PDF again), or raise child_cpu_limit."},
    {"resource-memory", EXIT_CHILD, FATE_REJECT,
     "Reading the document needed more memory than child_memory_limit allows.",
     "Simplify the file (print it to PDF again), or raise child_memory_limit."},
    {"resource-time", EXIT_CHILD, FATE_RETRY,
     "The document took longer than document_timeout.",
     "Raise document_timeout, or split the document."},
    {"raster-crash", EXIT_CHILD, FATE_RETRY,
     "The rasteriser crashed on the document.",
     "Convert the file, and keep it for a bug report."},
    {"raster-protocol", EXIT_CHILD, FATE_REJECT,
     "The rasteriser sent a reply that is not valid.",
     "Convert the file, and keep it for a bug report."},
    {"sandbox-violation", EXIT_CHILD, FATE_REJECT,
     "A process that read the document made a system call that its sandbox "
     "forbids.",
     "Treat the file as hostile; keep it for a bug report."},
    /* the schema */
    {"no-schema", EXIT_CONFIG, FATE_REJECT,
     "No schema is known for the file: it is directly in in/, and "
     "default_schema is not set.",
     "Drop it into in/NAME/, where NAME is its schema, set default_schema, or "
     "use platen retry with --schema NAME."},
    {"unknown-schema", EXIT_CONFIG, FATE_REJECT,
     "There is no schema of that name.",
     "Choose one from platen schema list, or add the schema (schemas); in a "
     "spool use platen retry with --schema NAME."},
    {"schema-refused", EXIT_CONFIG, FATE_REJECT,
     "The schema contains an error or something that is not supported.",
     "Correct the schema at the place named (platen schema check)."},
    {"unclear-schema", EXIT_OUTPUT, FATE_REJECT,
     "With schema auto: the model was not sure which schema fits.",
     "Drop it into its schema's sub-folder, or describe the schemas better."},
    /* the model's answer */
    {"context-full", EXIT_OUTPUT, FATE_REJECT,
     "Pages, schema and answer do not fit into the context.",
     "Raise n_ctx, lower max_pixels, or split the document."},
    {"model-invalid-json", EXIT_OUTPUT, FATE_RETRY,
     "The answer contains no JSON.",
     "Use the native engine or a better model."},
    {"schema-invalid", EXIT_OUTPUT, FATE_RETRY,
     "The answer does not fit the schema.",
     "Try a better scan or a larger model, or loosen the schema there."},
    {"model-truncated", EXIT_OUTPUT, FATE_REJECT, /* already asked twice */
     "The answer was still cut off after the second, larger token limit.",
     "Raise max_tokens and n_ctx, or narrow the schema."},
    {"model-loop", EXIT_OUTPUT, FATE_RETRY,
     "The model repeated itself until it was stopped.",
     "Try a better scan or a larger model."},
    {"endpoint-rejected", EXIT_OUTPUT, FATE_REJECT,
     "The endpoint refuses this document, but answers a test request.",
     "See the endpoint's message; lower max_pixels, or split the document."},
    {"duplicate", EXIT_OUTPUT, FATE_REJECT,
     "An earlier document has the same values (\"unique\" in x-platen-check; "
     "duplicates = fail).",
     "Compare it with the document that the message names; to have its record, "
     "set duplicates = warn and retry it."},
    {"crash-loop", EXIT_OTHER, FATE_REJECT,
     "platen ended unexpectedly each time it read this document.",
     "Keep it for a bug report."},
    /* the environment: no document fails, the queue is on hold */
    {"model-missing", EXIT_DEPENDENCY, FATE_WAIT,
     "A model file does not exist or cannot be opened.",
     "Put the model where the configuration says (platen config)."},
    {"model-refused", EXIT_CONFIG, FATE_WAIT,
     "The model file is broken, or of an architecture that is not supported.",
     "Use a model file of the qwen35 family (platen model info FILE)."},
    {"device-missing", EXIT_DEPENDENCY, FATE_WAIT,
     "The GPU of engine_device does not exist or cannot be used.",
     "See platen doctor, or use the CPU (engine_device = cpu)."},
    {"device-refused", EXIT_CONFIG, FATE_WAIT,
     "The GPU cannot run this model, or failed the comparison with the "
     "processor.",
     "Use the CPU (engine_device = cpu), or a model that the GPU can run."},
    {"engine-error", EXIT_OTHER, FATE_WAIT,
     "The native engine failed, for example for lack of memory.",
     "Check memory and the model file's hash."},
    {"model-server-lost", EXIT_OTHER, FATE_WAIT,
     "The process that holds the model, or the one that talks to the "
     "endpoint, ended.",
     "Find out why it ended (memory?). For a model server, share_model = off "
     "helps."},
    {"endpoint-failed", EXIT_CHILD, FATE_WAIT,
     "The endpoint cannot be reached, or reports an error of its own.",
     "Check that the endpoint runs and is ready, and its address (endpoint)."},
    {"endpoint-invalid", EXIT_CHILD, FATE_WAIT,
     "What answered at the endpoint's address is not a chat completion.",
     "Check what answers at the endpoint's address, such as a proxy."},
    {"endpoint-refused", EXIT_CONFIG, FATE_WAIT,
     "The endpoint refuses even a minimal test request.",
     "Check the endpoint's address, model name, key and options."},
    {"fleet-unreachable", EXIT_DEPENDENCY, FATE_WAIT,
     "The fleet's database cannot be reached.",
     "Start the fleet's database, or correct its address (fleet)."},
    {"fleet-refused", EXIT_CONFIG, FATE_WAIT,
     "The fleet's database refuses the request, or has no tables of platen.",
     "Run platen fleet init, and check that its user may use the schema "
     "platen."},
    {"store-unreachable", EXIT_DEPENDENCY, FATE_WAIT,
     "The fleet's store cannot be reached or written.",
     "Mount the fleet's store, free space there, or correct its keys."},
    {"store-damaged", EXIT_OTHER, FATE_WAIT,
     "A file in the fleet's store does not have its SHA-256.",
     "Restore the named file in the fleet's store."},
    {"no-sandbox", EXIT_DEPENDENCY, FATE_WAIT,
     "Neither Landlock nor seccomp works, so no document can be read safely.",
     "See platen doctor; sandbox = best reads documents all the same."},
    {"no-process", EXIT_DEPENDENCY, FATE_WAIT,
     "The system did not let platen start one of its programs.",
     "In a container, update Docker (before 20.10.10 it refuses clone3) or "
     "change its seccomp profile; else check the limits on processes and "
     "memory."},
    {"disk", EXIT_ACCESS, FATE_WAIT,
     "The spool's file system is full, read-only or not accessible.",
     "Free space or fix permissions on the spool's file system."},
    {"io-error", EXIT_ACCESS, FATE_WAIT,
     "Reading the file failed although the spool can be read.",
     "Check the kernel log for disk errors (dmesg), or drop another copy."},
    {"still-written", EXIT_INPUT, FATE_WAIT,
     "Another program is still writing the file.",
     "Wait until the program that writes the file has ended."},
    {"killed", EXIT_OTHER, FATE_WAIT,
     "The process that read the document ran out of memory, or was killed by "
     "the "
     "system or a person.",
     "Give the machine more memory, or lower jobs; see the kernel log "
     "(dmesg)."},
    {"cancelled", EXIT_INTERRUPTED, FATE_WAIT,
     "platen was stopped while it read the document.", "Start it again."},
    {"internal", EXIT_OTHER, FATE_RETRY, "A defect of platen.",
     "Keep the document for a bug report."},
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

bool reason_is_crash(const struct reason *row)
{
    return row->fate == FATE_RETRY &&
           (row->exit == EXIT_CHILD || !strcmp(row->code, "internal"));
}

const struct reason *reason_of(const struct err *err)
{
    const struct reason *r = reason_find(err->reason);
    return r ? r : reason_find(code_of_kind(err->kind));
}

void reason_pack(const struct err *err, struct reason_message *out)
{
    *out = (struct reason_message){
        .kind = (int)err->kind, .sys = err->sys, .page = err->page};
    snprintf(out->code, sizeof out->code, "%s", err->reason ? err->reason : "");
    snprintf(out->text, sizeof out->text, "%s", err->text);
}

/* Codes that no document fails with, and the table does not list. */
static const char *const unlisted[] = {"model-server-lost"};

static const char *code_named(const char *code)
{
    const struct reason *row = reason_find(code);
    for (size_t i = 0; i < sizeof unlisted / sizeof *unlisted; i++)
        if (!strcmp(code, unlisted[i])) return unlisted[i];
    return row ? row->code : NULL;
}

void reason_clean(char *text)
{
    for (char *at = text; *at; at++) {
        size_t n = utf8_shown(at);
        if (n == 0) *at = '?';
        at += n > 1 ? n - 1 : 0;
    }
}

void reason_unpack(const struct reason_message *message, struct err *err)
{
    struct reason_message m = *message;
    m.code[sizeof m.code - 1] = m.text[sizeof m.text - 1] = '\0';
    if (err_failed(err) || m.kind == ERR_NONE) return;
    bool known = m.kind > ERR_NONE && m.kind <= ERR_CANCELLED;
    const char *code = code_named(m.code);
    reason_clean(m.text);
    err_set(err, known ? (enum err_kind)m.kind : ERR_CHILD, "%s", m.text);
    err->reason = known && (code || !*m.code) ? code : "internal";
    err->sys = m.sys;
    err->page = m.page > 0 ? m.page : 0;
}

void reason_log(const struct err *err)
{
    const struct reason *r = reason_find(err->reason);
    if (r)
        log_note("%s [%s]. %s", err->text, r->code, r->remedy);
    else
        log_err(err);
}
