/* child_programs.c - see child_programs.h. */
#include "stages/children/child_programs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child_process.h"
#include "stages/children/wire/build.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"

enum { ANSWER_S = 10 };

static const char remedy[] =
    "install all programs from one build (make install), or set another path";

/* Reads the build that the program reports; false if it does not. */
static bool ask_build(enum spawn_program program, const struct settings *s,
                      char id[BUILD_ID_SIZE + 1], struct err *err)
{
    struct child_process process = {.child = 0};
    const struct spawn_job job = {.program = (int32_t)program, .builds = true};
    child_process_open(&process, &job, -1, s, err);
    enum child_process_end end =
        err_failed(err)
            ? CHILD_PROCESS_CLOSED
            : child_process_read(&process, id, BUILD_ID_SIZE, ANSWER_S,
                                 clock_seconds() + ANSWER_S);
    child_process_close(&process);
    id[BUILD_ID_SIZE] = '\0';
    return end == CHILD_PROCESS_READ;
}

static bool check_program(enum spawn_program program, const struct settings *s,
                          const char *name, const char *path, const char *key,
                          struct buf *out)
{
    char id[BUILD_ID_SIZE + 1] = "";
    struct err err = {0};
    if (access(path, X_OK) != 0)
        buf_print(out, "! %s: %s: %s; %s (%s)\n", name, path, strerror(errno),
                  remedy, key);
    else if (!ask_build(program, s, id, &err) && err_failed(&err))
        buf_print(out, "! %s: %s. %s\n", name, err.text,
                  reason_of(&err)->remedy);
    else if (!*id)
        buf_print(out,
                  "! %s: %s does not start, or is of another build; %s (%s)\n",
                  name, path, remedy, key);
    else if (strcmp(id, build_id()) != 0)
        buf_print(out, "! %s: %s is of another build (%s, not %s); %s (%s)\n",
                  name, path, id, build_id(), remedy, key);
    else
        return true;
    return false;
}

bool child_programs_doctor(const struct settings *s, struct buf *out)
{
    bool reads = strcmp(s->ocr, "off") != 0;
    bool well = check_program(SPAWN_RASTER, s, "platen-raster",
                              s->raster_program, "raster_program", out);
    if (reads)
        well &= check_program(SPAWN_OCR, s, "platen-ocr", s->ocr_program,
                              "ocr_program", out);
    well &= check_program(SPAWN_ANNOTATE, s, "platen-annotate",
                          s->annotate_program, "annotate_program", out);
    if (well)
        buf_print(out,
                  "programs: platen-raster, %splaten-annotate, of this build\n",
                  reads ? "platen-ocr, " : "");
    return well;
}
