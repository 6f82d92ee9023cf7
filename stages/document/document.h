/* document.h - one document as it passes through the stages.
 *
 * LIFE    Created for one file, filled in stage by stage, freed with its arena.
 *         Page images are not kept: each is drawn, prepared, shown to the
 *         engine and freed before the next, so 300 pages need no more memory
 *         than 3.
 * OWNERS  One thread at a time.
 */
#ifndef STAGES_DOCUMENT_DOCUMENT_H
#define STAGES_DOCUMENT_DOCUMENT_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "stages/document/box.h"
#include "stages/document/file_type.h"
#include "stages/document/warnings.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/hash.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"
#include "vlm/json/json.h"

struct invoice;
struct kept_words;
struct schema;
struct confidence;

/* The part of a deskewed page that its picture shows: columns x .. x + w and
 * bands of rows, one below the other (page/crop.h); n_band 0: the whole page.
 * All numbers are fractions of the page's width or height; the picture is
 * `scale` page heights high. Below the last band and right of the page it is
 * padded with white. */
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
    int number;                            /* in the file, from 1 */
    int width_px, height_px;               /* as drawn, upright */
    int fitted_width_px, fitted_height_px; /* as shown to the model */
    double dpi;              /* resolution of the drawing; 0: unknown */
    double skew_degrees;     /* skew removed by prepare */
    struct page_shown shown; /* the part that the model sees */
    bool blank;              /* blank pages are not shown to the model */
    bool with_words;         /* its words were sent with its picture */
    bool cramped;            /* one picture is too small for its print */
};

struct stage_time {
    const char *stage;
    double seconds;
};

/* Whether the page's words (text layer or OCR) agree with a value (field.h). */
enum field_verdict {
    FIELD_UNPROVEN, /* there are no words, or the value is null */
    FIELD_AGREE,
    FIELD_DIFFER, /* a similar text was found */
    FIELD_UNSEEN,
    FIELD_DERIVED,   /* never printed: true, false; or made of others */
    FIELD_OVERLOOKED /* null, but something is printed beside its label */
};

/* Why print that a value agrees with may be another value's: the verdict is
 * then "doubtful". */
enum field_doubt {
    DOUBT_NONE,
    DOUBT_PLACE,        /* on another row's line, or too short to be unique */
    DOUBT_SIGN,         /* printed with the other sign, or it is unknown */
    DOUBT_DATE_ORDER,   /* day and month may be exchanged */
    DOUBT_SCALE,        /* the separator may be that of thousands */
    DOUBT_PARTIAL,      /* the print goes on before or after it */
    DOUBT_LABEL,        /* the print has another label, or the label is at other
                        * print */
    DOUBT_CHECK_DIGITS, /* the check digits are wrong */
    DOUBT_LAYER         /* only invisible words of a scan say so, which OCR has
                         * not read */
};

enum evidence_source {
    EVIDENCE_TEXT_LAYER,
    EVIDENCE_OCR,
    EVIDENCE_E_INVOICE /* the XML in the file (einvoice/einvoice_check.h) */
};

enum evidence_match {
    EVIDENCE_EXACT,      /* printed as the value is written */
    EVIDENCE_NORMALISED, /* equal after normalisation */
    EVIDENCE_FUZZY,      /* equal except for some characters */
    EVIDENCE_AMBIGUOUS,  /* one of several places, or of several meanings */
    EVIDENCE_PARTIAL,    /* part of a longer text */
    EVIDENCE_POSITION,   /* a place only; its text was not compared */
    EVIDENCE_DIFFERENT   /* the e-invoice has another value */
};

/* One line of print that a value was found on, or the e-invoice's value. */
struct evidence {
    int page; /* from 1; 0: an e-invoice has neither page nor box */
    struct box box;
    int line;         /* line of the answer's page table; not stored */
    const char *text; /* as printed */
    enum evidence_source source;
    enum evidence_match match;
    float confidence;  /* of EVIDENCE_OCR */
    int distance;      /* EVIDENCE_FUZZY: characters that differ */
    int term;          /* EVIDENCE_E_INVOICE: BT number */
    const char *xpath; /* of an XML file's value; else NULL. Not kept in the row
                        * file: an XML file has no pages */
};

/* A leaf value: its probability before masking, those of its tokens (vlm.h),
 * and its evidence (alignment/evidence_pages.h). Its confidence is calculated
 * when the record is printed (confidence.h). */
