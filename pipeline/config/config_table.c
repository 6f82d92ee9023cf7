/* config_table.c - every key there is; see config.h. */
#include "pipeline/config/config_table.h"

#include "pipeline/config/config.h"

#define AT(field) offsetof(struct config, field)
#define S(field)  offsetof(struct config, stage.field)

/* clang-format off */
static const struct config_key table[] = {
{"spool", "default_schema", KEY_TEXT, AT(default_schema), "", 0, 0, "name",
 "Schema of files that lie directly in in/; without one they fail with [no-schema]; "
 "auto: the model chooses by the titles and descriptions of all schemas", 0},
{"spool", "settle", KEY_SECONDS, AT(settle_s), "5", 0, 86400, "seconds",
 "A dropped file is taken once it has not changed for so long", 0},
{"spool", "rescan", KEY_SECONDS, AT(rescan_s), "10", 0.05, 3600, "seconds",
 "How often watch looks into in/ although no event came", 0},
{"spool", "format", KEY_FORMATS, AT(formats), "json", 0, 0, "list",
 "Formats of the records: json, xml or both", 0},
{"spool", "jobs", KEY_INT, AT(jobs), "0", 0, 64, "count",
 "Documents in flight; 0: endpoint_parallel with an endpoint, 4 with a reader, else 1", 0},
{"spool", "free_space", KEY_BYTES, AT(free_bytes), "64M", 0, 1e15, "bytes",
 "Nothing is taken while the spool's file system has less room", 0},

{"hooks", "on_done", KEY_TEXT, AT(on_done), "", 0, 0, "file",
 "Program that is run, by its absolute path and without a shell, once a record is delivered, "
 "and again when a person corrected it; its one argument: the path of record.json or corrected.json", 0},
{"hooks", "on_failed", KEY_TEXT, AT(on_failed), "", 0, 0, "file",
 "The same for documents that failed: the path of reason.json; where either ends with another "
 "code than 0 the document stays what it is, and the program is asked again 10 s to 15 min later", 0},
{"hooks", "hook_wall", KEY_INT, AT(hook_wall_s), "60", 1, 86400, "seconds",
 "A hook that runs longer is killed, and asked again like one that failed", 0},

{"log", "log_format", KEY_CHOICE, AT(log_format), "text", 0, 0, "form",
 "How lines on stderr are written: text for people, or json, an object a line", "text|json"},

{"log", "metrics", KEY_TEXT, AT(metrics), "", 0, 0, "file",
 "Where run and watch write metrics for Prometheus' textfile collector, whole each time, every "
 "15 s and at their end; a file for each spool", 0},
{"log", "metrics_listen", KEY_TEXT, AT(metrics_listen), "", 0, 0, "address",
 "Where watch answers /metrics, as 127.0.0.1:9188; anybody who reaches it may ask, "
 "and there is nothing of a document in it", 0},

{"engine", "engine", KEY_CHOICE, S(engine), "native", 0, 0, "name",
 "Who reads: native, endpoint, or null (nobody; dry runs)", "native|endpoint|null"},
{"engine", "engine_device", KEY_DEVICE, S(device), "cpu", 0, 0, "device",
 "What computes for the native engine: cpu, cuda:N (a GPU of NVIDIA's, from 0), or auto, the "
 "first GPU that serves, else cpu; no GPU has run it yet", 0},
{"engine", "model", KEY_TEXT, S(model), "", 0, 0, "file",
 "GGUF file of the model; empty: the embedded one", 0},
{"engine", "mmproj", KEY_TEXT, S(mmproj), "", 0, 0, "file",
 "GGUF file of its vision part; empty: the one beside the model", 0},
{"engine", "mtp", KEY_TEXT, S(mtp), "", 0, 0, "file",
 "GGUF file of its multi-token prediction, which guesses tokens: same answers, fewer "
 "passes; empty: in the model file, or mtp-*.gguf beside it; off: no guesses by it", 0},
{"engine", "model_sha256", KEY_TEXT, S(model_sha256), "", 0, 0, "hex",
 "Refuse a model file with another SHA-256; also as sha256sum prints it", 0},
{"engine", "prompt_style", KEY_CHOICE, S(prompt_style), "auto", 0, 0, "style",
 "How a native model is asked; auto: as the template in its file says, "
 "nuextract where that is NuExtract 3's; plain: in words, with the schema", "auto|plain|nuextract"},
{"engine", "model_check", KEY_CHOICE, S(model_check), "refuse", 0, 0, "what",
 "What becomes of a model file that is found broken, when its hash is new: "
 "refuse, or warn and use it; off: nobody looks", "refuse|warn|off"},
{"engine", "cache", KEY_TEXT, S(cache), "", 0, 0, "folder",
 "Where hashes of model files, and what is known of them, are remembered; empty: $XDG_CACHE_HOME/platen", 0},
{"engine", "n_ctx", KEY_INT, S(n_ctx), "0", 0, 1048576, "tokens",
 "Length of the context; 0: by the memory there is (an endpoint: as its server says), 16384 as a rule, at most 65536", 0},
{"engine", "yarn", KEY_INT, S(yarn), "0", 0, 64, "factor",
 "Stretch positions so many times (YaRN): 4 makes 262144 tokens a million; a "
 "little worse on short texts; 0: as the model file says", 0},
{"engine", "vision", KEY_CHOICE, S(vision), "fast", 0, 0, "how",
 "How the native engine looks at pictures: fast, in 8 or 16 bits where the processor "
 "multiplies them (platen doctor says), or exact, in F32; a GPU has F16 in either case", "fast|exact"},
{"engine", "reader", KEY_CHOICE, S(reader), "auto", 0, 0, "when",
 "on: one process holds the native engine's model for all documents in flight, and writes their "
 "answers together; a record's bytes are the same (mtp is not used then); off: each document's worker has its own; "
 "auto: on unless jobs is 1", "auto|on|off"},
{"engine", "threads", KEY_INT, S(n_thread), "0", 0, 1024, "count",
 "Threads of the native engine; 0: all processors, shared among jobs", 0},
{"engine", "temperature", KEY_REAL, S(temperature), "0", 0, 2, "number",
 "0 takes the likeliest token, always", 0},
{"engine", "seed", KEY_INT64, S(seed), "0", 0, 9e15, "number",
 "Seed of the first attempt; each further one adds 1", 0},
{"engine", "max_tokens", KEY_INT, S(max_tokens), "8192", 1, 1048576, "tokens",
 "Longest answer; one that is cut off there is asked for once more with up to "
 "four times as many, as the context allows, and is never a record", 0},
{"engine", "review_below", KEY_REAL, S(review_below), "0.9", 0, 1, "number",
 "A value whose confidence is below it is listed in the warnings; it becomes "
 "null where the schema asks for evidence (x-platen-required-evidence)", 0},
{"engine", "kind_above", KEY_REAL, S(kind_above), "0.7", 0, 1, "number",
 "Where the schema is auto: a document whose likeliest kind is less probable, "
 "before the choice was narrowed to kinds, fails with [unclear-kind]", 0},

{"endpoint", "endpoint", KEY_TEXT, S(endpoint), "", 0, 0, "URL",
 "Base URL of an OpenAI-compatible server, as http://127.0.0.1:8080/v1", 0},
{"endpoint", "endpoint_model", KEY_TEXT, S(endpoint_model), "", 0, 0, "name",
 "Model name that is sent along; empty: that of the only model of the server "
     "(/v1/models)", 0},
{"endpoint", "endpoint_key_file", KEY_TEXT, AT(endpoint_key_file), "", 0, 0, "file",
 "File that holds the bearer token; empty: $OPENAI_API_KEY", 0},
{"endpoint", "endpoint_timeout", KEY_SECONDS, S(endpoint_timeout_s), "300", 0.1, 86400, "seconds",
 "Longest wait for one answer", 0},
{"endpoint", "endpoint_tries", KEY_INT, S(endpoint_tries), "5", 1, 100, "count",
 "Requests for one answer before the queue pauses", 0},
{"endpoint", "endpoint_parallel", KEY_INT, S(endpoint_parallel), "4", 1, 64, "count",
 "Questions on their way to an endpoint at once, of all documents of a run; a "
 "page of a long one is asked about before the one before it is answered", 0},
{"endpoint", "endpoint_image", KEY_CHOICE, S(endpoint_image), "png", 0, 0, "type",
 "How pages are sent: png or jpeg", "png|jpeg"},

{"fleet", "fleet", KEY_TEXT, AT(fleet), "", 0, 0, "conninfo",
 "Database of a fleet, as libpq has it: run and watch hand their documents to its workers", 0},
{"fleet", "fleet_model", KEY_TEXT, AT(fleet_model), "", 0, 0, "name",
 "Model that a document handed to a fleet needs, by name or SHA-256; of a worker: how its "
 "model is called; empty: any, of a worker the name of the file", 0},
{"fleet", "fleet_gpu", KEY_SWITCH, AT(fleet_gpu), "no", 0, 0, "yes|no",
 "Needs a worker with a GPU; of a worker: has one", 0},
{"fleet", "fleet_memory", KEY_BYTES, AT(fleet_memory), "0", 0, 1e15, "bytes",
 "Needs a worker with so much memory; of a worker: has so much, 0: what the machine has", 0},
{"fleet", "fleet_key_file", KEY_TEXT, AT(fleet_key_file), "", 0, 0, "file",
 "Two lines, the access key and the secret key of a fleet's store in S3; empty: "
 "$AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY", 0},

{"document", "pages", KEY_PAGES, S(pages), "", 0, 0, "list",
 "Pages to read, from 1, as 1-3,7; empty: all", 0},
{"document", "split", KEY_CHOICE, S(split), "off", 0, 0, "how",
 "barcode: cut stacks at separator sheets and stickers (PATCHT, PLATEN:schema) and at "
 "archive numbers, each part a document of its own", "off|barcode"},
{"document", "archive_prefix", KEY_TEXT, S(archive_prefix), "ASN", 0, 0, "text",
 "What archive numbers in bar codes begin with, where split looks for them; empty: "
 "there are none", 0},
{"document", "dpi", KEY_INT, S(dpi), "0", 0, 2400, "number",
 "Resolution to draw at; 0: what max_pixels allows", 0},
{"document", "max_pixels", KEY_INT64, S(max_pixels), "0", 0, 1e9, "pixels",
 "Largest page shown to the model; 0: 2359296 (A4 at 150 dpi), or less where "
 "the model declares less", 0},
{"document", "deskew", KEY_SWITCH, S(deskew), "yes", 0, 0, "yes|no",
 "Straighten pages that are skewed by up to 5 degrees", 0},
{"document", "crop", KEY_SWITCH, S(crop), "yes", 0, 0, "yes|no",
 "Do not show margins and empty bands to the model, where half of a page or more is only "
 "paper; places in the record are those of the whole page", 0},
{"document", "skip_blank", KEY_SWITCH, S(skip_blank), "yes", 0, 0, "yes|no",
 "Never show blank pages to the model", 0},
{"document", "lenient", KEY_SWITCH, S(lenient), "no", 0, 0, "yes|no",
 "Take damaged pictures that still decode, with a warning", 0},

{"document", "second_reader", KEY_CHOICE, S(second_reader), "auto", 0, 0, "when",
 "Tesseract, to hold its words against the model's: 1 to 8 s of processor time a page of A4, "
 "while the model reads; auto: pages without a usable text layer; always: every page; off: never, so "
 "that rows missing from scans cannot be named",
 "auto|always|off"},
{"document", "second_reader_languages", KEY_TEXT, S(second_reader_languages), "eng", 0, 0, "list",
 "Languages of the second reader as Tesseract names them, the likeliest first: eng+kan; "
 "each needs its Debian package (tesseract-ocr-kan)", 0},
{"document", "anchor", KEY_CHOICE, S(anchor), "auto", 0, 0, "when",
 "What the embedded model could not read is taken from the page's words: dates, amounts, texts; "
 "auto: for models that know outlines alone, others are left as they are; prompt: others are told "
 "a PDF page's own printed words beside its picture; off: neither",
 "auto|prompt|off"},
{"document", "turn", KEY_CHOICE, S(turn), "auto", 0, 0, "when",
 "A single page that the embedded model cannot read, nor anybody else, is tried on its head and on "
 "its sides; auto: where it is read clearly one way, it is read so; off: never",
 "auto|off"},

{"files", "schemas", KEY_TEXT, S(schemas), "", 0, 0, "folder",
 "Folder of NAME.schema.json and NAME.prompt.md; empty: the ones that came with platen", 0},
{"files", "draft", KEY_CHOICE, S(draft), "2020-12", 0, 0, "name",
 "Draft of JSON Schema that a schema without $schema is written in", "2020-12|2019-09|7|6|4"},
{"files", "schema_catalogue", KEY_TEXT, S(schema_catalogue), "", 0, 0, "folder",
 "Folder that stands for the bases named in its catalogue.json, where schemas refer to others", 0},
{"files", "raster_program", KEY_TEXT, S(raster_program), "", 0, 0, "file",
 "The rasteriser; empty: platen-raster beside platen", 0},
{"files", "second_reader_program", KEY_TEXT, S(second_reader_program), "", 0, 0, "file",
 "The second reader; empty: platen-read beside platen", 0},
{"files", "mark_program", KEY_TEXT, S(mark_program), "", 0, 0, "file",
 "What draws values onto pages (platen show); empty: platen-mark beside platen", 0},
{"files", "second_reader_data", KEY_TEXT, S(second_reader_data), "", 0, 0, "folder",
 "Tesseract's tables (*.traineddata); empty: where the system keeps them", 0},

{"limits", "document_bytes_max", KEY_BYTES, S(document_bytes_max), "200M", 1, 1e13, "bytes",
 "Larger files fail with [too-large]", 0},
{"limits", "pages_max", KEY_INT, S(pages_max), "2000", 1, 1000000, "count",
 "Documents with more pages fail with [too-many-pages]", 0},
{"limits", "decoded_pixels_max", KEY_INT64, S(decoded_pixels_max), "100000000", 1, 4e9, "pixels",
 "Pages that decode to more fail with [too-large]", 0},
{"limits", "child_memory", KEY_BYTES, S(child_memory), "2G", 67108864, 1e13, "bytes",
 "Address space of the rasteriser: [resource-memory]; of the second reader", 0},
{"limits", "child_cpu", KEY_INT, S(child_cpu_s), "60", 1, 86400, "seconds",
 "CPU time of the rasteriser for a group of pages: [resource-cpu]; of the second "
 "reader for a page", 0},
{"limits", "page_wall", KEY_INT, S(page_wall_s), "120", 1, 86400, "seconds",
 "Longest wait for one drawn page: [resource-cpu]; for what the second reader says of it, and for "
 "a sign of life of the reader", 0},
{"limits", "document_wall", KEY_INT, S(document_wall_s), "600", 1, 864000, "seconds",
 "Longest time for one document, and for each page of one that is read page by "
 "page: [resource-time]", 0},
{"limits", "record_bytes_max", KEY_BYTES, S(record_bytes_max), "128M", 1024, 1e9, "bytes",
 "Longest record", 0},
{"limits", "allow_unsandboxed", KEY_SWITCH, S(allow_unsandboxed), "no", 0, 0, "yes|no",
 "Draw pages even where no sandbox can be had; every record says so", 0},
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
