/* SPDX-License-Identifier: MIT */
/* Owns the model of a disk: what is on it, what is only in memory, what a power cut leaves. */
#include "tests/support/replayed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/support.h"

#define ENTRIES_MAX 256
#define STATES_MAX 65536

enum data { DATA_ALL, DATA_NONE, DATA_HALF, DATA_LAST, DATA_ZEROS, DATAS };

static const char *const data_texts[DATAS] = {
    [DATA_ALL] = "all bytes kept",
    [DATA_NONE] = "no byte kept since the last fsync",
    [DATA_HALF] = "half of the writes kept, the last of them in part",
    [DATA_LAST] = "the last write kept, zeros before it",
    [DATA_ZEROS] = "zeros in place of what was written",
};

/* --- contents --------------------------------------------------------------------------------- */

struct contents {
    uint8_t *bytes;
    size_t count, room;
};

static void resize(struct contents *c, size_t count)
{
    if (count > c->room) {
        c->bytes = realloc(c->bytes, count * 2);
        ck_assert_ptr_nonnull(c->bytes);
        c->room = count * 2;
    }
    if (count > c->count)
        memset(c->bytes + c->count, 0, count - c->count);
    c->count = count;
}

static void assign(struct contents *c, const struct contents *from)
{
    resize(c, 0);
    resize(c, from->count);
    if (from->count)
        memcpy(c->bytes, from->bytes, from->count);
}

/* A change of a file's bytes, of whose first `count` the disk has kept. */
static void apply(struct contents *c, const struct change *change, uint64_t count, bool zeros)
{
    uint64_t end = change->offset + count;

    if (change->kind == CHANGE_CUT) {
        resize(c, change->offset);
        return;
    }
    if (end > c->count)
        resize(c, end);
    if (zeros)
        memset(c->bytes + change->offset, 0, count);
    else
        memcpy(c->bytes + change->offset, change->bytes, count);
}

/* --- files and folders ------------------------------------------------------------------------ */

/* A name in a folder: of a file, or with file 0 of a folder. */
struct entry {
    char path[256];
    int file;
};

struct names {
    struct entry entry[ENTRIES_MAX];
    int count;
};

struct replay {
    struct names names;
    struct contents contents[ENTRIES_MAX]; /* of entry i */
};

static int find(const struct names *names, const char *path)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->entry[i].path, path) == 0)
            return i;
    return -1;
}

static void name_put(struct names *names, const char *path, int file)
{
    int i = find(names, path);

    ck_assert_int_lt(names->count, ENTRIES_MAX);
    if (i < 0)
        i = names->count++;
    snprintf(names->entry[i].path, sizeof names->entry[i].path, "%s", path);
    names->entry[i].file = file;
}

static void take_away(struct names *names, const char *path)
{
    int i = find(names, path);

    if (i >= 0)
        names->entry[i] = names->entry[--names->count];
}

/* What happened in folders, with the file that is meant. */
struct event {
    const struct change *change;
    int file;
    bool synced;
};

/* Everything after some changes. Files of the folder as it was are -1, -2, ... until they are
 * opened. */
struct machine {
    const struct replay *replay;
    struct names names; /* as programs see it */
    struct event event[ENTRIES_MAX * 16];
    int events;
    const struct change *write[ENTRIES_MAX * 64]; /* that no fsync has followed */
    int writes;
    struct contents disk[ENTRIES_MAX * 2]; /* of file i as of its last fsync */
    int was[ENTRIES_MAX * 2];              /* the number that file i had before it was opened, 0 */
};

static void folder_of(const char *path, char folder[256])
{
    const char *slash = strrchr(path, '/');

    snprintf(folder, 256, "%.*s", slash ? (int)(slash - path) : 0, path);
}

static void apply_event(struct names *names, const struct event *e)
{
    switch (e->change->kind) {
    case CHANGE_RENAME: {
        int from = find(names, e->change->path);

        if (from >= 0 && names->entry[from].file == e->file)
            take_away(names, e->change->path);
        if (e->change->to[0])
            name_put(names, e->change->to, e->file);
        break;
    }
    case CHANGE_LINK:
        name_put(names, e->change->to, e->file);
        break;
    case CHANGE_REMOVE:
        take_away(names, e->change->path);
        break;
    default:
        name_put(names, e->change->path, e->file);
        break;
    }
}

static void happen(struct machine *m, const struct change *change)
{
    struct event *e = &m->event[m->events++];
    int at = find(&m->names, change->path);

    ck_assert_int_lt(m->events, (int)COUNT(m->event));
    *e = (struct event){change, change->file, false};
    if (change->kind == CHANGE_RENAME || change->kind == CHANGE_LINK) {
        ck_assert_msg(at >= 0 && m->names.entry[at].file != 0, "%s: no such file",
                      change_text(change));
        e->file = m->names.entry[at].file;
    }
    apply_event(&m->names, e);
}

