/* landlock.c - allows access to the given files and folders only.
 *
 * Debian 12's kernel header can be older than the running kernel: the numbers
 * are defined here (Documentation/userspace-api/landlock.rst), and only what
 * the running kernel supports is requested.
 */
#define _GNU_SOURCE 1 /* O_PATH */

#include "stages/children/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ruleset {
    uint64_t handled_fs, handled_net, scoped;
};

struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t parent_fd;
};

enum {
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_ABI_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,     /* ABI 2 */
    FS_TRUNCATE = 1 << 14,  /* ABI 3 */
    FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
    NET_BIND = 1,           /* ABI 4: TCP */
    NET_CONNECT = 2,
    SCOPE_ALL = 3, /* ABI 6: abstract sockets, signals */
    VERSION_QUERY = 1,
    RULE_PATH = 1
};

static void allow(int ruleset, const char *path, uint64_t access)
{
    struct stat st;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return; /* what is missing needs no rule */
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) access |= FS_READ_DIR;
    struct path_rule rule = {access, fd};
    syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0);
    close(fd);
}

static void allow_all(int ruleset, const struct sandbox_profile *profile,
                      uint64_t handled)
{
    for (int i = 0; i < profile->n_readable; i++)
        allow(ruleset, profile->readable[i], FS_READ_FILE);
    for (int i = 0; i < profile->n_device; i++)
        allow(ruleset, profile->device[i],
              (FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV) & handled);
}

int sandbox_landlock(const struct sandbox_profile *profile)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUERY);
    if (abi < 1) return 0;
    struct ruleset r = {.handled_fs = FS_ABI_1};
    size_t size = sizeof r.handled_fs;
    if (abi >= 2) r.handled_fs |= FS_REFER;
    if (abi >= 3) r.handled_fs |= FS_TRUNCATE;
    if (abi >= 5) r.handled_fs |= FS_IOCTL_DEV;
    if (abi >= 4) {
        r.handled_net = profile->network ? NET_BIND : NET_BIND | NET_CONNECT;
        size += sizeof r.handled_net;
    }
    if (abi >= 6) {
        r.scoped = SCOPE_ALL;
        size += sizeof r.scoped;
    }
    int fd = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
    if (fd < 0) return 0;
    allow_all(fd, profile, r.handled_fs);
    long refused = syscall(SYS_landlock_restrict_self, fd, 0);
    close(fd);
    return refused ? 0 : (int)abi;
}
