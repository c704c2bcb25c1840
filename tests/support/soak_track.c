/* SPDX-License-Identifier: MIT */
/* Owns the runs that nobody watches. */
#include "tests/support/soak_track.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

void track_begin(struct track *track, const struct soak_model *model, unsigned seed,
                 const char *value)
{
    *track = (struct track){.model = model, .seed = seed};
    track_change(track, 0, value);
}

const char *track_value(const struct track *track)
{
    return track->segment[track->count - 1].value;
}

void track_change(struct track *track, uint64_t generation, const char *value)
{
    while (track->count > 0 && track->segment[track->count - 1].from >= generation)
        track->count--;
    ck_assert_int_lt(track->count, TRACK_SEGMENTS);
    track->segment[track->count].from = generation;
    track->segment[track->count++].value = value;
}

void track_return(struct track *track, uint64_t generation)
{
    if (track->segment[track->count - 1].from > generation)
        track_change(track, generation, track_value(track));
}

const char *track_text(const struct track *track)
{
    static char text[1024];
    int used = snprintf(text, sizeof text, "%s %s seed %u:", track->model->model,
                        track->model->size, track->seed);

    for (int i = 0; i < track->count && used < (int)sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s=%s from %" PRIu64,
                         track->model->parameter, track->segment[i].value, track->segment[i].from);
    return text;
}

static const char *hash_of(const struct outcome *outcome)
{
    static char hash[32];

    ck_assert_msg(outcome->status == 0, "calab run: %s", outcome->err);
    snprintf(hash, sizeof hash, "%s", outcome_value(outcome, "hash"));
    return hash;
}

const char *track_unwatched_hash(const struct track *track, uint64_t generation)
{
    const struct soak_model *m = track->model;
    const char *path = test_path("unwatched.h5"), *hash = "";
    char start[256];

    snprintf(start, sizeof start, "--seed %u -s %s", track->seed, m->size);
    for (int i = 0; i < track->count && track->segment[i].from <= generation; i++) {
        const uint64_t from = track->segment[i].from;
        const uint64_t next = i + 1 < track->count ? track->segment[i + 1].from : generation;
        const uint64_t to = next < generation ? next : generation;
        struct outcome o =
            calab("run %s %s --threads 1 --set %s=%s -q -n %" PRIu64 " -o %s", m->model, start,
                  m->parameter, track->segment[i].value, to - from, path);

        hash = hash_of(&o);
        snprintf(start, sizeof start, "-c %s", path);
    }
    unlink(path);
    return hash;
}

const char *track_file_hash(const struct track *track, const char *path)
{
    struct outcome o = calab("run %s --init %s -q -n 0", track->model->model, path);
    const char *hash = hash_of(&o);

    return hash;
}