struct field {
    const char *pointer;
    double p, p_legal, p_min,
        p_min_of_siblings; /* as in vlm.h; p_min, p_min_of_siblings 0: unknown */
    int n_token;           /* tokens whose product p is; 0: unknown */
    bool unmeasured;       /* the engine gives no probabilities: all p are 1 */
    bool legal_unknown;    /* p_legal is unknown, and 1; p is known */
    bool dropped;          /* a guess that was replaced by null (required.h) */
    bool is_null;          /* the model answered null */
    bool is_figure;        /* a number, or digits without letters */
    bool confirmed; /* equal to the e-invoice's value (einvoice_check.h), or
                     * made of other values */
    bool denied;    /* different from the e-invoice's value, or one of its
                     * values has no field */
    double print_p; /* probability that the print it is from is the value, by
                     * what speaks for it (words_reader.h); or 0 */
    enum field_verdict verdict;
    enum field_doubt doubt; /* of FIELD_AGREE */
    int page;               /* first page with the value; 0: unknown */
    const struct evidence *evidence;
    int n_evidence;
};

/* Whether the print that the value agrees with may be another value's. */
static inline bool field_is_doubtful(const struct field *f)
{
    return f->verdict == FIELD_AGREE && f->doubt;
}

/* The tokens of an answer, where the engine reports them. */
struct document_token {
    size_t end; /* byte offset in the answer at the token's end */
    double log_p;
};
struct document_token_probs {
    const struct document_token *token;
    int n; /* 0: the engine reports none */
};

/* The schema that the model chose, if it was asked to (classify.h). */
struct document_kind {
    const char *name; /* NULL: it was not asked */
    double p, p_legal;
    bool measured;      /* p is known; otherwise neither p nor p_legal is */
    bool legal_unknown; /* p_legal is unknown, and 1; p is known */
};

/* Seconds and tokens by kind of work (vlm.h, struct vlm_spent), for people; all
 * 0 if the engine does not report them. */
struct document_spent {
    double vision, prompt, forced, drafted, sampled;
    double evidence; /* part of the time of "validate" */
    int n_vision;    /* rows of pictures */
    int n_prompt, n_forced, n_drafted, n_sampled; /* tokens */
    int n_guessed; /* tokens guessed; n_drafted of them were right */
    int n_pass;    /* passes of answers over the weights */
};

enum { DOCUMENT_TIME_MAX = 16 };

/* The part of a stack that a document was cut from (split.h). */
struct document_part {
    const char *stack;      /* id of the stack */
    int number, count;      /* part `number`, from 1, of `count` */
    const char *pages;      /* pages of the stack, "4-6"; "": all */
    const char *attachment; /* name of the attached file that it is, "" if it
                             * has none; NULL: it is no attached file */
};

/* The header of the e-mail that the document was attached to, or is; "" for
 * what is missing. */
struct document_mail {
    const char *from, *date, *message_id, *subject; /* date: RFC 3339 */
    const char *attachments; /* names of all files in it that were read, as an
                              * array in JSON; "" of the mail itself */
};

/* A reviewed document of the same sender, as an example for the model
 * (ask/examples.h). */
struct document_example {
    const char *id, *words; /* its words, by line */
    const cJSON *value;     /* reviewed */
};

/* The rows of a long document, which are in a file, not in memory
 * (long/assemble.c); data has empty arrays in their place. */
struct document_rows {
    struct json_stream stream; /* the rows of each of these arrays */
    /* The fields of the first row (`first`) or the next one, valid until the
     * next call; NULL after the last. */
    const struct field *(*next_fields)(struct document_rows *rows, bool first,
                                       int *n_field);
    /* The page that gave the value at a pointer into data, in a row or not; 0:
     * none did. */
    int (*page_of)(struct document_rows *rows, const char *pointer);
    void (*close)(struct document_rows *rows);
    struct err err; /* first failure to read rows back; never reset */
};

struct document {
    const char *id;   /* spool id, or one made up for a command-line run */
    const char *name; /* original file name, for people: bytes, not a path */
    int fd;           /* the file, open for reading; the caller closes it */
    int unlocked;     /* input: the same without its encryption, which
                       * identify_document makes `fd`; 0: none */
    int turns;        /* input: clockwise quarter turns that make its pages
                       * upright, as a person said */
    char
        created[21]; /* when it was read: the same in each form of its record */
    const struct schema *schema;
    const char *prompt; /* the schema's instructions (NAME.prompt.md) */
    struct document_kind kind;

    /* identify */
    enum file_type type;
    int64_t size_bytes;
    struct hash sha256;
    int encryption; /* of a PDF: 1 it says that it is encrypted, -1 it does not; 0:
                     * not looked at */

