/* settings.h - what the configuration tells the stages. Filled by pipeline/
 * config.c from one table; strings are never NULL, "" means not set. */
#ifndef STAGES_SETTINGS_H
#define STAGES_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum record_format { FORMAT_JSON = 1, FORMAT_XML = 2 };

/* Of a page, where nobody says otherwise: A4 at 150 dpi and a little more. A
 * page of it is 2,304 tokens (32 x 32 pixels each), so that a context of 16,384
 * holds several and their answer; letters of 8 points are 17 pixels high. */
enum { SETTINGS_PAGE_PIXELS = 2359296 };

struct request_limit;

struct settings {
    const char *schemas;          /* folder of NAME.schema.json */
    const char *draft;            /* of schemas that name none, "7" */
    const char *schema_catalogue; /* folder for references between schemas */
    const char *raster_program;   /* path of platen-raster */

    const char *ocr; /* auto, always or off */
    const char
        *ground; /* auto, prompt or off (fallback/, page_text_prompt.h) */
    const char *auto_rotate;      /* auto or off (fallback/) */
    const char *ocr_languages;    /* of Tesseract, "eng+kan" */
    const char *ocr_data;         /* folder of its tables, or "" */
    const char *ocr_program;      /* path of platen-ocr */
    const char *annotate_program; /* path of platen-annotate */

    const char *engine;         /* native, endpoint, null */
    const char *device;         /* of the native one: auto, cpu or cuda:N */
    const char *model, *mmproj; /* GGUF files */
    const char *mtp;            /* GGUF file; "": the model's own; off */
    const char *model_sha256;   /* pin, or "" */
    const char *prompt_style;   /* auto, plain or nuextract */
    const char *model_check;    /* of a new model: refuse, warn or off */
    const char *cache;          /* folder for what is known of model files */
    int n_ctx, n_thread;        /* 0: default */
    const char *vision;         /* fast or exact */
    const char *share_model;    /* off or on (engine/shared_model.h) */
    int model_server_fd;        /* where a worker finds it; 0: nowhere */
    int yarn;                   /* factor of the context; 0: as the file says */

    const char *endpoint;       /* base URL, "" when none is configured */
    const char *endpoint_model; /* name sent along */
    const char *endpoint_key;   /* bearer token */
    double endpoint_timeout_s;  /* one request */
    int endpoint_tries;
    int endpoint_parallel; /* questions on their way at once, of a run */
    struct request_limit *
        endpoint_share; /* who counts them (engine/request_limit.h), and this */
    int endpoint_slot;  /* worker's slot; NULL: this process alone */
    const char *endpoint_image; /* png or jpeg */

    double temperature;
    int64_t seed;
    int max_tokens;
    double review_threshold; /* confidence of a value below this is a warning */
    bool plain_confidence;   /* no fit (calibration.h) is asked for */
    double
        classify_threshold; /* p of the kind that is read as such, at least */

    const char *split;          /* off or barcode (split.h) */
    const char *archive_prefix; /* of archive numbers; "": there are none */
    const char *pages;          /* "1-3,7", "" for all */
    int dpi;                    /* 0: from the pixel budget */
    int64_t max_pixels; /* of a page as shown; 0: SETTINGS_PAGE_PIXELS */
    bool deskew, crop, skip_blank;
    bool lenient; /* damaged but decodable pictures are taken */
    bool allow_unsandboxed;

    /* limits; platen.conf(5) lists them */
    int64_t max_document_bytes; /* 200 MB */
    int max_pages;              /* 2000 */
    int64_t max_decoded_pixels; /* 100 Mpx a page */
    int64_t child_memory_limit; /* bytes of address space */
    int child_cpu_limit_s, page_timeout_s, document_timeout_s;
    int64_t max_record_bytes; /* 128 MiB: 50,000 rows */
};

/* Pixels of a page at most, before what the model takes at most. */
static inline int64_t settings_page_pixels(const struct settings *s)
{
    return s->max_pixels > 0 ? s->max_pixels : SETTINGS_PAGE_PIXELS;
}

/* The file of multi-token prediction beside the model's, or NULL. */
static inline bool settings_mtp_off(const struct settings *s)
{
    return s->mtp && !strcmp(s->mtp, "off");
}
static inline const char *settings_mtp(const struct settings *s)
{
    return s->mtp && *s->mtp && !settings_mtp_off(s) ? s->mtp : NULL;
}

#endif
