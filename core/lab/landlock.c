/* SPDX-License-Identifier: MIT */
/* Owns the rules of Landlock, by its system calls: glibc has no functions for them. */
#include "core/lab/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What changes files and folders; of Landlock's first version, and of its third. */
#define WRITES                                                                                     \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                               \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define TRUNCATES (UINT64_C(1) << 14) /* LANDLOCK_ACCESS_FS_TRUNCATE */

static void allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr below = {.allowed_access = access,
                                               .parent_fd = open(path, O_PATH | O_CLOEXEC)};

    if (below.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    close(below.parent_fd);
}

bool lab_landlock(const char *folder)
{
    int version =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint64_t all = WRITES | (version >= 3 ? TRUNCATES : 0);
    struct landlock_ruleset_attr handled = {.handled_access_fs = all};
    int rules;
    bool done;

    if (version < 1)
        return false;
    rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0)
        return false;
    allow(rules, folder, all);
    allow(rules, "/dev/shm", all);
    allow(rules, "/dev", all & (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATES));
    allow(rules, "/proc/self", all & (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATES));
    done = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}
