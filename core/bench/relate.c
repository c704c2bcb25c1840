/* SPDX-License-Identifier: MIT */
/* This file finds the named line of a benchmark that costs and powers are divided by. */
#include <stdio.h>
#include <string.h>

#include "core/bench/bench.h"

#define NAMES_MAX 64 /* that a refusal chooses its suggestion from */

static bool answers(const struct ca_bench *bench, const struct ca_bench_line *line,
                    const char *name)
{
    char whole[CA_BENCH_NAME];

    return strcmp(line->label, name) == 0 || strcmp(line->experiment.backend->name, name) == 0 ||
           strcmp(ca_bench_name(whole, bench, line), name) == 0;
}

static enum ca_status refuse_unknown(const struct ca_bench *bench, const char *name,
                                     const char *where, struct ca_error *error)
{
    const char *names[NAMES_MAX];
    char suggestion[CA_TEXT_MAX];
    int count = 0;

    for (int i = 0; i < bench->count && count < NAMES_MAX; i++) {
        const struct ca_bench_line *line = &bench->line[i];
        const char *known = line->label[0] ? line->label : line->experiment.backend->name;
        int same = 0;

        while (same < count && strcmp(names[same], known) != 0)
            same++;
        if (same == count)
            names[count++] = known;
    }
    return ca_fail(error, CA_USAGE, "%.300s: no line is named '%.100s'%.300s", where, name,
                   ca_suggest(suggestion, name, count, ca_name_at, names));
}

/* The line of a group that has the name, NULL: none. CA_USAGE for several. */
static enum ca_status find_named(struct ca_bench_line **found, const struct ca_bench *bench,
                                 int group, const char *name, const char *where,
                                 struct ca_error *error)
{
    char first[CA_BENCH_NAME], second[CA_BENCH_NAME];

    *found = NULL;
    for (int i = 0; i < bench->count; i++) {
        struct ca_bench_line *line = &bench->line[i];

        if (line->group != group || !answers(bench, line, name))
            continue;
        if (*found)
            return ca_fail(error, CA_USAGE,
                           "%.300s: '%.100s' names several lines of one lattice, such as '%s' and "
                           "'%s'; one of them is expected",
                           where, name, ca_bench_name(first, bench, *found),
                           ca_bench_name(second, bench, line));
        *found = line;
    }
    return CA_OK;
}

/* The group of the only named line of a model; -1: there are none or several. */
static int only_group(const struct ca_bench *bench, const struct ca_model *model)
{
    int group = -1, found = 0;

    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].named && bench->line[i].experiment.model == model) {
            group = bench->line[i].group;
            found++;
        }
    return found == 1 ? group : -1;
}

static const struct ca_bench_line *named_of(const struct ca_bench *bench, int group)
{
    for (int i = 0; i < bench->count; i++)
        if (bench->line[i].named && bench->line[i].group == group)
            return &bench->line[i];
    return NULL;
}

enum ca_status ca_bench_relate(struct ca_bench *bench, const char *name, const char *where,
                               struct ca_error *error)
{
    bool any = false;

    if (!name[0] || strlen(name) >= sizeof bench->relative)
        return ca_fail(error, CA_USAGE, "%.300s: a name of 1 ... %d bytes is expected", where,
                       CA_BENCH_NAME - 1);
    for (int i = 0; i < bench->count; i++)
        bench->line[i].named = false;
    for (int group = 0; group < bench->groups; group++) {
        struct ca_bench_line *line;

        CA_TRY(find_named(&line, bench, group, name, where, error));
        if (line)
            any = line->named = true;
    }
    if (!any)
        return refuse_unknown(bench, name, where, error);
    for (int i = 0; i < bench->count; i++) {
        struct ca_bench_line *line = &bench->line[i];

        line->base =
            named_of(bench, line->group) ? line->group : only_group(bench, line->experiment.model);
    }
    strcpy(bench->relative, name);
    return CA_OK;
}

const struct ca_bench_line *ca_bench_base(const struct ca_bench *bench,
                                          const struct ca_bench_line *line)
{
    return named_of(bench, line->base);
}