static void open_file(struct machine *m, const struct change *change)
{
    int at = find(&m->names, change->path), old;

    ck_assert_msg(at >= 0, "%s: no such file", change_text(change));
    old = m->names.entry[at].file;
    assign(&m->disk[change->file], &m->replay->contents[-old - 1]);
    m->was[change->file] = old;
    m->names.entry[at].file = change->file;
}

static void sync_file(struct machine *m, int file)
{
    int left = 0;

    for (int i = 0; i < m->writes; i++)
        if (m->write[i]->file == file)
            apply(&m->disk[file], m->write[i], m->write[i]->count, false);
        else
            m->write[left++] = m->write[i];
    m->writes = left;
}

static void sync_folder(struct machine *m, const char *path)
{
    for (int i = 0; i < m->events; i++) {
        const struct change *c = m->event[i].change;
        char folder[256];

        folder_of(c->to[0] ? c->to : c->path, folder);
        m->event[i].synced |= strcmp(folder, path) == 0;
    }
}

static void advance(struct machine *m, const struct change *change)
{
    switch (change->kind) {
    case CHANGE_OPEN:
        open_file(m, change);
        break;
    case CHANGE_WRITE:
    case CHANGE_CUT:
        ck_assert_int_lt(m->writes, (int)COUNT(m->write));
        m->write[m->writes++] = change;
        break;
    case CHANGE_SYNC:
        sync_file(m, change->file);
        break;
    case CHANGE_SYNC_FOLDER:
        sync_folder(m, change->path);
        break;
    case CHANGE_UNKNOWN:
        ck_abort_msg("%s", change_text(change));
    default:
        happen(m, change);
        break;
    }
}

/* --- what is left ----------------------------------------------------------------------------- */

/* A file's bytes with some of those that nobody had synced. */
static void after_cut(const struct machine *m, int file, enum data data, struct contents *c)
{
    int count = 0, seen = 0;

    assign(c, &m->disk[file]);
    for (int i = 0; i < m->writes; i++)
        count += m->write[i]->file == file;
    for (int i = 0; i < m->writes && data != DATA_NONE; i++) {
        const struct change *w = m->write[i];

        if (w->file != file)
            continue;
        seen++;
        if (data == DATA_HALF && seen > (count + 1) / 2)
            break;
        apply(c, w, data == DATA_HALF && seen == (count + 1) / 2 ? w->count / 2 : w->count,
              data == DATA_ZEROS || (data == DATA_LAST && seen < count));
    }
}

/* The folders whose making was lost take their files with them. */
static bool is_reached(const struct names *names, const char *path)
{
    char folder[256];

    folder_of(path, folder);
    return !folder[0] || (find(names, folder) >= 0 && is_reached(names, folder));
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct left_file *)a)->path, ((const struct left_file *)b)->path);
}

/* `memory` has the contents while the state is judged. */
static void leave(const struct machine *m, const struct names *names, enum data data,
                  struct contents memory[LEFT_FILES_MAX], struct left *left)
{
    left->files = 0;
    for (int i = 0; i < names->count; i++) {
        const struct entry *e = &names->entry[i];
        struct left_file *f = &left->file[left->files];
        int file = e->file;

        if (!is_reached(names, e->path))
            continue;
        ck_assert_int_lt(left->files, LEFT_FILES_MAX);
        for (int j = 1; j < (int)COUNT(m->was) && file < 0; j++)
            file = m->was[j] == file ? j : file;
        if (file > 0)
            after_cut(m, file, data, &memory[left->files]);
        else if (file < 0)
            assign(&memory[left->files], &m->replay->contents[-file - 1]);
        snprintf(f->path, sizeof f->path, "%s", e->path);
        f->is_folder = file == 0;
        f->bytes = memory[left->files].bytes;
        f->count = file ? memory[left->files].count : 0;
        left->files++;
    }
    qsort(left->file, (size_t)left->files, sizeof left->file[0], compare_files);
}

static uint64_t hash_of(const struct left *left)
{
    uint64_t hash = 14695981039346656037u;

    for (int i = 0; i < left->files; i++) {
        const struct left_file *f = &left->file[i];

        for (const char *c = f->path; *c; c++)
            hash = (hash ^ (uint8_t)*c) * 1099511628211u;
        hash = (hash ^ f->count ^ (uint64_t)f->is_folder << 63) * 1099511628211u;
        for (size_t b = 0; b < f->count; b++)
            hash = (hash ^ f->bytes[b]) * 1099511628211u;
    }
    return hash;
}

static uint64_t seen[STATES_MAX];
static int seen_count;

static bool is_new(uint64_t hash)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == hash)
            return false;
    ck_assert_int_lt(seen_count, STATES_MAX);
    seen[seen_count++] = hash;
    return true;
}