    /* rasterise, prepare */
    bool want_words;      /* input: read the text layer (rasterise_words) */
    bool want_invoice;    /* input: read an e-invoice (packed_invoice.h) */
    bool want_kept_words; /* input: keep the words of all pages */
    struct kept_words *kept_words; /* of each of the n_page pages
                                    * (print/kept_words.h); NULL: none */
    const struct invoice *invoice; /* NULL: none, or an unusable one, of which a
                                    * warning tells */
    int n_page_source;             /* pages in the file */
    struct page *page;             /* the selected pages, in order */
    int n_page;
    bool words_lack; /* the words gave less than half of the values outside of
                      * rows */
    bool
        by_words; /* the words of pages answered, in place of the embedded model */
    int n_kept; /* pages of a long document in the row file (long/row_file.h) */
    int n_read; /* pages read so far, where each is a question of its own */

    /* prompt */
    const struct document_example *example; /* told in the question */
    int n_example;
    const char *example_text; /* the same as text between prompt and pages of
                               * the present question; NULL: none */

    /* extract .. validate */
    struct span answer; /* the engine's last answer, unparsed */
    struct document_token_probs token_probs; /* tokens of `answer` */
    cJSON *data;      /* with its rows valid against the schema; freed with the
                       * document */
    cJSON *gaps;      /* [{page, text}] of a long document, or NULL */
    cJSON *conflicts; /* by pointer (long/header_vote.h), or NULL */
    char **page_text; /* ocr: plain text of each of the n_page pages, or NULL */
    struct field *field;
    int n_field, field_capacity;
    struct document_rows *rows; /* rows of a long document, or NULL */
    struct confidence *trust;   /* confidence of the record (confidence.h);
                                 * NULL: not calculated yet */
    int n_try;                  /* questions put to the engine */
    int64_t seed;
    int n_prompt_tokens, n_sampled, n_forced;
    bool unsandboxed;

    /* split */
    const struct document_part *part; /* NULL: not cut from a stack */
    const char *archive_number;       /* as in the bar code, or NULL */
    const struct document_mail *mail; /* NULL: no e-mail */
    bool attachments_read; /* its attached files are documents of their own */

    /* for people */
    const char *stage; /* current stage, or the one that failed */
    struct stage_time time[DOCUMENT_TIME_MAX];
    int n_time;
    struct document_spent spent;
    struct warnings *warnings;

    struct arena *arena;   /* owns everything above except fd and schema */
    struct arena *scratch; /* owns the current answer and its fields: `arena`
                            * itself, or an arena freed before it */
};

/* Whether the file is an e-invoice in XML: it has no pages, and no model reads
 * it. */
static inline bool document_is_xml_invoice(const struct document *doc)
{
    return doc->type == FILE_XML;
}

/* `name` and `id` are copied. Never fails. */
struct document *document_new(const char *id, const char *name, int fd);
void document_free(struct document *doc); /* NULL is fine; fd stays open */

/* Is it one of the stages of a document (docs/architecture.md)? */
bool document_is_stage(const char *name);

/* Adds seconds to the stage's sum; stages appear in order of first use. */
void document_add_time(struct document *doc, const char *stage, double seconds);

/* Adds the warning `about` with this text, which is copied, in place of its
 * own; see warnings_add. */
void document_warn(struct document *doc, const struct warning *about,
                   const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Moves the field's evidence into the arena, texts included. */
void document_copy_evidence(struct field *f, struct arena *arena);

/* Appends a field to doc->field, for the caller to fill in. */
struct field *document_add_field(struct document *doc);

/* Walks all fields in groups: doc->field, then those of each row. *walk is {0}
 * before the first call; NULL at the end. */
struct document_walk {
    bool doc_given, rows_begun;
};
const struct field *document_next_fields(const struct document *doc,
                                         struct document_walk *walk,
                                         int *n_field);

/* document_stream: the stream of doc->data's rows, or NULL. document_check_rows
 * reports its failures; call it before using anything made from the stream.
 * FAIL: ERR_SYSTEM. */
struct json_stream *document_stream(const struct document *doc);
void document_check_rows(const struct document *doc, struct err *err);

/* Frees the memory of the last answer (doc->scratch, which must not be
 * doc->arena) and resets the pointers into it except doc->field: fields that
 * are kept must have been copied. */
void document_drop_answer(struct document *doc);

/* The index of the pointer's field, searching from *at, which is moved behind it; -1:
 * none. Fields in the order of the pointers are found in one step each. */
int document_find_field(const struct document *doc, const char *pointer,
                        int *at);

/* Frees doc->data and its rows. */
void document_drop_data(struct document *doc);

#endif
