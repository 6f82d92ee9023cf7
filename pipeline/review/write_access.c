/* write_access.c - see write_access.h. Landlock's constants are defined here,
 * as in stages/children/sandbox/landlock.c: Debian 12's header is older than
 * its kernels. */
#define _GNU_SOURCE 1 /* O_PATH */

#include "pipeline/review/write_access.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct write_access_rules {
    uint64_t handled_fs;
};

struct __attribute__((packed)) write_access_path {
    uint64_t allowed;
    int32_t parent_fd;
};

enum {
    FS_WRITE_FILE = 1 << 1,
    FS_CHANGES = ((1 << 13) - 1) & ~15, /* remove, make */
    FS_REFER = 1 << 13,                 /* ABI 2 */
    FS_TRUNCATE = 1 << 14,              /* ABI 3 */
    VERSION_QUERY = 1,
    RULE_PATH = 1
};

static void allow(int rules, int at, const char *path, uint64_t what)
{
    int fd = openat(at, path, O_PATH | O_CLOEXEC);
    if (fd < 0) return;
    struct write_access_path rule = {what, fd};
    syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0);
    close(fd);
}

bool write_access_restrict(const struct spool *s)
{
    static const char *const open_to[] = {"done", "failed", "work", "out",
                                          "pending"};
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUERY);
    struct write_access_rules r = {FS_WRITE_FILE | FS_CHANGES};
    uint64_t file = FS_WRITE_FILE;
    if (abi >= 2) r.handled_fs |= FS_REFER;
    if (abi >= 3) {
        r.handled_fs |= FS_TRUNCATE;
        file |= FS_TRUNCATE;
    }
    int rules =
        abi < 1 ? -1
                : (int)syscall(SYS_landlock_create_ruleset, &r, sizeof r, 0);
    if (rules < 0) return false;
    for (size_t i = 0; i < sizeof open_to / sizeof *open_to; i++)
        allow(rules, s->root, open_to[i], r.handled_fs);
    allow(rules, AT_FDCWD, "/dev/null", file);
    bool up = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return up;
}
