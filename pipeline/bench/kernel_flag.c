/* kernel_flag.c - see kernel_flag.h. */
#include "pipeline/bench/kernel_flag.h"

#include <string.h>

#include "vlm/base/cpu.h"

unsigned kernel_flag_off(const struct command_line *line, struct err *err)
{
    if (err_failed(err)) return 0;
    const char *name = command_value(line, "kernels");
    if (!name || !strcmp(name, "best")) return 0;
    if (!strcmp(name, "scalar")) return ~0u;
    if (!strcmp(name, "avx2+vnni")) return CPU_AVX512VNNI;
    if (!strcmp(name, "avx2")) return CPU_AVX512VNNI | CPU_AVXVNNI;
    if (!strcmp(name, "neon")) return CPU_NEON_I8MM;
    err_set(err, ERR_ARGS,
            "--kernels %s: not one of best, avx2+vnni, avx2, neon, scalar",
            name);
    return 0;
}
