/* gpu_ptx.c - see gpu_ptx.h. */
#include "vlm/device/gpu/gpu_ptx.h"

#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/embed.h"
#include "vlm/device/gpu/gpu_driver.h"

#ifdef GPU_PTX_FILE
EMBED(gpu_ptx_begin, GPU_PTX_FILE)

const char *gpu_ptx_text(void)
{
    return gpu_ptx_begin;
}
#else
const char *gpu_ptx_text(void)
{
    return NULL;
}
#endif

/* Is the kernel whose name begins here left out? */
static bool is_without(const char *name, const bool *without)
{
    size_t n = strcspn(name, "(");
    for (int k = 0; k < GPU_N_KERNEL; k++) {
        const char *known = gpu_driver_kernel_name((enum gpu_kernel)k);
        if (without[k] && !strncmp(known, name, n) && !known[n]) return true;
    }
    return false;
}

char *gpu_ptx_without(const char *text, const bool *without)
{
    static const char entry[] = ".visible .entry ", end[] = "\n}\n";
    char *out = mem_alloc(1, strlen(text) + 1), *to = out;
    for (const char *at = text; at;) {
        const char *next = strstr(at, entry);
        size_t n = next ? (size_t)(next - at) : strlen(at);
        to = (char *)memcpy(to, at, n) + n;
        at = next;
        const char *last = at ? strstr(at, end) : NULL;
        if (last && is_without(at + strlen(entry), without))
            at = last + strlen(end);
        else if (at)
            to = (char *)memcpy(to, at, strlen(entry)) + strlen(entry),
            at += strlen(entry);
    }
    *to = '\0';
    return out;
}