struct judging {
    void (*judge)(const struct left *, void *);
    void *context;
    struct contents memory[LEFT_FILES_MAX];
    struct left left;
};

/* All that a power cut may leave now. */
static void judge_now(const struct machine *m, struct judging *j)
{
    static struct names names;
    int open = 0;

    for (int i = 0; i < m->events; i++)
        open += !m->event[i].synced;
    for (int kept = 0; kept <= open; kept++) {
        int count = 0;

        names = m->replay->names;
        for (int i = 0; i < m->events; i++)
            if (m->event[i].synced || count++ < kept)
                apply_event(&names, &m->event[i]);
        for (enum data data = 0; data < DATAS; data++) {
            j->left.kept = kept;
            j->left.open = open;
            j->left.data = data_texts[data];
            leave(m, &names, data, j->memory, &j->left);
            if (is_new(hash_of(&j->left) + j->left.all))
                j->judge(&j->left, j->context);
        }
    }
}

static struct machine *machine_of(const struct replay *replay)
{
    struct machine *m = calloc(1, sizeof *m);

    ck_assert_ptr_nonnull(m);
    m->replay = replay;
    m->names = replay->names;
    return m;
}

static void machine_free(struct machine *m)
{
    for (size_t i = 0; i < COUNT(m->disk); i++)
        free(m->disk[i].bytes);
    free(m);
}

void replay_each(const struct replay *replay, const struct recording *recording, int only,
                 void (*judge)(const struct left *, void *), void *context)
{
    struct machine *m = machine_of(replay);
    struct judging *j = calloc(1, sizeof *j);

    ck_assert_ptr_nonnull(j);
    j->judge = judge;
    j->context = context;
    j->left.change = "start";
    seen_count = 0;
    for (const struct change *c = NULL;;) {
        j->left.all = j->left.changes == recording->changes;
        if (only < 0 || only == j->left.changes)
            judge_now(m, j);
        c = recording_next(recording, c);
        if (!c)
            break;
        advance(m, c);
        j->left.changes++;
        j->left.change = change_text(c);
    }
    for (int i = 0; i < LEFT_FILES_MAX; i++)
        free(j->memory[i].bytes);
    free(j);
    machine_free(m);
}

void replay_steps(const struct replay *replay, const struct recording *recording,
                  void (*see)(const struct left *, const struct change *, void *), void *context)
{
    struct machine *m = machine_of(replay);
    static struct contents memory[LEFT_FILES_MAX];
    static struct left left;

    const struct change *c = NULL;

    do {
        if (c)
            advance(m, c);
        leave(m, &m->names, DATA_ALL, memory, &left);
        see(&left, c, context);
    } while ((c = recording_next(recording, c)));
    machine_free(m);
}

/* --- folders ---------------------------------------------------------------------------------- */

static void take_folder(struct replay *r, const char *folder, const char *below)
{
    char path[4096];
    struct dirent *entry;
    DIR *entries;

    snprintf(path, sizeof path, "%s/%s", folder, below);
    entries = opendir(path);
    ck_assert_ptr_nonnull(entries);
    while ((entry = readdir(entries))) {
        char name[256];
        struct stat status;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%.120s%s%.120s", below, below[0] ? "/" : "", entry->d_name);
        snprintf(path, sizeof path, "%.3000s/%s", folder, name);
        ck_assert_int_eq(lstat(path, &status), 0);
        if (S_ISDIR(status.st_mode)) {
            name_put(&r->names, name, 0);
            take_folder(r, folder, name);
        } else if (S_ISREG(status.st_mode)) {
            struct contents *c = &r->contents[r->names.count];

            name_put(&r->names, name, -r->names.count - 1);
            c->bytes = (uint8_t *)test_read(path, &c->count);
            c->room = c->count;
        }
    }
    closedir(entries);
}

struct replay *replay_begin(const char *folder)
{
    struct replay *r = calloc(1, sizeof *r);

    ck_assert_ptr_nonnull(r);
    take_folder(r, folder, "");
    return r;
}

void replay_end(struct replay *replay)
{
    for (int i = 0; i < ENTRIES_MAX; i++)
        free(replay->contents[i].bytes);
    free(replay);
}

const struct left_file *left_find(const struct left *left, const char *path)
{
    for (int i = 0; i < left->files; i++)
        if (strcmp(left->file[i].path, path) == 0)
            return &left->file[i];
    return NULL;
}

void left_put(const struct left *left, const char *folder)
{
    char path[4096];

    for (int i = 0; i < left->files; i++) { /* folders stand before what is in them */
        snprintf(path, sizeof path, "%.3000s/%s", folder, left->file[i].path);
        if (left->file[i].is_folder)
            ck_assert_int_eq(mkdir(path, 0700), 0);
        else
            test_write(path, left->file[i].count ? (const void *)left->file[i].bytes : "",
                       left->file[i].count);
    }
}
