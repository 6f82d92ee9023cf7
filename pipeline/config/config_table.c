/* config_table.c - the table of all keys; see config.h. */
#include "pipeline/config/config_table.h"

#include <string.h>

#include "pipeline/config/config.h"

#define AT(field) offsetof(struct config, field)
#define S(field)  offsetof(struct config, stage.field)

/* clang-format off */
static const struct config_key table[] = {
{"spool", "default_schema", KEY_TEXT, AT(default_schema), "", 0, 0, "name",
 "Schema of files directly in in/. Without it they fail with [no-schema]; auto: the "
 "model chooses by the titles and descriptions of all schemas", 0},
{"spool", "stable_for", KEY_SECONDS, AT(stable_for_s), "5", 0, 86400, "seconds",
 "Take a dropped file once it has not changed for this long", 0},
{"spool", "empty_after", KEY_SECONDS, AT(empty_after_s), "60", 0, 86400, "seconds",
 "Take an empty file, which then fails with [empty], only after this time: scanners create files "
 "before they write them", 0},
{"spool", "recursive", KEY_SWITCH, AT(recursive), "yes", 0, 0, "yes|no",
 "Also read files in folders of in/NAME/, at any depth; out/ gets the same folders", 0},
{"spool", "ignore", KEY_TEXT, AT(ignore), "", 0, 0, "patterns",
 "Names of files and folders in in/ to leave alone, with commas between, in which * and ? stand "
 "for any letters; besides hidden names, transfers that go on, recycle bins and snapshots of NAS "
 "systems and Windows, and the like (status counts them)", 0},
{"spool", "rescan", KEY_SECONDS, AT(rescan_s), "10", 0.05, 3600, "seconds",
 "Interval at which watch lists in/ again, besides file system events", 0},
{"spool", "format", KEY_FORMATS, AT(formats), "json", 0, 0, "list",
 "What to write for each document. json, xml: the record. pdf: the document with invisible words "
 "on its scanned pages, NAME.searchable.pdf. hocr, alto: its words and places, alto as "
 "NAME.alto.xml. For these, OCR reads pages without a usable text layer (unless ocr = off)", 0},
{"spool", "jobs", KEY_INT, AT(jobs), "0", 0, 64, "count",
 "Documents processed at the same time; 0: endpoint_parallel with an endpoint, 4 with the native "
 "engine (1 with share_model = off)", 0},
{"spool", "min_free_space", KEY_BYTES, AT(free_bytes), "64M", 0, 1e15, "bytes",
 "Take no document while the spool's file system has less free space", 0},
{"spool", "report_failures", KEY_SWITCH, AT(report_failures), "no", 0, 0, "yes|no",
 "Write why a document failed, and what to do, to out/NAME/x.pdf.failed.txt; the file is removed when "
 "the document is dismissed or, after a retry, its record is delivered", 0},
{"spool", "duplicates", KEY_CHOICE, AT(duplicates), "warn", 0, 0, "what",
 "A document whose values, by \"unique\" in x-platen-check, are those of an earlier one: warn, and flag "
 "its record for review; fail: it fails with [duplicate]", "warn|fail"},
{"spool", "examples", KEY_CHOICE, AT(examples), "off", 0, 0, "number",
 "How many reviewed documents of the same sender the model is shown as examples, the most similar first, as many as "
 "fit into a quarter of its context; auto: 3. Who the sender is says \"unique\" or \"same\" in x-platen-check. The words of a "
 "document are read before the model is asked, and kept. Not for the embedded model, NuExtract, long documents and fleets",
 "off|auto|1|2|3|4|5|6|7|8"},

{"hooks", "on_done", KEY_TEXT, AT(on_done), "", 0, 0, "file",
 "Program to run when a record is delivered, and again when a person has corrected it. It is "
 "started by its absolute path, without a shell; its one argument is the path of record.json or "
 "corrected.json", 0},
{"hooks", "on_failed", KEY_TEXT, AT(on_failed), "", 0, 0, "file",
 "Program to run when a document fails; its argument is the path of reason.json. If a hook exits "
 "non-zero the document keeps its state, and the hook is run again 10 s to 15 min later", 0},
{"hooks", "webhook", KEY_TEXT, AT(webhook), "", 0, 0, "URL",
 "Address to which run and watch POST the id, name and outcome of each document, as JSON, until it is "
 "answered with 2xx: at least once, with an id for duplicates; in place of on_done and on_failed", 0},
{"hooks", "webhook_secret_file", KEY_TEXT, AT(webhook_secret_file), "", 0, 0, "file",
 "File with the key of webhooks, whose header Platen-Signature is an HMAC-SHA256", 0},
{"hooks", "hook_timeout", KEY_INT, AT(hook_timeout_s), "60", 1, 86400, "seconds",
 "Time limit of a hook; one that exceeds it is killed and run again later", 0},

{"log", "log_format", KEY_CHOICE, AT(log_format), "text", 0, 0, "form",
 "Format of lines on stderr: text, or json with one object per line", "text|json"},

{"log", "metrics", KEY_TEXT, AT(metrics), "", 0, 0, "file",
 "File that run and watch write for Prometheus' textfile collector, every 15 s and at exit; use "
 "one file per spool", 0},
{"log", "metrics_listen", KEY_TEXT, AT(metrics_listen), "", 0, 0, "address",
 "Address at which watch answers /metrics, for example 127.0.0.1:9188. There is no access "
 "control; metrics contain no document data", 0},

{"engine", "engine", KEY_CHOICE, S(engine), "native", 0, 0, "name",
 "Engine: native, endpoint, words (fills in the schema from text layer or OCR, without a model), auto (words, if they decide every value "
 "and the record needs no review, else native), or null (reads nothing; for dry runs)", "native|auto|endpoint|words|null"},
{"engine", "engine_device", KEY_DEVICE, S(device), "cpu", 0, 0, "device",
 "Device of the native engine: cpu, cuda:N (an NVIDIA GPU, counted from 0), or auto: the first "
 "usable GPU, else cpu", 0},
{"engine", "model", KEY_TEXT, S(model), "", 0, 0, "file",
 "Model file (GGUF); empty: the embedded model", 0},
{"engine", "mmproj", KEY_TEXT, S(mmproj), "", 0, 0, "file",
 "Vision file of the model (GGUF); empty: the one in the model's folder", 0},
{"engine", "mtp", KEY_TEXT, S(mtp), "", 0, 0, "file",
 "File for multi-token prediction (GGUF), which saves passes and does not change answers; empty: "
 "in the model file, or mtp-*.gguf in its folder; off: do not use it", 0},
{"engine", "model_sha256", KEY_TEXT, S(model_sha256), "", 0, 0, "hex",
 "Refuse a model file with another SHA-256; a line of sha256sum is accepted", 0},
{"engine", "prompt_style", KEY_CHOICE, S(prompt_style), "auto", 0, 0, "style",
 "Prompt for a native model; auto: nuextract for models with the template of NuExtract 3, else "
 "plain; plain: instructions in words, with the schema", "auto|plain|nuextract"},
{"engine", "model_check", KEY_CHOICE, S(model_check), "refuse", 0, 0, "what",
 "Quick check of a model file whose hash is new: refuse a broken one, or warn and use it; off: no "
 "check", "refuse|warn|off"},
{"engine", "cache", KEY_TEXT, S(cache), "", 0, 0, "folder",
 "Folder for hashes of model files and other facts about them; empty: $XDG_CACHE_HOME/platen or "
 "~/.cache/platen. One that is a link, or that another user owns or can write to, is not used", 0},
{"engine", "n_ctx", KEY_INT, S(n_ctx), "0", 0, 1048576, "tokens",
 "Context length; 0: as memory allows (endpoint: as reported by the server), usually 16384, at "
 "most 65536", 0},
{"engine", "yarn", KEY_INT, S(yarn), "0", 0, 64, "factor",
 "YaRN factor: stretches positions, so that 4 extends 262144 tokens to one million, with slightly "
 "worse results on short texts; 0: as in the model file", 0},
{"engine", "vision", KEY_CHOICE, S(vision), "fast", 0, 0, "how",
 "Arithmetic of the native vision encoder: fast, in 8 or 16 bits if the processor supports it "
 "(see platen doctor), or exact, in F32; a GPU uses F16 in either case", "fast|exact"},
{"engine", "prompt", KEY_CHOICE, S(prompt), "fast", 0, 0, "how",
 "Arithmetic of the native engine for prompts with a quantised model: fast, in 16 bits (BF16) on a "
 "processor with AMX (see platen doctor), or exact, as for the tokens of an answer; elsewhere there "
 "is no difference", "fast|exact"},
{"engine", "share_model", KEY_CHOICE, S(share_model), "auto", 0, 0, "when",
 "on: one process holds the model for all documents, and decodes their answers as one batch; "
 "records stay byte-identical; off: each worker loads the model; auto: on unless "
 "jobs is 1; always on where a GPU may be used, or schemas have models of their own", "auto|on|off"},
{"engine", "model_memory", KEY_BYTES, AT(model_memory), "0", 0, 1e15, "bytes",
 "Memory for the models that are loaded at the same time, if schemas have models of their own "
 "([schema.NAME]); the least recently used is unloaded for another; 0: what platen model plan finds "
 "available when run or watch starts", 0},
{"engine", "model_patience", KEY_SECONDS, AT(model_patience_s), "600", 0, 86400, "seconds",
 "If not all models fit into model_memory, documents for a loaded one go first, but others wait no longer "
 "than this for theirs to be loaded", 0},
{"engine", "threads", KEY_INT, S(n_thread), "0", 0, 1024, "count",
 "Threads of the native engine; 0: all processors, divided among jobs", 0},
{"engine", "temperature", KEY_REAL, S(temperature), "0", 0, 2, "number",
 "Sampling temperature; 0: always the most probable token", 0},
{"engine", "seed", KEY_INT64, S(seed), "0", 0, 9e15, "number",
 "Seed of the first attempt; each further attempt adds 1", 0},
{"engine", "max_tokens", KEY_INT, S(max_tokens), "8192", 1, 1048576, "tokens",
 "Longest answer. One that is cut off is requested once more with up to four times as many "
 "tokens, if the context has room; a truncated answer is never published", 0},
{"engine", "review_threshold", KEY_REAL, S(review_threshold), "0.9", 0, 1, "number",
 "Values with a lower confidence get a warning; if the schema requires evidence "
 "(x-platen-required-evidence) they become null", 0},
{"engine", "classify_threshold", KEY_REAL, S(classify_threshold), "0.7", 0, 1, "number",
 "With schema auto: lowest probability of the chosen schema, before the choice is restricted; "
 "below it a document fails with [unclear-schema]", 0},

{"endpoint", "endpoint", KEY_TEXT, S(endpoint), "", 0, 0, "URL",
 "Base URL of an OpenAI-compatible server, for example http://127.0.0.1:8080/v1", 0},
{"endpoint", "endpoint_model", KEY_TEXT, S(endpoint_model), "", 0, 0, "name",
 "Model name to send; empty: the server's only model (/v1/models)", 0},
{"endpoint", "endpoint_key_file", KEY_TEXT, AT(endpoint_key_file), "", 0, 0, "file",
 "File with the bearer token; empty: $OPENAI_API_KEY", 0},
{"endpoint", "endpoint_timeout", KEY_SECONDS, S(endpoint_timeout_s), "300", 0.1, 86400, "seconds",
 "Time limit of one request", 0},
{"endpoint", "endpoint_tries", KEY_INT, S(endpoint_tries), "5", 1, 100, "count",
 "Requests per answer before the queue pauses", 0},
{"endpoint", "endpoint_parallel", KEY_INT, S(endpoint_parallel), "4", 1, 64, "count",
 "Concurrent requests to the endpoint, for all documents together; pages of a long document are "
 "requested ahead", 0},
{"endpoint", "endpoint_image", KEY_CHOICE, S(endpoint_image), "png", 0, 0, "type",
 "Image format of pages in requests: png or jpeg", "png|jpeg"},

{"fleet", "fleet", KEY_TEXT, AT(fleet), "", 0, 0, "conninfo",
 "Database of a fleet, as a libpq connection string: run and watch pass their documents to its "
 "workers", 0},
{"fleet", "fleet_model", KEY_TEXT, AT(fleet_model), "", 0, 0, "name",
 "Model that a document of the fleet needs, by name or SHA-256; for a worker: the name of its "
 "model; empty: any model, for a worker the file name", 0},
{"fleet", "fleet_gpu", KEY_SWITCH, AT(fleet_gpu), "no", 0, 0, "yes|no",
 "The document needs a worker with a GPU; for a worker: it has one", 0},
{"fleet", "fleet_memory", KEY_BYTES, AT(fleet_memory), "0", 0, 1e15, "bytes",
 "Memory that the document needs; for a worker: memory that it offers, 0: that of the machine", 0},
{"fleet", "fleet_key_file", KEY_TEXT, AT(fleet_key_file), "", 0, 0, "file",
 "File with two lines, the access key and the secret key of an S3 store; empty: "
 "$AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY", 0},

{"document", "pages", KEY_PAGES, S(pages), "", 0, 0, "list",
 "Pages to read, from 1, for example 1-3,7; pages that a document lacks are left out; empty: all", 0},
{"document", "split", KEY_CHOICE, S(split), "off", 0, 0, "how",
 "barcode: split batches at separator sheets and stickers (PATCHT, PLATEN:schema) and at archive "
 "numbers; each part is a document of its own", "off|barcode"},
{"document", "archive_prefix", KEY_TEXT, S(archive_prefix), "ASN", 0, 0, "text",
 "Prefix of archive numbers in bar codes; empty: none", 0},
{"document", "attachments", KEY_CHOICE, S(attachments), "no", 0, 0, "what",
 "read: PDFs and pictures that are attached to a PDF, or inside an e-invoice in XML, are documents "
 "of their own; no: they are only named in a warning. Those of an e-mail (.eml) are always read", "no|read"},
{"document", "passwords", KEY_TEXT, AT(passwords), "", 0, 0, "file",
 "File with passwords for encrypted PDFs, one a line, each tried as user and as owner password; "
 "others must not be able to read the file (chmod 600)", 0},
{"document", "dpi", KEY_INT, S(dpi), "0", 0, 2400, "number",
 "Resolution for drawing pages; 0: as max_pixels allows", 0},
{"document", "max_pixels", KEY_INT64, S(max_pixels), "0", 0, 1e9, "pixels",
 "Largest page shown to the model; 0: 2359296 (A4 at 150 dpi), or less if the model declares less", 0},
{"document", "deskew", KEY_SWITCH, S(deskew), "yes", 0, 0, "yes|no",
 "Straighten pages that are skewed by up to 25 degrees", 0},
{"document", "crop", KEY_SWITCH, S(crop), "yes", 0, 0, "yes|no",
 "Leave out margins of a tenth of the page or more, unless the model is the embedded one, and empty "
 "bands, too, if half of it is empty; boxes in the record refer to the whole page", 0},
{"document", "skip_blank", KEY_SWITCH, S(skip_blank), "yes", 0, 0, "yes|no",
 "Do not show blank pages to the model", 0},
{"document", "lenient", KEY_SWITCH, S(lenient), "no", 0, 0, "yes|no",
 "Accept damaged images that can still be decoded, with a warning", 0},

{"document", "ocr", KEY_CHOICE, S(ocr), "auto", 0, 0, "when",
 "Cross-check with OCR: 1 to 8 s of processor time per page of A4, while the model reads; "
 "auto: pages without a usable text layer; always: every page; off: never, so that rows missing "
 "from scans are not detected",
 "auto|always|off"},
{"document", "ocr_languages", KEY_TEXT, S(ocr_languages), "", 0, 0, "list",
 "Languages for OCR by Tesseract's names, the most likely first, for example deu+eng; with "
 "Tesseract each needs its Debian package (tesseract-ocr-deu); empty: the language of the "
 "locale (LANG) if it is installed, and eng", 0},
{"document", "ocr_engine", KEY_CHOICE, S(ocr_engine), "auto", 0, 0, "name",
 "What reads pages for the cross-check: tesseract; onnx: the models of ocr_models, with ONNX "
 "Runtime; auto: these models if they are installed and read all ocr_languages, else Tesseract",
 "auto|tesseract|onnx"},
{"document", "ground", KEY_CHOICE, S(ground), "auto", 0, 0, "when",
 "Use the words of a page; auto: those of text layers, and of pages that the embedded model "
 "only guesses at, are read in its place; prompt: give other models the words of PDF pages "
 "together with the image; off: neither",
 "auto|prompt|off"},
{"document", "auto_rotate", KEY_CHOICE, S(auto_rotate), "auto", 0, 0, "when",
 "If a single page cannot be read by the embedded model, or by anything else, try it upside down "
 "and on its sides; auto: use an orientation that reads clearly better; off: never",
 "auto|off"},

{"document", "rotate_pages", KEY_SWITCH, S(rotate_pages), "no", 0, 0, "yes|no",
 "Turn pages of searchable PDFs upright as OCR reads them, by /Rotate", 0},
{"document", "redo_ocr", KEY_SWITCH, S(redo_ocr), "no", 0, 0, "yes|no",
 "Read pages anew whose invisible text another program has recognised, and replace it in "
 "searchable PDFs", 0},
{"document", "output_type", KEY_CHOICE, S(output_type), "pdf", 0, 0, "type",
 "Make searchable PDFs of pictures and scans PDF/A-2b (pdfa, pdfa-2)", "pdf|pdfa|pdfa-2"},
{"document", "invalidate_digital_signatures", KEY_SWITCH, S(invalidate_digital_signatures), "no",
 0, 0, "yes|no", "Add words to signed PDFs, too, which invalidates their signatures", 0},

{"files", "schemas", KEY_TEXT, S(schemas), "", 0, 0, "folder",
 "Folder with NAME.schema.json and NAME.prompt.md; empty: the schemas installed with platen", 0},
{"files", "draft", KEY_CHOICE, S(draft), "2020-12", 0, 0, "name",
 "Draft assumed for schemas without $schema", "2020-12|2019-09|7|6|4"},
{"files", "schema_catalogue", KEY_TEXT, S(schema_catalogue), "", 0, 0, "folder",
 "Folder with local copies for references to other schemas, as listed in its catalogue.json", 0},
{"files", "raster_program", KEY_TEXT, S(raster_program), "", 0, 0, "file",
 "The rasteriser; empty: platen-raster in the folder of platen or in ../libexec/platen", 0},
{"files", "ocr_program", KEY_TEXT, S(ocr_program), "", 0, 0, "file",
 "The OCR program; empty: platen-ocr, likewise", 0},
{"files", "annotate_program", KEY_TEXT, S(annotate_program), "", 0, 0, "file",
 "The program that draws values onto pages (platen show); empty: platen-annotate, likewise", 0},
{"files", "ocr_models", KEY_TEXT, S(ocr_models), "", 0, 0, "folder",
 "Folder of the models for ocr_engine onnx (platen model get ocr)", 0},
{"files", "ocr_data", KEY_TEXT, S(ocr_data), "", 0, 0, "folder",
 "Folder with Tesseract's *.traineddata; empty: the bundle's, else the system's", 0},

{"limits", "max_document_bytes", KEY_BYTES, S(max_document_bytes), "200M", 1, 1e13, "bytes",
 "Larger files fail with [too-large]", 0},
{"limits", "max_pages", KEY_INT, S(max_pages), "2000", 1, 1000000, "count",
 "Documents with more pages fail with [too-many-pages]", 0},
{"limits", "max_decoded_pixels", KEY_INT64, S(max_decoded_pixels), "100000000", 1, 4e9, "pixels",
 "Pages that decode to more pixels fail with [too-large]", 0},
{"limits", "child_memory_limit", KEY_BYTES, S(child_memory_limit), "2G", 67108864, 1e13, "bytes",
 "Address space of the rasteriser [resource-memory] and of OCR", 0},
{"limits", "child_cpu_limit", KEY_INT, S(child_cpu_limit_s), "60", 1, 86400, "seconds",
 "Processor time of the rasteriser for a group of pages [resource-cpu], and of OCR "
 "for a page", 0},
{"limits", "page_timeout", KEY_INT, S(page_timeout_s), "120", 1, 86400, "seconds",
 "Time limit for drawing a page [resource-cpu], for its OCR, and for progress of the model server",
 0},
{"limits", "document_timeout", KEY_INT, S(document_timeout_s), "600", 1, 864000, "seconds",
 "Time limit for a document, or for each page of one that is read page by page [resource-time]", 0},
{"limits", "max_record_bytes", KEY_BYTES, S(max_record_bytes), "128M", 1024, 1e9, "bytes",
 "Longest record", 0},
{"limits", "sandbox", KEY_CHOICE, S(sandbox), "strict", 0, 0, "how",
 "Sandbox of the processes that handle documents; strict: no document is read if neither Landlock "
 "nor seccomp works [no-sandbox]; best: use the layers that there are; a record says if one of the "
 "two was missing", "strict|best"},
};
/* clang-format on */

