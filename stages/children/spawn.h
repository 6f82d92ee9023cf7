/* spawn.h - starts one of the programs that handle hostile bytes: platen-raster,
 * platen-ocr or platen-annotate.
 *
 * What to run comes as a job of fixed size, so that a reader in its sandbox can
 * ask for it (spawner.h); programs, limits and folders come from the settings.
 */
#ifndef STAGES_CHILDREN_SPAWN_H
#define STAGES_CHILDREN_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/document/settings.h"
#include "vlm/base/err.h"

enum spawn_program { SPAWN_RASTER, SPAWN_OCR, SPAWN_ANNOTATE, N_SPAWN_PROGRAM };

enum { SPAWN_PAGES_SIZE = 8192 };

struct spawn_job {
    int32_t program; /* enum spawn_program */
    bool builds;     /* only reports its build (build.h) */
    /* SPAWN_RASTER: */
    bool words, invoice, codes, files, lenient, layer, unlock;
    bool passwords; /* of the settings, for a PDF that is encrypted */
    char type
        [8]; /* of a codec, "pdf" (job.h), xml, mail; "": only the sandbox */
    char pages[SPAWN_PAGES_SIZE]; /* as in page_range.h */
    int32_t skip;                 /* pages of these to leave out at the start */
    int32_t grid, dpi;
    int64_t max_pixels;
};

/* The child's ends of its descriptors: the document, or orders; its messages;
 * its stderr. */
struct spawn_ends {
    int in, out, complaints;
};

/* Checks a job from a process that is not trusted: terminated texts of the
 * expected characters, numbers in range, flags that are 0 or 1. */
bool spawn_job_check(struct spawn_job *job);

/* Starts it, with an environment of its own and no other open files. The
 * caller closes the ends, waits for the process, and kills it. Returns its
 * process ID. FAIL: ERR_MISSING without the program; ERR_CONFIG for unusable
 * ocr_languages; ERR_SYSTEM. */
long spawn_start(const struct spawn_job *job, const struct settings *settings,
                 const struct spawn_ends *ends, struct err *err);

#endif
