/* SPDX-License-Identifier: MIT */
/* Owns what files may be after a power cut. */
#include "tests/support/power_cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/support.h"

#define REPEATED 4 /* states of a command */
#define PATHS_MAX 32
#define VERSIONS_MAX 64

/* --- what a file may be ----------------------------------------------------------------------- */

/* What was to be at a path: as it was before, and by each rename. */
struct path {
    char name[256];
    bool may_lack; /* it was not there, or has been removed */
    bool lacks;    /* at the end */
    int versions;
    struct {
        uint8_t *bytes;
        size_t count;
    } version[VERSIONS_MAX]; /* the last one is that of the end */
};

struct judging {
    const struct story *story;
    struct path path[PATHS_MAX];
    int paths;
    uint64_t random;
    int states, repeated;
};

/* Files that nobody reads as a whole: temporary ones, locks, a log. */
static bool is_passing(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = strlen(name);

    return strncmp(name, ".calab-", 7) == 0 || strcmp(name, "workbench.log") == 0 ||
           (length > 5 && strcmp(name + length - 5, ".lock") == 0);
}

static struct path *path_of(struct judging *j, const char *name)
{
    for (int i = 0; i < j->paths; i++)
        if (strcmp(j->path[i].name, name) == 0)
            return &j->path[i];
    ck_assert_int_lt(j->paths, PATHS_MAX);
    snprintf(j->path[j->paths].name, sizeof j->path[0].name, "%s", name);
    j->path[j->paths].may_lack = true;
    return &j->path[j->paths++];
}

static void add_version(struct judging *j, const char *name, const uint8_t *bytes, size_t count)
{
    struct path *path = path_of(j, name);
    void *copy = malloc(count + 1);

    ck_assert_int_lt(path->versions, VERSIONS_MAX);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, count ? (const void *)bytes : "", count);
    path->version[path->versions].bytes = copy;
    path->version[path->versions++].count = count;
    path->lacks = false;
}

static void see(const struct left *left, const struct change *change, void *context)
{
    struct judging *j = context;

    for (int i = 0; !change && i < left->files; i++) {
        const struct left_file *file = &left->file[i];

        if (file->is_folder || is_passing(file->path))
            continue;
        add_version(j, file->path, file->bytes, file->count);
        path_of(j, file->path)->may_lack = false;
    }
    if (!change)
        return;
    if (change->kind == CHANGE_RENAME && !is_passing(change->to)) {
        const struct left_file *file = left_find(left, change->to);

        ck_assert_ptr_nonnull(file);
        add_version(j, change->to, file->bytes, file->count);
    }
    if ((change->kind == CHANGE_RENAME || change->kind == CHANGE_REMOVE) &&
        !is_passing(change->path))
        path_of(j, change->path)->may_lack = path_of(j, change->path)->lacks = true;
}

static void forget(struct judging *j)
{
    for (int i = 0; i < j->paths; i++)
        for (int v = 0; v < j->path[i].versions; v++)
            free(j->path[i].version[v].bytes);
    free(j);
}

/* --- what is left ----------------------------------------------------------------------------- */

static const char *where(const struct judging *j, const struct left *left)
{
    static char text[1200];

    snprintf(text, sizeof text,
             "%s: power cut after change %d (%s), %d of %d changes of folders kept, %s "
             "(CALAB_POWER_CUT=%d CALAB_SEED=%llu make check ONLY=test_power_cut)",
             j->story->name, left->changes, left->change, left->kept, left->open, left->data,
             left->changes, (unsigned long long)test_seed());
    return text;
}

static void check_path(const struct judging *j, const struct left *left, const struct path *path)
{
    const struct left_file *file = left_find(left, path->name);

    if (!file) {
        ck_assert_msg(left->all ? path->lacks || path->versions == 0 : path->may_lack,
                      "%s: %s is gone", where(j, left), path->name);
        return;
    }
    for (int v = left->all && !path->lacks ? path->versions - 1 : 0; v < path->versions; v++)
        if (file->count == path->version[v].count &&
            memcmp(file->bytes, path->version[v].bytes, file->count) == 0)
            return;
    ck_abort_msg("%s: %s has %zu bytes that are neither those of before nor %s", where(j, left),
                 path->name, file->count, left->all ? "what was written" : "new ones");
}

