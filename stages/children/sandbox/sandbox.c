/* sandbox.c - see sandbox.h; seccomp.c and landlock.c hold the two filters. */
#define _GNU_SOURCE 1 /* unshare, setresuid */

#include "stages/children/sandbox/sandbox.h"

#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vlm/base/clock.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define ADDRESS_LIMIT 0
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define ADDRESS_LIMIT 0
#    endif
#endif
#ifndef ADDRESS_LIMIT
#    define ADDRESS_LIMIT 1 /* a sanitizer's shadow needs terabytes */
#endif

enum { DESCRIPTORS_MAX = 64, USER_NOBODY = 65534 };

/* A user that owns nothing, not even what nobody owns: tried first. Where a
 * container maps only few users, nobody has to do. */
static const uid_t user_of_its_own = 1879048191;

/* Root is nobody special in here (capabilities(7)). */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    syscall(SYS_capset, &head, none);
}

bool sandbox_tie(const struct sandbox_limits *limits)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (limits->parent && getppid() != (pid_t)limits->parent) return false;
    prctl(PR_SET_DUMPABLE, 0);
    syscall(SYS_close_range, SANDBOX_FD_OUT + 1, ~0U, 0);
    return true;
}

static bool limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now)) return false;
    if (now.rlim_max != RLIM_INFINITY && most > now.rlim_max)
        most = now.rlim_max;
    return !setrlimit((__rlimit_resource_t)what, &(struct rlimit){most, most});
}

static bool limit_all(void)
{
    bool held = limit(RLIMIT_CORE, 0);
    held &= limit(RLIMIT_FSIZE, 0);
    held &= limit(RLIMIT_NOFILE, DESCRIPTORS_MAX);
    held &= limit(RLIMIT_MEMLOCK, 0);
    held &= limit(RLIMIT_NPROC, 0);
    return held;
}

static bool become(uid_t user)
{
    return !setgroups(0, NULL) && !setresgid(user, user, user) &&
           !setresuid(user, user, user);
}

/* Root gives itself up: without Landlock it could read every file. True also
 * for a user who was none to begin with. */
static bool leave_root(void)
{
    if (geteuid() == 0 && !become(user_of_its_own)) become(USER_NOBODY);
    return geteuid() != 0 && getuid() != 0;
}

/* A network without interfaces; a user who may not make one may in a user
 * namespace of his own, where the kernel lets him. */
static bool leave_network(bool is_unshared)
{
    return is_unshared || !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

/* No turn may take more than cpu_s, and no child that raises its own limit
 * more than all turns together. */
static void limit_cpu_for_good(const struct sandbox_limits *limits)
{
    if (limits->cpu_s <= 0) return;
    rlim_t all = (rlim_t)limits->cpu_s * ((rlim_t)limits->turns_max + 2);
    struct rlimit now;
    if (getrlimit(RLIMIT_CPU, &now)) return;
    if (all < now.rlim_max) now.rlim_max = all;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_CPU, &now);
}

void sandbox_cpu(const struct sandbox_limits *limits)
{
    if (limits->cpu_s <= 0) return;
    struct rlimit now;
    if (getrlimit(RLIMIT_CPU, &now)) return;
    now.rlim_cur = (rlim_t)(clock_cpu_seconds() + 1) + (rlim_t)limits->cpu_s;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_CPU, &now);
}

struct walls sandbox_enter(const struct sandbox_limits *limits,
                           const char *const *path, int n_path)
{
    struct walls walls = {0};
    bool is_unshared = !unshare(CLONE_NEWNET);
    if (leave_root()) walls.layers |= SANDBOX_USER;
    if (leave_network(is_unshared)) walls.layers |= SANDBOX_NETWORK;
    sandbox_tie(limits); /* a change of user unties */
    sandbox_cpu(limits);
    limit_cpu_for_good(limits);
    if (limit_all()) walls.layers |= SANDBOX_RLIMITS;
    if (ADDRESS_LIMIT && limits->memory_bytes > 0 &&
        limit(RLIMIT_AS, (rlim_t)limits->memory_bytes))
        walls.layers |= SANDBOX_ADDRESS_LIMIT;
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        walls.layers |= SANDBOX_NO_NEW_PRIVS;
    drop_capabilities();
    walls.landlock_abi = sandbox_landlock(path, n_path);
    if (walls.landlock_abi > 0) walls.layers |= SANDBOX_LANDLOCK;
    walls.layers |= sandbox_seccomp(n_path > 0);
    return walls;
}
