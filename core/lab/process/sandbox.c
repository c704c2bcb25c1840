/* SPDX-License-Identifier: MIT */
/* Finds the walls that can be had here, and sets them up stage by stage. */
#include "core/lab/process/sandbox_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/confined.h"
#include "core/lab/process/sandbox.h"

#define BIT(wall) (1u << (wall))
#define HAS(walls, wall) (((walls)&BIT(wall)) != 0)
#define OPEN_FILES 16
#define FILTER_S 2 /* a filter takes some milliseconds */
#define COUNT_USERS (sizeof users / sizeof *users)

const char *const ca_lab_wall_names[] = {
    [CA_LAB_SECCOMP] = "seccomp",
    [CA_LAB_LANDLOCK] = "landlock",
    [CA_LAB_SIGNALS] = "signals",
    [CA_LAB_UID] = "uid",
    [CA_LAB_USERS] = "users",
    [CA_LAB_MOUNTS] = "mounts",
    [CA_LAB_PROCESSES] = "processes",
    [CA_LAB_PROC] = "proc",
    [CA_LAB_IPC] = "ipc",
    [CA_LAB_NETWORK] = "network",
};

static struct {
    char file[PATH_MAX], temporary[PATH_MAX]; /* "": none */
} hidden;

void ca_lab_hide(const char *file, const char *temporary)
{
    if (!file || !realpath(file, hidden.file)) /* a pipe, say, cannot be opened once more */
        hidden.file[0] = '\0';
    snprintf(hidden.temporary, sizeof hidden.temporary, "%s", temporary ? temporary : "");
}

/* --- another user ----------------------------------------------------------------------------- */

/* Users that nobody has: of many, or, in a container with few, of those that systemd keeps for
 * services without a name. */
static const struct {
    uid_t first, count;
} users[] = {{0x70000000, 1 << 22}, {61184, 4096}};
static size_t users_here;
static uid_t user; /* of the processes that this one starts */

static bool has_capability(int capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{.effective = 0}};

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[capability / 32].effective >> capability % 32 & 1);
}

static bool become_user(void)
{
    return setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 &&
           setresuid(user, user, user) == 0;
}

/* Whether others may go through a folder and all above it. */
static bool is_reachable(const char *folder)
{
    char path[PATH_MAX];
    struct stat facts;

    if (!realpath(folder, path))
        return false;
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode) || !(facts.st_mode & S_IXOTH))
            return slash == NULL && stat(path, &facts) == 0; /* the last one is given */
        if (!slash)
            return true;
        *slash = '/';
    }
}

/* The files that a compiler of the emulator reads lie beside calab. */
static bool is_program_reachable(void)
{
    static const char *const tools[] = {"CC", "CXX", "NVCC"};
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return false;
    path[length] = '\0';
    if (!is_reachable(path))
        return false;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const char *tool = getenv(tools[i]);

        if (tool && tool[0] == '/' && !strchr(tool, ' ') && !is_reachable(tool))
            return false;
    }
    return true;
}

static bool may_change_user(const char *folder)
{
    return geteuid() == 0 && has_capability(CAP_SETUID) && has_capability(CAP_SETGID) &&
           has_capability(CAP_CHOWN) && has_capability(CAP_DAC_OVERRIDE) &&
           has_capability(CAP_FOWNER) && is_reachable(folder) && is_program_reachable();
}

/* Not a file of many names, as one that is not in the folder would be given, too. */
static int give_one(const char *path, const struct stat *facts, int kind, struct FTW *at)
{
    (void)kind, (void)at;
    if (!S_ISDIR(facts->st_mode) && facts->st_nlink > 1)
        return 0;
    return facts->st_uid != user && lchown(path, user, user) != 0;
}

bool sandbox_give(unsigned walls, const char *folder)
{
    user = users[users_here].first + (uid_t)getpid() % users[users_here].count;
    return !HAS(walls, CA_LAB_UID) || nftw(folder, give_one, OPEN_FILES, FTW_PHYS) == 0;
}

uid_t sandbox_user(unsigned walls) { return HAS(walls, CA_LAB_UID) ? user : geteuid(); }

/* With a user namespace another user makes the others; without one root has to. */
bool sandbox_enter(unsigned walls)
{
    int others = (HAS(walls, CA_LAB_MOUNTS) ? CLONE_NEWNS : 0) |
                 (HAS(walls, CA_LAB_PROCESSES) ? CLONE_NEWPID : 0) |
                 (HAS(walls, CA_LAB_IPC) ? CLONE_NEWIPC : 0) |
                 (HAS(walls, CA_LAB_NETWORK) ? CLONE_NEWNET : 0);

    if (HAS(walls, CA_LAB_USERS) && HAS(walls, CA_LAB_UID) && !become_user())
        return false;
    return (!HAS(walls, CA_LAB_USERS) || lab_namespace_of_user()) &&
           (others == 0 || unshare(others) == 0);
}

bool sandbox_see(unsigned walls, const char *folder)
{
    const struct lab_view view = {.folder = folder,
                                  .hidden = hidden.file[0] ? hidden.file : NULL,
                                  .processes = HAS(walls, CA_LAB_PROC)};

    if (HAS(walls, CA_LAB_NETWORK))
        lab_namespace_loopback();
    return !HAS(walls, CA_LAB_MOUNTS) || lab_namespace_mounts(&view);
}

static void give_up(int signal)
{
    (void)signal;
    _exit(127);
}

