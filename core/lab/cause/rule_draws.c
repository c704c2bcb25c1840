/* SPDX-License-Identifier: MIT */
/*
 * Judges draws: whether those of another generation or seed explain the result and, by the table of
 * the rule, whether the kernel makes what other draws would have made.
 */
#include "core/lab/cause/rule_table.h"

/* Whether every sample is what the reference makes with draws of another generation. */
static enum ca_status draws_at(struct prober *prober, bool fixed, uint64_t t,
                               struct ca_lattice *state, bool *fits)
{
    *fits = true;
    for (int s = 0; s < prober->samples && *fits; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        CA_TRY(prober_reference(prober, &sample->start, fixed ? t : sample->t + t, 1, state));
        *fits = lattice_same(state, &sample->got);
    }
    return CA_OK;
}

static enum ca_status other_generations(struct prober *prober, struct ca_lattice *state, bool *done)
{
    static const struct {
        bool fixed;
        uint64_t t;
        const char *text;
    } others[] = {
        {false, 1, "of generation t + 1, where the step starts from t"},
        {false, UINT64_MAX, "of generation t - 1, where the step starts from t"},
        {true, 0, "of generation 0 whatever the generation is"},
        {true, 1, "of generation 1 whatever the generation is"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0] && !*done; i++) {
        CA_TRY(draws_at(prober, others[i].fixed, others[i].t, state, done));
        if (*done)
            cause_add(prober, CA_CAUSE_DRAWS, 1, "The random draws are those %s.", others[i].text);
    }
    return CA_OK;
}

static enum ca_status other_seeds(struct prober *prober, struct ca_lattice *state, bool *done)
{
    const uint64_t seed = prober->setup.seed;
    const uint64_t others[] = {0, 1, seed & UINT32_MAX, seed << 32 | seed >> 32, seed + 1};

    for (size_t i = 0; i < sizeof others / sizeof others[0] && !*done; i++) {
        struct prober other = *prober;
        enum ca_status status;

        other.setup.seed = others[i];
        if (others[i] == seed)
            continue;
        CA_TRY(other.stepper->create(&other.reference, &other.setup, prober->error));
        status = draws_at(&other, false, 0, state, done);
        other.stepper->destroy(other.reference);
        CA_TRY(status);
        if (*done)
            cause_add(prober, CA_CAUSE_DRAWS, 1,
                      "The random draws are those of seed %llu, where the run's seed is %llu.",
                      (unsigned long long)others[i], (unsigned long long)seed);
    }
    return CA_OK;
}

enum ca_status cause_draws(struct prober *prober, bool *done)
{
    struct ca_lattice state = {0};
    enum ca_status status;

    if (!ca_draws(&prober->setup))
        return CA_OK;
    status = prober_lattice(prober, &state);
    if (status == CA_OK)
        status = other_generations(prober, &state, done);
    if (status == CA_OK && !*done)
        status = other_seeds(prober, &state, done);
    ca_lattice_free(&state);
    return status;
}

/* --- by the table ----------------------------------------------------------------------------- */

static int outcomes_of(const uint32_t counts[RULE_OUTCOMES])
{
    int count = 0;

    for (int i = 0; i < RULE_OUTCOMES; i++)
        count += counts[i] > 0;
    return count;
}

/* Counts the cells with several outcomes that are as they should be, and those that are not. */
static void count_drawn(const struct prober *prober, const struct rule_table *table, int64_t *right,
                        int64_t *wrong)
{
    *right = *wrong = 0;
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int64_t i = 0; i < prober->cells; i++) {
            int entry = rule_table_entry(table, prober, &sample->start, i);

            if (entry < 0 || outcomes_of(table->wanted[entry]) != 2)
                continue;
            if (cell_differs(&sample->expected, &sample->got, i))
                ++*wrong;
            else
                ++*right;
        }
    }
}

void rule_of_draws(struct prober *prober, const struct rule_table *table,
                   const struct cause_place *place, bool *found)
{
    char text[RULE_TEXT_MAX], where[CAUSE_NAME_MAX];
    int64_t right, wrong;

    if (table->wrong == 0)
        return;
    *found = true;
    if (rule_table_text(text, prober, table, false) > 0) {
        cause_add(prober, CA_CAUSE_RULE, 1, "The neighbours are right, the rule is not: %s.", text);
        return;
    }
    count_drawn(prober, table, &right, &wrong);
    place_text(where, place);
    if (right == 0 && wrong > 0)
        cause_add(prober, CA_CAUSE_DRAWS, 1,
                  "Of two outcomes that are drawn the kernel always takes the other one: the "
                  "draw's sense "
                  "(chirality) is inverted.");
    else if (rule_is_function(table, table->got))
        cause_add(prober, CA_CAUSE_DRAWS, 1,
                  "Where the rule draws among outcomes the kernel always takes the same: it does "
                  "not draw.");
    else
        cause_add(prober, CA_CAUSE_DRAWS, 0.9,
                  "Each wrong cell (%s) is what the rule makes at another draw: the random numbers "
                  "are not those of the cell, the generation, the stream or the seed.",
                  where);
}
