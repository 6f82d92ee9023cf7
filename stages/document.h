/* document.h - what flows through the stages.
 *
 * LIFE    Made for one file, filled in by one stage after another, ended with
 *         its arena. Pages are not kept: each is drawn, prepared, shown to the
 *         engine and dropped before the next, so that 300 pages take no more
 *         memory than 3.
 * OWNERS  One thread at a time.
 */
#ifndef STAGES_DOCUMENT_H
#define STAGES_DOCUMENT_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "stages/page/box.h"
#include "stages/warnings.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/hash.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"
#include "vlm/json/json.h"

struct invoice;
struct schema;
struct confidence;

enum file_type {
    FILE_UNKNOWN,
    FILE_PDF,
    FILE_TIFF,
    FILE_JPEG,
    FILE_PNG,
    FILE_WEBP
};

/* What of a page, straightened, its picture shows: columns x .. x + w, and bands
 * of rows, one below the other (page/crop.h); n_band 0: all of it. Numbers are
 * shares of the page's sides; all of the picture's height is `scale` of the
 * page's. What lies behind the last band, or right of the page, is
 * white that was put there. */
enum { PAGE_BANDS = 4 };
struct shown_band {
    double from, to;
};
struct page_shown {
    double x, w, scale;
    int n_band;
    struct shown_band band[PAGE_BANDS];
};

struct page {
    int number;                            /* from 1, as a person counts */
    int width_px, height_px;               /* as drawn, upright */
    int fitted_width_px, fitted_height_px; /* as shown to the model */
    double dpi;              /* at which it was drawn; 0: unknown */
    double skew_degrees;     /* that was removed */
    struct page_shown shown; /* of it, to the model */
    bool blank;              /* recognised as such, never shown */
    bool told;               /* its words stood beside its picture */
    bool cramped;            /* one picture is too small for its print */
};

struct stage_time {
    const char *stage;
    double seconds;
};

/* A place on a page as it is displayed. */
struct field_place {
    int page; /* as a person counts */
    struct box box;
    double weight; /* of those of a value, 1 in all */
};

/* What OCR, of the text layer, says of a value (field.h). */
enum field_verdict {
    FIELD_UNPROVEN, /* there is none, or the value is null */
    FIELD_AGREE,
    FIELD_DIFFER, /* something like it stands there */
    FIELD_UNSEEN,
    FIELD_DERIVED /* nothing that could be printed: true, false */
};

enum evidence_source {
    EVIDENCE_TEXT_LAYER,
    EVIDENCE_OCR,
    EVIDENCE_MODEL,
    EVIDENCE_ATTENTION, /* where the model looked (evidence/attention_evidence.h) */
    EVIDENCE_E_INVOICE /* the data in the file (evidence/einvoice_check.h) */
};

enum evidence_match {
    EVIDENCE_EXACT,      /* printed as the value is written */
    EVIDENCE_NORMALISED, /* the same in comparable form */
    EVIDENCE_FUZZY,      /* but for some characters */
    EVIDENCE_AMBIGUOUS,  /* one of several places */
    EVIDENCE_POSITION,   /* a place, whatever is printed there */
    EVIDENCE_DIFFERENT   /* the e-invoice has another value */
};

/* One line of print that a value was found on, or the e-invoice's value. */
struct evidence {
    int page; /* as a person counts; 0: an e-invoice has no page, nor a box */
    struct box box;
    int line;         /* of the answer's page table; not kept */
    const char *text; /* as printed; NULL: EVIDENCE_ATTENTION has none */
    enum evidence_source source;
    enum evidence_match match;
    float confidence; /* of EVIDENCE_OCR and EVIDENCE_MODEL */
    int distance;     /* EVIDENCE_FUZZY: characters that differ */
    int term;         /* EVIDENCE_E_INVOICE: BT number */
};

/* What is known of a leaf value: its probability before masking, those of its
 * tokens (vlm.h), and where it stands (evidence/evidence_pages.h). How far to believe it
 * is asked where it is printed (confidence.h). */
struct field {
    const char *pointer;
    double p, p_legal, p_min, p_kin; /* p_min, p_kin 0: not told */
    int n_token;        /* of which p is the product; 0: not told */
    bool unmeasured;    /* the engine gives no probabilities: all p are 1 */
    bool legal_unknown; /* p is known, p_legal is not, and is 1 */
    bool dropped;   /* the value was a guess and is null now; see required.h */
    bool is_null;   /* null was answered */
    bool is_figure; /* a number, or digits without letters */
    int year;       /* of an ISO date, as long as its answer is; or 0 */
    bool
        confirmed; /* the e-invoice in the file has the same (einvoice_check.h), */
    bool denied; /* or something else */
    bool
        anchored; /* it is what the page has, not what was answered (fallback/) */
    bool
        stray; /* it stands away from the other values of its row (off_row.h) */
    enum field_verdict verdict;
    int page; /* where it stands first; 0: not known */
    const struct evidence *evidence;
    int n_evidence;
};

/* Where the model looked while it wrote a value, the most looked at first, and
 * the print that stands there (ink.page 0: none was found). */
struct field_look {
    const struct field_place *place;
    int n_place; /* 0: not known */
    struct field_place ink;
};

/* Of what tokens the answer is made, as far as its engine tells. */
struct document_token {
    size_t end; /* bytes of the answer up to here */
    double log_p;
};
struct document_told {
    const struct document_token *token;
    int n; /* 0: nothing is told */
};