const char *fresh_folder(void)
{
    static int made;
    static char folder[256];

    snprintf(folder, sizeof folder, "%s/left-%d", test_folder(), made++);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    return folder;
}

void set_folder(char variable[FOLDER_VARIABLES][300], const char *list[FOLDER_VARIABLES + 1],
                const char *folder)
{
    static const char *const below[FOLDER_VARIABLES][2] = {
        {"HOME", ""}, {"XDG_CONFIG_HOME", "/config"}, {"XDG_STATE_HOME", "/state"}};

    for (int i = 0; i < FOLDER_VARIABLES; i++) {
        snprintf(variable[i], 300, "%s=%s%s", below[i][0], folder, below[i][1]);
        list[i] = variable[i];
    }
    list[FOLDER_VARIABLES] = NULL;
}

struct outcome run_in(const char *folder, const char *command)
{
    char variable[FOLDER_VARIABLES][300];
    const char *list[FOLDER_VARIABLES + 1];
    const struct surroundings s = {.variable = list};

    set_folder(variable, list, folder);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return calab_in(&s, command, folder, folder, folder, folder, folder, folder, folder, folder,
                    folder);
#pragma GCC diagnostic pop
}

void expect_clean(const char *where_left, const char *folder)
{
    char command[400];

    /* What calab measures for itself is not written each time. */
    snprintf(command, sizeof command,
             "find %s -name '.calab-*' -not -path '*/.cache/*' | grep -q .", folder);
    ck_assert_msg(system(command) != 0, "%s: temporary files are left", where_left);
}

/* The command repeated ends with the files that it has made. */
static void repeat(const struct judging *j, const struct left *left)
{
    const char *folder = fresh_folder();
    struct outcome o;

    left_put(left, folder);
    if (j->story->repeat) {
        j->story->repeat(folder, left);
        return;
    }
    o = run_in(folder, j->story->again);
    ck_assert_msg(o.status == 0, "%s: repeated: %s", where(j, left), o.err);
    expect_clean(where(j, left), folder);
    for (int i = 0; i < j->paths; i++) {
        const struct path *path = &j->path[i];
        char name[600];
        size_t count;
        char *bytes;

        snprintf(name, sizeof name, "%s/%s", folder, path->name);
        bytes = test_read(name, &count);
        ck_assert_msg(strstr(path->name, ".cfg") || strstr(path->name, ".json") ||
                          (count == path->version[path->versions - 1].count &&
                           memcmp(bytes, path->version[path->versions - 1].bytes, count) == 0),
                      "%s: repeated, it writes another %s", where(j, left), path->name);
    }
}

static void judge(const struct left *left, void *context)
{
    struct judging *j = context;
    const char *wanted = getenv("CALAB_POWER_CUT");
    bool all = wanted && wanted[0];

    for (int i = 0; i < j->paths; i++)
        check_path(j, left, &j->path[i]);
    /* Of n states each is drawn with the same chance: the i-th of them counts i / n. */
    j->random = j->random * 6364136223846793005u + 1442695040888963407u;
    j->states++;
    if ((j->story->again || j->story->repeat) &&
        (all || (j->random >> 33) % (uint64_t)j->states < REPEATED / 2)) {
        j->repeated++;
        repeat(j, left);
    }
}

void cut_power(const struct story *story, const struct replay *before,
               const struct recording *recording)
{
    const char *wanted = getenv("CALAB_POWER_CUT");
    int only = wanted && wanted[0] >= '0' && wanted[0] <= '9' ? atoi(wanted) : -1, number = 0;
    struct judging *j = calloc(1, sizeof *j);

    ck_assert_ptr_nonnull(j);
    ck_assert_msg(recording->changes > 0, "%s changes no file", story->name);
    for (const struct change *c = NULL; only >= 0 && (c = recording_next(recording, c));)
        fprintf(stderr, "%s: change %d: %s\n", story->name, ++number, change_text(c));
    j->story = story;
    j->random = test_seed();
    replay_steps(before, recording, see, j);
    replay_each(before, recording, only, judge, j);
    if (wanted)
        fprintf(stderr, "%s: %d changes, %d states, %d of them repeated\n", story->name,
                recording->changes, j->states, j->repeated);
    forget(j);
}