/* The process ends after so many seconds of its time, by a handler, since the first process of a
 * namespace has no other end by a signal; 0: not any more. */
static void end_after(int seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGVTALRM);
    signal(SIGVTALRM, give_up);
    sigprocmask(SIG_UNBLOCK, &ends, NULL);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* libseccomp may search for ever in a list that it could not complete for lack of memory. */
static bool close_calls(unsigned walls, bool tool)
{
    bool alone = HAS(walls, CA_LAB_PROCESSES) || HAS(walls, CA_LAB_UID);
    const struct lab_filter filter = {
        .keeps_modes = !tool && !HAS(walls, CA_LAB_MOUNTS) && !HAS(walls, CA_LAB_UID),
        .no_network = !HAS(walls, CA_LAB_NETWORK),
        .alone = alone || HAS(walls, CA_LAB_SIGNALS) || tool ? 0 : getpid(),
        .shares_user = !alone,
    };
    bool closed;

    end_after(FILTER_S);
    closed = lab_filter_install(&filter);
    end_after(0);
    return closed;
}

/* In this order: Landlock looks at folders that the other user may not see, the signal is forgotten
 * where the user changes, and the filter refuses all of it. */
bool sandbox_close(unsigned walls, const char *folder, const char *reads, bool tool)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{.effective = 0}};

    ca_confined_mark();
    /* The capabilities that a program of root would have. */
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    if (HAS(walls, CA_LAB_LANDLOCK) &&
        !((!hidden.file[0] || lab_landlock_hide(hidden.file, hidden.temporary)) &&
          (HAS(walls, CA_LAB_PROC) || lab_landlock_hide_processes()) &&
          lab_landlock_reads(folder, reads) && lab_landlock(folder, HAS(walls, CA_LAB_PROC))))
        return false;
    if (HAS(walls, CA_LAB_UID))
        umask(022); /* another process of calab's, with another user, starts what is made */
    if (HAS(walls, CA_LAB_UID) && !HAS(walls, CA_LAB_USERS) && !become_user())
        return false;
    return syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
           (!HAS(walls, CA_LAB_SECCOMP) || close_calls(walls, tool));
}

/* --- which walls there are -------------------------------------------------------------------- */

enum trial { HOLDS, FAILS, UNKNOWN };

static enum trial result_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return UNKNOWN;
    return !WIFEXITED(status) || WEXITSTATUS(status) > FAILS ? UNKNOWN
                                                             : (enum trial)WEXITSTATUS(status);
}

static enum trial trial_failed(void)
{
    return errno == ENOMEM || errno == EAGAIN ? UNKNOWN : FAILS;
}

/* Sets them up in a child, and its child. */
static enum trial try_walls(unsigned walls, const char *folder)
{
    pid_t child = fork();

    if (child < 0)
        return UNKNOWN;
    if (child > 0)
        return result_of(child);
    if (!sandbox_enter(walls))
        _exit(trial_failed());
    child = fork();
    if (child == 0)
        _exit(sandbox_see(walls, folder) && sandbox_close(walls, folder, NULL, false)
                  ? HOLDS
                  : trial_failed());
    _exit(child < 0 ? UNKNOWN : result_of(child));
}

static unsigned candidates(const char *folder)
{
    int version = lab_landlock_version();

    return BIT(CA_LAB_SECCOMP) | BIT(CA_LAB_MOUNTS) | BIT(CA_LAB_PROCESSES) | BIT(CA_LAB_PROC) |
           BIT(CA_LAB_IPC) | BIT(CA_LAB_NETWORK) | (version >= 1 ? BIT(CA_LAB_LANDLOCK) : 0) |
           (version >= 6 ? BIT(CA_LAB_SIGNALS) : 0) |
           (may_change_user(folder) ? BIT(CA_LAB_UID) : 0) |
           (has_capability(CAP_SYS_ADMIN) ? 0 : BIT(CA_LAB_USERS));
}

/* All at once, as most systems allow, or one after the other as far as they hold. */
static enum trial find_walls(unsigned *walls, const char *folder)
{
    unsigned all = candidates(folder), with_users = all | BIT(CA_LAB_USERS);
    enum trial trial = try_walls(all, folder);

    *walls = all;
    if (trial == FAILS && with_users != all) {
        trial = try_walls(with_users, folder);
        *walls = with_users;
    }
    if (trial != FAILS)
        return trial;
    *walls = 0;
    for (int wall = 0; wall < CA_LAB_WALLS; wall++) {
        unsigned more = *walls | (with_users & BIT(wall));

        if (wall == CA_LAB_PROC && !HAS(*walls, CA_LAB_PROCESSES))
            continue;
        trial = more == *walls ? HOLDS : try_walls(more, folder);
        if (trial == UNKNOWN)
            return trial;
        if (trial == HOLDS)
            *walls = more;
    }
    return HOLDS;
}

enum ca_status ca_lab_walls(unsigned *walls, const char *folder, struct ca_error *error)
{
    static unsigned found;
    static bool known;

    lab_reads_find();
    for (size_t i = 0; i < COUNT_USERS && !known; i++) {
        users_here = i;
        sandbox_give(0, folder);
        if (find_walls(&found, folder) == UNKNOWN)
            return ca_fail(error, CA_NO_MEMORY, "no memory to find out how kernels are confined");
        known = HAS(found, CA_LAB_UID) || i + 1 == COUNT_USERS || !may_change_user(folder);
    }
    *walls = found;
    return CA_OK;
}