/* Which schema the model chose, where it was asked (classify.h). */
struct document_kind {
    const char *name; /* NULL: nobody asked */
    double p, p_legal;
    bool measured;      /* else p and p_legal are not known */
    bool legal_unknown; /* p is known, p_legal is not, and is 1 */
};

/* Where the seconds of its answers went (vlm.h, struct vlm_spent), for people; all
 * 0 where its engine does not tell. */
struct document_spent {
    double vision, prompt, forced, drafted, sampled;
    double evidence; /* of the time of "validate" */
    int n_vision;    /* rows of pictures */
    int n_prompt, n_forced, n_drafted, n_sampled; /* tokens */
    int n_guessed; /* of which n_drafted were right */
};

enum { DOCUMENT_TIME_MAX = 16 };

/* A document that was cut out of a stack (split.h). */
struct document_part {
    const char *stack; /* the id of the stack */
    int number, count; /* which of how many */
    const char *pages; /* of the stack, "4-6" */
};

/* What of data and field is not in memory: the rows of a long document, which
 * lie in a file (window/assemble.c). Empty arrays stand for them in data. */
struct document_rows {
    struct json_stream stream; /* the rows of each of these arrays */
    /* The fields of the first row (`first`) or the next one, theirs until the
     * next call; NULL behind the last. */
    const struct field *(*next_fields)(struct document_rows *rows, bool first,
                                       int *n_field);
    /* The page that gave the value at a pointer into data, one of a row or
     * another; 0: none did. */
    int (*page_of)(struct document_rows *rows, const char *pointer);
    void (*close)(struct document_rows *rows);
    struct err err; /* why rows could not be had again; stays */
};

struct document {
    const char *id;   /* of the spool, or made up for a command-line run */
    const char *name; /* as it arrived, for people: bytes, not a path to open */
    int fd;           /* the file, open for reading; the caller closes it */
    const struct schema *schema;
    const char *prompt; /* the schema's instructions (NAME.prompt.md) */
    struct document_kind kind;

    /* identify */
    enum file_type type;
    int64_t size_bytes;
    struct hash sha256;

    /* rasterise, prepare */
    bool want_words;   /* set before: the text layer, too (rasterise_words) */
    bool want_invoice; /* set before: an e-invoice in it (packed_invoice.h) */
    const struct invoice *invoice; /* NULL: there is none, or it is not to be
                                    * used; a warning says so */
    int n_page_source;             /* pages in the file */
    struct page *page;             /* the chosen ones, in order */
    int n_page;
    int n_kept; /* pages of a long one that are read and kept (window/row_file.h) */
    int n_read; /* pages that are read, where they are read one by one */

    /* extract .. validate */
    struct span answer;        /* the engine's last answer, as it came */
    struct document_told told; /* of it; token_probs.h makes fields of it */
    cJSON *data; /* valid against the schema, with its rows; freed with the
                  * document */
    cJSON *gaps; /* of a long one: [{page, text}], or NULL */
    cJSON *
        conflicts; /* of a long one: by pointer (window/header_vote.h), or NULL */
    char **page_text; /* ocr: plain text a page, n_page of them, or NULL */
    struct field *field;
    int n_field, room_field;    /* room: of document_add_field */
    struct document_rows *rows; /* of a long one, or NULL */
    struct confidence
        *trust; /* how far to believe it all (confidence.h), or NULL
                                 * until that is known */
    int n_try;  /* how often the engine was asked */
    struct field_look *look; /* of the last answer's fields, in their order,
                                 * until the next question; NULL: not known */
    int64_t seed;
    int n_prompt_tokens, n_sampled, n_forced;
    bool unsandboxed;

    /* split */
    const struct document_part *part; /* NULL: it came alone */
    const char *archive_number;       /* as the bar code has it, or NULL */

    /* for people */
    const char *stage; /* where it is, or where it failed */
    struct stage_time time[DOCUMENT_TIME_MAX];
    int n_time;
    struct document_spent spent;
    struct warnings *warnings;

    struct arena *arena;   /* owns everything above but fd and schema, */
    struct arena *scratch; /* and this answer and field, while they are an
                            * answer's: arena, or one that ends before it */
};

/* `name` and `id` are copied. Never fails. */
struct document *document_new(const char *id, const char *name, int fd);
void document_free(struct document *doc); /* NULL is fine; fd stays open */

/* Adds seconds to the stage's sum; stages appear in order of first use. */
void document_add_time(struct document *doc, const char *stage, double seconds);

/* Adds the warning `about` (its text is not looked at) with this text, copied;
 * see warnings_add. */
void document_warn(struct document *doc, const struct warning *about,
                   const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Moves the field's evidence into the arena, texts included. */
void document_copy_evidence(struct field *f, struct arena *arena);

/* A field behind doc->field's others, for the caller to fill in. */
struct field *document_add_field(struct document *doc);

/* The fields one after another in groups: doc->field, then those of each row.
 * *walk is {0} before the first; NULL at the end. */
struct document_walk {
    bool held_given, rows_begun;
};
const struct field *document_next_fields(const struct document *doc,
                                         struct document_walk *walk,
                                         int *n_field);

/* The stream of doc->data, or NULL. What went wrong in it is told by the other,
 * which must be asked before what was made of it is used. FAIL: ERR_SYSTEM. */
struct json_stream *document_stream(const struct document *doc);
void document_check_rows(const struct document *doc, struct err *err);

/* Frees the memory of the last answer (doc->scratch, which must not be doc->arena),
 * and forgets all that points into it but doc->field: what is kept of an answer's
 * fields must have been copied. */
void document_drop_answer(struct document *doc);

/* doc->data goes, with its rows. */
void document_drop_data(struct document *doc);

#endif
