/* spawn.c - see spawn.h. */
#include "stages/children/spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/ocr_languages.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/process/message.h"
#include "stages/process/process.h"

enum { NUMBER_SIZE = 24, ARGUMENTS_MAX = 40, NUMBERS_MAX = 16 };

struct arguments {
    const char *text[ARGUMENTS_MAX];
    char number[NUMBERS_MAX][NUMBER_SIZE];
    int n, n_number;
};

/* --- jobs ---------------------------------------------------------------- */

static bool is_text(const char *text, size_t size, const char *letters)
{
    size_t n = strnlen(text, size);
    return n < size && strspn(text, letters) == n;
}

bool spawn_job_check(struct spawn_job *job)
{
    bool *const flag[] = {&job->builds, &job->words,  &job->invoice,
                          &job->codes,  &job->files,  &job->lenient,
                          &job->layer,  &job->unlock, &job->passwords};
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        message_bool(flag[i]);
    return job->program >= 0 && job->program < N_SPAWN_PROGRAM &&
           is_text(job->type, sizeof job->type, "abcdefghijlmnpqtwxyz2") &&
           is_text(job->pages, sizeof job->pages, "0123456789-, ") &&
           job->skip >= 0 && job->grid >= 0 && job->dpi >= 0 &&
           job->max_pixels >= 0;
}

/* --- arguments ------------------------------------------------------------ */

static void add(struct arguments *a, const char *text)
{
    a->text[a->n++] = text;
}

static void add_number(struct arguments *a, const char *option, long long n)
{
    char *text = a->number[a->n_number++];
    snprintf(text, NUMBER_SIZE, "%lld", n);
    add(a, option);
    add(a, text);
}

/* Only a PDF can need one, and only one that was found to be encrypted. */
static bool needs_passwords(const struct spawn_job *job,
                            const struct settings *s)
{
    return job->program == SPAWN_RASTER && s->passwords_fd > 0 &&
           job->passwords && !strcmp(job->type, "pdf");
}

static void add_raster(struct arguments *a, const struct spawn_job *job,
                       const struct settings *s)
{
    add(a, "--type");
    add(a, job->type);
    add(a, "--pages");
    add(a, job->pages);
    add_number(a, "--skip", job->skip);
    add_number(a, "--max-pixels", job->max_pixels);
    add_number(a, "--grid", job->grid);
    add_number(a, "--dpi", job->dpi);
    add_number(a, "--max-decoded-pixels", s->max_decoded_pixels);
    add_number(a, "--max-pages", s->max_pages);
    if (job->words) add(a, "--words");
    if (job->invoice) add(a, "--invoice");
    if (job->lenient) add(a, "--lenient");
    if (job->codes) add(a, "--codes");
    if (job->layer) add(a, "--layer");
    if (job->unlock) add(a, "--unlock");
    if (job->files) {
        add(a, "--files");
        add_number(a, "--max-bytes", s->max_document_bytes);
    }
    if (needs_passwords(job, s)) add(a, "--passwords");
}

static void add_ocr(struct arguments *a, const struct settings *s)
{
    add(a, "--data");
    add(a, ocr_languages_folder(s));
    add(a, "--languages");
    add(a, s->ocr_languages);
    add(a, "--models");
    add(a, s->ocr_models);
    add(a, "--engine");
    add(a, s->ocr_engine);
    add_number(a, "--turns-max", s->max_pages);
}

static void fill_arguments(struct arguments *a, const struct spawn_job *job,
                           const struct settings *s)
{
    static const char *const name[] = {[SPAWN_RASTER] = "platen-raster",
                                       [SPAWN_OCR] = "platen-ocr",
                                       [SPAWN_ANNOTATE] = "platen-annotate"};
    *a = (struct arguments){.n = 0};
    add(a, name[job->program]);
    if (job->builds) {
        add(a, "--build");
        return;
    }
    add_number(a, "--memory", s->child_memory_limit);
    add_number(a, "--cpu", s->child_cpu_limit_s);
    add_number(a, "--parent", getpid());
    if (settings_unsandboxed(s)) add(a, "--allow-unsandboxed");
    if (job->program == SPAWN_RASTER) add_raster(a, job, s);
    if (job->program == SPAWN_OCR) add_ocr(a, s);
}

/* --- processes ------------------------------------------------------------- */

static const char *program_of(const struct spawn_job *job,
                              const struct settings *s)
{
    return job->program == SPAWN_RASTER ? s->raster_program
           : job->program == SPAWN_OCR  ? s->ocr_program
                                        : s->annotate_program;
}

static void check_program(const struct spawn_job *job, const char *path,
                          const struct settings *s, struct err *err)
{
    if (job->program == SPAWN_RASTER) return; /* checked with the settings */
    if (access(path, X_OK) == 0) {
        if (job->program == SPAWN_OCR && !job->builds)
            ocr_languages_check(s, err);
    } else if (job->program == SPAWN_OCR)
        err_set(err, ERR_MISSING, "%s is missing (ocr_program)", path);
    else
        err_set(err, ERR_MISSING,
                "%s is missing, which draws values onto pages "
                "(annotate_program)",
                path);
}

long spawn_start(const struct spawn_job *job, const struct settings *settings,
                 const struct spawn_ends *ends, struct err *err)
{
    static const char *const environment[] = {
        "LC_ALL=C", "HOME=/nonexistent",
        "OMP_THREAD_LIMIT=1", /* the sandbox forbids threads */
        NULL};
    struct arguments a;
    if (err_failed(err)) return 0;
    const char *path = program_of(job, settings);
    check_program(job, path, settings, err);
    fill_arguments(&a, job, settings);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const struct process_program program = {
        .path = path,
        .argument = a.text,
        .environment = environment,
        .move = {null, null, ends->complaints, [SANDBOX_FD_IN] = ends->in,
                 [SANDBOX_FD_OUT] = ends->out,
                 [SANDBOX_FD_PASSWORDS] = settings->passwords_fd},
        .n_move = needs_passwords(job, settings) ? SANDBOX_FD_PASSWORDS + 1
                                                 : SANDBOX_FD_OUT + 1};
    long pid = process_spawn(&program, err);
    if (null >= 0) close(null);
    return pid;
}
