/* SPDX-License-Identifier: MIT */
/*
 * The state folder after workbenches that were killed: which files are theirs, which checkpoint is
 * kept, and what of others stays.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/lock.h"
#include "tests/support/support.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/part.h"

static struct ca_error error;

#define FILES_MAX 12

/* A file and what becomes of it: it is kept as the one to recover, stays, or is removed. */
enum fate { REMOVED, STAYS, KEPT };

struct left_file {
    const char *name;
    long seconds, nanoseconds; /* of its last change */
    enum fate fate;
    bool held; /* a lock whose process lives */
};

static const struct {
    const char *what;
    struct left_file file[FILES_MAX];
} folders[] = {
    {"the newest of two, in seconds",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 5, 7, KEPT, false},
      {"a-2.lock", 9, 0, REMOVED, false},
      {"a-2-checkpoint.h5", 4, 9, REMOVED, false}}},
    {"the newest of two, the other way round",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 4, 9, REMOVED, false},
      {"a-2.lock", 9, 0, REMOVED, false},
      {"a-2-checkpoint.h5", 5, 7, KEPT, false}}},
    {"the newest of two of one second",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 5, 700, KEPT, false},
      {"a-1-recovered.h5", 5, 600, REMOVED, false}}},
    {"the newest of two of one second, the other way round",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 5, 600, REMOVED, false},
      {"a-1-recovered.h5", 5, 700, KEPT, false}}},
    {"what is no state is not recovered, however new",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-split.npy", 8, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 5, 0, KEPT, false}}},
    {"no checkpoint, nothing to recover",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-split.npy", 8, 0, REMOVED, false},
      {"fhp.h5", 9, 0, STAYS, false}}},
    {"a process whose number begins alike lives",
     {{"a-1.lock", 9, 0, REMOVED, false},
      {"a-1-checkpoint.h5", 4, 0, KEPT, false},
      {"a-12.lock", 9, 0, STAYS, true},
      {"a-12-checkpoint.h5", 5, 0, STAYS, false},
      {"a-12-split.npy", 5, 0, STAYS, false},
      {"a-1.locked", 5, 0, STAYS, false},
      {"a-1", 5, 0, STAYS, false},
      {"b-1-checkpoint.h5", 5, 0, STAYS, false}}},
    {"all live",
     {{"a-1.lock", 9, 0, STAYS, true},
      {"a-1-checkpoint.h5", 5, 0, STAYS, false},
      {"a-2-checkpoint.h5", 5, 0, STAYS, false}}},
    {"names that are no lock's",
     {{".lock", 9, 0, STAYS, false},
      {"lock", 9, 0, STAYS, false},
      {"-checkpoint.h5", 5, 0, STAYS, false},
      {"workbench.log", 5, 0, STAYS, false}}},
};

static char *in_folder(char path[1024], const char *name)
{
    snprintf(path, 1024, "%s/%s", ca_state_folder(), name);
    return path;
}

static void files_make(const struct left_file *files, int locks[FILES_MAX])
{
    for (int i = 0; i < FILES_MAX && files[i].name; i++) {
        char path[1024];
        struct timespec times[2] = {{1000000000 + files[i].seconds, files[i].nanoseconds}};

        times[1] = times[0];
        test_write(in_folder(path, files[i].name), files[i].name, strlen(files[i].name));
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
        locks[i] = -1;
        if (files[i].held) {
            locks[i] = open(path, O_RDWR | O_CLOEXEC);
            ck_assert_int_eq(ca_lock_try(locks[i]), CA_LOCK_GOT);
        }
    }
}

/* A workbench that has no other part. */
static void workbench_begins(struct workbench *wb)
{
    static const struct part *const parts[] = {&leftovers_part, NULL};

    ck_assert_ok(parts_begin(wb, parts, &error));
}

static void files_check(const struct workbench *wb, const struct left_file *files, const char *what)
{
    const char *kept = NULL, *recovered = leftovers_recovered(wb);

    for (int i = 0; i < FILES_MAX && files[i].name; i++) {
        char path[1024];

        ck_assert_msg((access(in_folder(path, files[i].name), F_OK) == 0) ==
                          (files[i].fate == STAYS),
                      "%s: %s %s", what, files[i].name,
                      files[i].fate == STAYS ? "is gone" : "is still there");
        if (files[i].fate == KEPT)
            kept = files[i].name;
    }
    ck_assert_msg((recovered[0] != 0) == (kept != NULL), "%s: '%s'", what, recovered);
    if (kept) {
        size_t size;
        char *text = test_read(recovered, &size);

        ck_assert_msg(size == strlen(kept) && memcmp(text, kept, size) == 0,
                      "%s: %.*s is kept, not %s", what, (int)size, text, kept);
    }
}

static void folder_empty(void)
{
    DIR *entries = opendir(ca_state_folder());
    struct dirent *entry;

    while (entries && (entry = readdir(entries)) != NULL)
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
}

START_TEST(of_the_dead_the_newest_state_is_kept)
{
    static struct workbench wb;
    char path[1024];
    int locks[FILES_MAX];

    ck_assert_ok(ca_file_parents(in_folder(path, "any"), &error));
    folder_empty();
    workbench_begins(&wb);
    files_make(folders[_i].file, locks);
    leftovers_take(&wb);
    files_check(&wb, folders[_i].file, folders[_i].what);
    for (int i = 0; i < FILES_MAX && folders[_i].file[i].name; i++)
        if (locks[i] >= 0)
            close(locks[i]);
    snprintf(path, sizeof path, "%s", leftovers_recovered(&wb));
    parts_end(&wb);
    ck_assert_int_ne(access(path, F_OK), 0); /* nobody wanted it */
}
END_TEST

/* A lock that is a link may lead anywhere: it is nobody's. */
START_TEST(a_link_is_no_lock)
{
    static struct workbench wb;
    char path[1024], target[1024];

    ck_assert_ok(ca_file_parents(in_folder(path, "any"), &error));
    folder_empty();
    test_write(in_folder(target, "target"), "x", 1);
    ck_assert_int_eq(symlink(target, in_folder(path, "a-1.lock")), 0);
    test_write(in_folder(path, "a-1-checkpoint.h5"), "x", 1);
    workbench_begins(&wb);
    leftovers_take(&wb);
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_str_eq(leftovers_recovered(&wb), "");
    parts_end(&wb);
}
END_TEST

/* This process's files have names of their own, and their lock goes last. */
START_TEST(own_files_go_at_the_end)
{
    static struct workbench wb;
    char path[CA_TEXT_MAX], other[1024], lock[CA_TEXT_MAX];

    ck_assert_ok(ca_file_parents(in_folder(other, "any"), &error));
    folder_empty();
    workbench_begins(&wb);
    ck_assert_ptr_eq(own_file(&wb, path, "checkpoint.h5"), path);
    snprintf(other, sizeof other, "-%ld-checkpoint.h5", (long)getpid());
    ck_assert_ptr_nonnull(strstr(path, other));
    test_write(path, "x", 1);
    snprintf(lock, sizeof lock, "%.*s.lock", (int)(strlen(path) - strlen("-checkpoint.h5")), path);
    ck_assert_int_eq(access(lock, F_OK), 0);
    test_write(in_folder(other, "fhp.h5"), "x", 1);
    parts_end(&wb);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_ne(access(lock, F_OK), 0);
    ck_assert_int_eq(access(other, F_OK), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_link_is_no_lock, own_files_go_at_the_end},
                     .table = {{of_the_dead_the_newest_state_is_kept, COUNT(folders)}});
}