enum { N_KEY = sizeof table / sizeof table[0] };
_Static_assert((int)N_KEY <= (int)CONFIG_KEY_MAX, "config.h: CONFIG_KEY_MAX");

const struct config_key *config_key_at(size_t row)
{
    return row < N_KEY ? &table[row] : NULL;
}

size_t config_key_row(const struct config_key *k)
{
    return (size_t)(k - table);
}

enum key_of_schema config_key_of_schema(const struct config_key *k)
{
    static const struct {
        const char *key;
        enum key_of_schema as;
    } of_schema[] = {
        {"engine", KEY_CHOOSES_MODEL},
        {"model", KEY_CHOOSES_MODEL},
        {"mmproj", KEY_CHOOSES_MODEL},
        {"mtp", KEY_CHOOSES_MODEL},
        {"model_sha256", KEY_CHOOSES_MODEL},
        {"endpoint", KEY_CHOOSES_MODEL},
        {"endpoint_model", KEY_CHOOSES_MODEL},
        {"endpoint_key_file", KEY_CHOOSES_MODEL},
        {"max_pixels", KEY_OF_SCHEMA},
        {"examples", KEY_OF_SCHEMA},
    };
    for (size_t i = 0; i < sizeof of_schema / sizeof *of_schema; i++)
        if (!strcmp(k->key, of_schema[i].key)) return of_schema[i].as;
    return KEY_OF_ALL;
}
