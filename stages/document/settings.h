/* settings.h - the settings of the stages. Filled from one table
 * (pipeline/config/config_table.c); strings are never NULL, "" means not
 * set. */
#ifndef STAGES_DOCUMENT_SETTINGS_H
#define STAGES_DOCUMENT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum record_format {
    FORMAT_JSON = 1,
    FORMAT_XML = 2,
    FORMAT_PDF = 4, /* searchable/searchable.h, also the next two */
    FORMAT_HOCR = 8,
    FORMAT_ALTO = 16,
    FORMATS_OF_WORDS = FORMAT_PDF | FORMAT_HOCR | FORMAT_ALTO
};

/* Default size of a page: a little more than A4 at 150 dpi. Such a page is
 * 2,304 tokens (32 x 32 pixels each), so a context of 16,384 holds several
 * pages and their answer; letters of 8 points are 17 pixels high. */
enum { SETTINGS_PAGE_PIXELS = 2359296 };

struct settings {
    const char *schemas;          /* folder of NAME.schema.json */
    const char *draft;            /* of schemas without $schema, "7" */
    const char *schema_catalogue; /* folder for references between schemas */
    const char *raster_program;   /* path of platen-raster */

    const char *ocr; /* auto, always or off */
    const char
        *ground; /* auto, prompt or off (question.h, page_text_prompt.h) */
    const char *auto_rotate;      /* auto or off (auto_rotate.h) */
    const char *ocr_languages;    /* Tesseract languages, "eng+kan" */
    const char *ocr_data;         /* folder of *.traineddata, or "" */
    const char *ocr_engine;       /* auto, tesseract or onnx */
    const char *ocr_models;       /* folder of *.onnx, or "" */
    const char *ocr_program;      /* path of platen-ocr */
    const char *annotate_program; /* path of platen-annotate */

    const char *engine;         /* native, auto, endpoint, words, null */
    const char *device;         /* of the native engine: auto, cpu or cuda:N */
    const char *model, *mmproj; /* GGUF files */
    const char *mtp;            /* GGUF file; "": the model's own; off */
    const char *model_sha256;   /* required hash, or "" */
    const char *prompt_style;   /* auto, plain or nuextract */
    const char *model_check;    /* check of a new model: refuse, warn or off */
    const char *cache;          /* folder for facts about model files */
    int n_ctx, n_thread;        /* 0: default */
    const char *vision;         /* fast or exact */
    const char *prompt;         /* fast or exact */
    const char *share_model;    /* off or on (engine/shared_model.h) */
    int model_server_fd;        /* a worker's socket to it; 0: none */
    int spawner_door, spawner_fd; /* a socket to the spawner (spawner.h), and a
                                   * reader's own connection to it; 0: this
                                   * process starts its children */
    int yarn;                     /* context factor; 0: as in the model file */

    const char *endpoint;       /* base URL, "" when none is configured */
    const char *endpoint_model; /* model name in requests */
    int endpoint_key_fd;        /* sealed memory with the bearer token, for the
                                 * fetch process; 0: none */
    bool endpoint_signs; /* requests go to the address as it is, signed with the
                          * key: webhooks */
    int fetch_fd; /* a client's socket to the fetch process; 0: it starts its
                   * own (engine/fetch_process.h) */
    double endpoint_timeout_s; /* of one request */
    int endpoint_tries;
    int endpoint_parallel;      /* concurrent requests of a run */
    const char *endpoint_image; /* png or jpeg */

    double temperature;
    int64_t seed;
    int max_tokens;
    double review_threshold;   /* a lower confidence of a value is a warning */
    bool plain_confidence;     /* use no calibration (calibration.h) */
    double classify_threshold; /* least p of a schema chosen by the model */

    const char *split;          /* off or barcode (split.h) */
    const char *archive_prefix; /* of archive numbers; "": none are read */
    const char *attachments;    /* of PDFs: no or read (split.h) */
    const char *pages;          /* "1-3,7", "" for all */
    int dpi;                    /* 0: from the pixel budget */
    int passwords_fd;           /* sealed memory with passwords of PDFs, one a
                                 * line, for the spawner; 0: none */
    int64_t max_pixels;         /* of a page as the model sees it; 0:
                                 * SETTINGS_PAGE_PIXELS */
    bool deskew, crop, skip_blank;
    bool rotate_pages, redo_ocr, invalidate_digital_signatures;
    const char *output_type; /* of searchable PDFs: pdf, or PDF/A */
    bool lenient;            /* accept damaged pictures that can be decoded */
    const char *sandbox;     /* strict or best */

    /* limits; platen.conf(5) lists them */
    int64_t max_document_bytes; /* 200 MB */
    int max_pages;              /* 2000 */
    int64_t max_decoded_pixels; /* 100 Mpx a page */
    int64_t child_memory_limit; /* bytes of address space */
    int child_cpu_limit_s, page_timeout_s, document_timeout_s;
    int64_t max_record_bytes; /* 128 MiB: 50,000 rows */
};

/* Maximum pixels of a page; the model's own maximum applies as well. */
static inline int64_t settings_page_pixels(const struct settings *s)
{
    return s->max_pixels > 0 ? s->max_pixels : SETTINGS_PAGE_PIXELS;
}

/* The longest file with the whole text: the pixels of a picture can need more
 * bytes than the picture, and words with their boxes more than a record. */
static inline size_t settings_whole_bytes(const struct settings *s)
{
    return (size_t)s->max_document_bytes * 4 + (64 << 20);
}

/* Whether a document can be read without any sandbox. */
static inline bool settings_unsandboxed(const struct settings *s)
{
    return s->sandbox && !strcmp(s->sandbox, "best");
}

/* Whether multi-token prediction is switched off. */
static inline bool settings_mtp_off(const struct settings *s)
{
    return s->mtp && !strcmp(s->mtp, "off");
}

/* The separate file for multi-token prediction, or NULL. */
static inline const char *settings_mtp(const struct settings *s)
{
    return s->mtp && *s->mtp && !settings_mtp_off(s) ? s->mtp : NULL;
}

/* Whether the engine needs the model file. */
static inline bool settings_have_model(const struct settings *s)
{
    return !strcmp(s->engine, "native") || !strcmp(s->engine, "auto");
}

#endif
