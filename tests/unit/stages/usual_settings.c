/* usual_settings.c - see usual_settings.h. */
#include "tests/unit/stages/usual_settings.h"

#include <string.h>
#include <unistd.h>

struct settings usual_settings(void)
{
    static char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 20);
    program[n < 0 ? 0 : n] = '\0';
    char *slash = strrchr(program, '/');
    strcpy(slash ? slash + 1 : program, "platen-raster");
    return (struct settings){.raster_program = program,
                             .pages = "",
                             .max_document_bytes = 200000000,
                             .max_pages = 2000,
                             .max_decoded_pixels = 100000000,
                             .child_memory_limit = (int64_t)2 << 30,
                             .child_cpu_limit_s = 10,
                             .page_timeout_s = 30,
                             .document_timeout_s = 60};
}
