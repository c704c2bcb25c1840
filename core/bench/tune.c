/* SPDX-License-Identifier: MIT */
/* The search tunes one option at a time over its values, each timed in alternation with the best so
 * far, and is repeated until no option improves the rate by more than the noise. */
#include "core/bench/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench/group.h"
#include "core/machine/device.h"

#define FASTER 1.01   /* a smaller gain is not distinguished from noise */
#define ROUNDS 4      /* the most rounds over all options */
#define SHARE 8       /* the part of a line's time that a candidate gets */
#define EVEN_STEPS 48 /* a multiple of most numbers of generations per pass */

struct search {
    struct ca_bench quick;
    struct bench_group group; /* of the best so far and of the candidate */
    struct ca_bench_line *line[2];
    struct ca_simulation *simulation[2];
    struct ca_meter meter[2];
    uint64_t hash; /* of the right state */
    bool hashed;
    bool raced; /* whether any value was timed */
    char refusal[sizeof((struct ca_bench_line *)0)->reason];
};

bool ca_tune_value(const struct ca_param *param, int i, char text[CA_TEXT_MAX])
{
    const char *word = param->tune;

    if (strcmp(param->tune, "*") == 0) {
        if (param->choices[i])
            snprintf(text, CA_TEXT_MAX, "%s", param->choices[i]);
        return param->choices[i] != NULL;
    }
    if (i == 0) {
        ca_param_default(text, param);
        return true;
    }
    for (; i > 1; i--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    snprintf(text, CA_TEXT_MAX, "%.*s", (int)strcspn(word, " "), word);
    return text[0] != '\0';
}

/* Compares the two states, which are equally many generations from the same start. */
static enum ca_status tune_compare(struct search *s, const char *option, const char *text,
                                   struct ca_error *error)
{
    const struct ca_experiment *e = &s->line[1]->experiment;
    uint64_t hash;
    char *command;

    if (!s->hashed)
        CA_TRY(ca_simulation_hash(s->simulation[0], &s->hash, error));
    s->hashed = true;
    CA_TRY(ca_simulation_hash(s->simulation[1], &hash, error));
    if (hash == s->hash)
        return CA_OK;
    command = ca_experiment_command(e, NULL, e->steps);
    ca_error_set(error, CA_WRONG,
                 "%s of %s: %s=%s gives another state than the default, hash %016llx; nothing is "
                 "kept of it; see: %.400s",
                 e->backend->name, e->model->name, option, text, (unsigned long long)hash,
                 command ? command : "");
    free(command);
    return CA_WRONG;
}

static void clear_figures(struct ca_bench_line *line)
{
    line->available = true;
    line->stats.n = line->made = 0;
    line->unsure = false;
    line->disturbance = (struct ca_disturbance){0};
    line->seconds = line->waited_s = 0;
}

static enum ca_status race(struct search *s, const char *option, const char *text, bool *better,
                           struct ca_error *error)
{
    char what[CA_TEXT_MAX];

    s->raced = true;
    snprintf(what, sizeof what, "trying %s=%.60s", option, text);
    s->group.timing = what;
    clear_figures(s->line[0]);
    clear_figures(s->line[1]);
    CA_TRY(bench_time(&s->group, error));
    CA_TRY(tune_compare(s, option, text, error));
    if (s->line[0]->stats.median > s->line[1]->stats.median * FASTER) {
        struct ca_bench_line *line = s->line[0];
        struct ca_simulation *simulation = s->simulation[0];

        /* The candidate's line differs from the best one in this value only. */
        s->line[0] = s->line[1];
        s->line[1] = line;
        s->simulation[0] = s->simulation[1];
        s->simulation[1] = simulation;
        *better = true;
    }
    return CA_OK;
}

/* Tries a value. One that the backend refuses is skipped. */
static enum ca_status try_value(struct search *s, int option, const char *text, bool *better,
                                struct ca_error *error)
{
    struct ca_values *options = &s->line[1]->experiment.options;
    const struct ca_param *param = &options->table[option];
    enum ca_status status;

    s->line[1]->experiment = s->line[0]->experiment;
    if (ca_values_set(options, option, text, CA_TUNED, NULL, error) != CA_OK ||
        options->value[option].number == s->line[0]->experiment.options.value[option].number)
        return CA_OK;
    if (ca_value_is_default(param, &options->value[option]))
        options->value[option].origin = CA_BUILT_IN;
    status = bench_open(&s->group, 1, error);
    if (status == CA_OK)
        status = race(s, param->name, text, better, error);
    else if (status == CA_USAGE || status == CA_NO_DEVICE || status == CA_NO_MEMORY) {
        snprintf(s->refusal, sizeof s->refusal, "%.255s", error->text);
        status = CA_OK;
    }
    ca_simulation_close(s->simulation[1]);
    s->simulation[1] = NULL;
    return status;
}

static enum ca_status search_options(struct search *s, struct ca_error *error)
{
    const struct ca_values *options = &s->line[0]->experiment.options;
    int found[CA_PARAMS_MAX], count = 0;

    for (int i = 0; i < options->count; i++)
        if (ca_tunable(options, i) && options->table[i].tune[0])
            found[count++] = i;
    for (int turn = 0, idle = 0; idle < count && turn < ROUNDS * count; turn++) {
        int option = found[turn % count];
        char text[CA_TEXT_MAX];
        bool better = false;

        for (int i = 0; ca_tune_value(&options->table[option], i, text); i++)
            CA_TRY(try_value(s, option, text, &better, error));
        /* Once an option has changed, all others are searched again. */
        idle = better ? 1 : idle + 1;
    }
    return CA_OK;
}

/* Opens the line with default options and finds the generations of a timed call. */
static enum ca_status tune_begin(struct search *s, struct ca_error *error)
{
    uint64_t *steps = &s->line[0]->experiment.steps;
    bool given = *steps > 0;

    CA_TRY(bench_progress(&s->group, 0, "warming up", error));
    CA_TRY(bench_open(&s->group, 0, error));
    if (!given)
        *steps = (*steps + EVEN_STEPS - 1) / EVEN_STEPS * EVEN_STEPS;
    return CA_OK;
}

/* Stores in `tuned` the best options, or the reason why none could be tried, and in both lines the
 * generations of a timed call. */
static enum ca_status search(struct ca_bench_line *untuned, struct ca_bench_line *tuned,
                             const struct bench_group *like, struct ca_error *error)
{
    struct ca_bench_line *line = calloc(2, sizeof *line);
    struct search s = {.quick = *like->bench, .group = *like, .line = {line, line + 1}};
    enum ca_status status;

    if (!line)
        return ca_fail(error, CA_NO_MEMORY, "no memory for two lines");
    s.quick.time_s /= SHARE;
    s.group.bench = &s.quick;
    s.group.line = s.line;
    s.group.simulation = s.simulation;
    s.group.meter = s.meter;
    s.group.count = 2;
    s.group.shown = untuned;
    line[0] = *untuned;
    status = tune_begin(&s, error);
    if (status == CA_OK)
        status = search_options(&s, error);
    if (status == CA_OK) {
        untuned->experiment.steps = s.line[0]->experiment.steps;
        tuned->experiment = s.line[0]->experiment;
        if (!s.raced)
            strcpy(tuned->reason, s.refusal);
    }
    bench_close(&s.group);
    free(line);
    /* The lines themselves will say why they cannot run. */
    return status == CA_NO_DEVICE || status == CA_NO_MEMORY ? CA_OK : status;
}

static bool has_tuned(const struct ca_bench_line *line)
{
    for (int i = 0; i < line->experiment.options.count; i++)
        if (line->experiment.options.value[i].origin == CA_TUNED)
            return true;
    return false;
}

/* The relative difference of two medians below which they are equal within the noise; infinite if
 * there was time for a single call. */
static double noise(const struct ca_bench_line *a, const struct ca_bench_line *b)
{
    return CA_BENCH_SIGMAS * hypot(ca_bench_error(&a->stats), ca_bench_error(&b->stats));
}

/* Times the tuned options against the default ones for as long as a line of any benchmark. */
static enum ca_status confirm(struct ca_bench_line *untuned, struct ca_bench_line *tuned,
                              const struct bench_group *like, bool *kept, struct ca_error *error)
{
    struct ca_bench_line *pair[] = {untuned, tuned};
    struct ca_simulation *simulation[] = {NULL, NULL};
    struct ca_meter meter[2];
    struct bench_group group = *like;
    struct ca_bench_line named = *tuned;
    enum ca_status status;

    group.line = pair;
    group.simulation = simulation;
    group.meter = meter;
    group.count = has_tuned(tuned) ? 2 : 1;
    status = bench_run(&group, error);
    bench_close(&group);
    CA_TRY(status);
    if (group.count == 2 && ca_bench_good(tuned) && !isfinite(noise(tuned, untuned)))
        strcpy(named.reason, "one call takes longer than --time, and the noise is seen in two");
    if (group.count == 1 ||
        (ca_bench_good(tuned) &&
         ca_bench_mups(tuned) <=
             ca_bench_mups(untuned) * (1 + fmax(noise(tuned, untuned), FASTER - 1)))) {
        *tuned = *untuned;
        strcpy(tuned->label, named.label);
    }
    if (named.reason[0]) { /* nothing could be tried or distinguished, perhaps for lack of memory */
        tuned->available = false;
        strcpy(tuned->reason, named.reason);
    }
    if (!ca_bench_good(untuned) || !ca_bench_good(tuned))
        return CA_OK;
    return ca_tuned_keep(tuned, ca_bench_mups(untuned), kept, error);
}

/* The times of an emulated GPU say nothing of an option. */
static bool searched(const struct ca_bench_line *line)
{
    const struct ca_values *options = &line->experiment.options;

    for (int i = 0; i < options->count; i++)
        if (ca_tunable(options, i) && options->table[i].tune[0])
            return !ca_device_emulated(line->experiment.backend);
    return false;
}

enum ca_status ca_tune_run(struct ca_bench *bench, ca_bench_progress *progress, void *context,
                           struct ca_error *error)
{
    struct bench_group like = bench_group(bench, progress, context);
    static const char *const names[] = {"untuned", "tuned"};
    struct ca_bench_line *lines = calloc((size_t)bench->count * 2 + 1, sizeof *lines);
    int count = 0;

    /* Two lines for each line that has options to search. */
    if (!lines)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d lines", bench->count * 2);
    for (int i = 0; i < bench->count; i++)
        for (int j = 0; j < 2 && searched(&bench->line[i]); j++) {
            struct ca_bench_line *line = &lines[count++];

            *line = bench->line[i];
            snprintf(line->label, sizeof line->label, "%.50s%s%s", bench->line[i].label,
                     bench->line[i].label[0] ? " " : "", names[j]);
        }
    free(bench->line);
    bench->line = lines;
    bench->count = count;
    if (bench->count == 0)
        return ca_fail(error, CA_USAGE,
                       "--tune: none of these backends has an option to search that is not given; "
                       "those of an emulated GPU are not, since its times are no speed");
    for (int i = 0; i < bench->count; i += 2) {
        bool kept = true;

        CA_TRY(search(&bench->line[i], &bench->line[i + 1], &like, error));
        CA_TRY(confirm(&bench->line[i], &bench->line[i + 1], &like, &kept, error));
        if (!kept) {
            char others[CA_DISTURBANCE_TEXT];

            snprintf(bench->note, sizeof bench->note,
                     "the tuned options of %.40s are not kept, since those found before were "
                     "measured undisturbed, and now %.100s",
                     bench->line[i + 1].experiment.backend->name,
                     ca_disturbance_text(others, &bench->line[i + 1].disturbance));
        }
    }
    return CA_OK;
}
