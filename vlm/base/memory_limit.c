/* memory_limit.c - see memory_limit.h. */
#include "vlm/base/memory_limit.h"

#include <stdbool.h>
#include <stdio.h>

/* The number in a file of one line; false for "max" and for no file. */
static bool number_in(const char *path, double *number)
{
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool good = fscanf(f, "%lf", number) == 1;
    fclose(f);
    return good;
}

/* Memory left in the control group (version 2, as a container sees its own). */
static double group_left(void)
{
    double most, used;
    if (!number_in("/sys/fs/cgroup/memory.max", &most) ||
        !number_in("/sys/fs/cgroup/memory.current", &used))
        return 0;
    return most > used ? most - used : 1;
}

static double machine_left(void)
{
    double kib = 0;
    char row[256];
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(row, sizeof row, f))
        if (sscanf(row, "MemAvailable: %lf", &kib) == 1) break;
    if (f) fclose(f);
    return kib * 1024;
}

size_t memory_limit_available(void)
{
    double machine = machine_left(), group = group_left();
    return (size_t)(group > 0 && group < machine ? group : machine);
}
