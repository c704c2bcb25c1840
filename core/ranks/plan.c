/* SPDX-License-Identifier: MIT */
/* This file predicts what ranks take, and decides how often they exchange. It must not know any
 * backend. */
#include "core/ranks/plan.h"

#define TRIED_EXCHANGES 16

static enum ca_status inner_plan(const struct ca_setup *setup, struct ca_plan *plan,
                                 struct ca_error *error)
{
    const struct ca_stepper *stepper = setup->backend->stepper;

    *plan = (struct ca_plan){.generations = 1};
    return stepper->plan ? stepper->plan(setup, plan, error) : CA_OK;
}

static enum ca_status rank_plan(const struct ca_cut *cut, const struct ca_setup *setup, int rank,
                                struct ca_plan *plan, struct ca_error *error)
{
    struct ca_setup own = ca_cut_setup(cut, setup, rank);
    struct ca_error refusal;
    enum ca_status status = inner_plan(&own, plan, &refusal);

    if (status == CA_OK || cut->ranks == 1)
        return status == CA_OK ? CA_OK : ca_fail(error, status, "%s", refusal.text);
    return ca_fail(error, status, "rank %d of %d, a slab of %lld layers: %.600s", rank, cut->ranks,
                   (long long)own.slab.extent, refusal.text);
}

void ca_ranks_add_plan(struct ca_plan *all, const struct ca_plan *plan)
{
    all->memory_bytes += plan->memory_bytes;
    all->messages |= plan->messages;
    if (plan->step_s > all->step_s)
        all->step_s = plan->step_s;
}

void ca_ranks_add_exchange(struct ca_plan *plan, const struct ca_cut *cut,
                           const struct ca_setup *setup)
{
    const struct ca_exchange_time time = ca_cut_exchange_time(cut, setup);

    if (cut->ranks == 1)
        return;
    plan->ranks = cut->ranks;
    plan->processes = cut->place[cut->ranks - 1].process + 1;
    plan->halo = cut->halo;
    plan->exchange = cut->exchange;
    plan->exchange_s = time.exposed_s;
    plan->hidden_s = time.hidden_s;
    plan->memory_bytes += cut->ranks * (CA_SLOTS / 2) * ca_cut_sent_bytes(cut);
    if (plan->step_s > 0)
        plan->step_s += plan->exchange_s / cut->exchange;
    if (plan->generations > cut->exchange)
        plan->generations = cut->exchange;
}

/* The cut with an exchange that is asked for, by a slab's plan, and the plan of rank 0. */
static enum ca_status cut_with(struct ca_cut *cut, struct ca_plan *plan,
                               const struct ca_setup *setup, int64_t exchange,
                               const struct ca_plan *slab, struct ca_error *error)
{
    struct ca_setup asked = *setup;

    CA_TRY(ca_values_set_number(&asked.options, ca_values_find(&setup->options, "exchange"),
                                exchange, CA_TUNED, NULL, error));
    CA_TRY(ca_cut_make(cut, &asked, slab, error));
    return rank_plan(cut, setup, 0, plan, error);
}

/* The same with as many generations of these as whole passes take. */
static enum ca_status cut_at_pass(struct ca_cut *cut, struct ca_plan *plan,
                                  const struct ca_setup *setup, int64_t exchange,
                                  const struct ca_plan *slab, struct ca_error *error)
{
    CA_TRY(cut_with(cut, plan, setup, exchange, slab, error));
    return plan->period > 0 && plan->period < exchange
               ? cut_with(cut, plan, setup, plan->period, slab, error)
               : CA_OK;
}

/* Plans some exchanges about the chosen one and keeps the cheapest: the choice took a slab's time
 * to grow with its halos, but where it is a few waves of blocks, its time goes in steps. */
static void refine(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                   const struct ca_plan *slab)
{
    int pass = slab->generations, chosen = cut->exchange, count = chosen / pass;
    int step = pass * (count / TRIED_EXCHANGES + 1);
    double least = plan->step_s + ca_cut_exchange_time(cut, setup).exposed_s / chosen;
    struct ca_error refusal;

    for (int tried = chosen / 2 / step * step; tried <= 2 * chosen; tried += step) {
        struct ca_cut other;
        struct ca_plan its;
        double cost;

        if (tried == 0 || cut_at_pass(&other, &its, setup, tried, slab, &refusal) != CA_OK)
            continue;
        cost = its.step_s + ca_cut_exchange_time(&other, setup).exposed_s / other.exchange;
        if (cost >= least)
            continue;
        least = cost;
        *cut = other;
        *plan = its;
    }
}

enum ca_status ca_ranks_plan(struct ca_cut *cut, struct ca_plan *plan, const struct ca_setup *setup,
                             struct ca_error *error)
{
    struct ca_plan one;

    CA_TRY(cut_with(cut, &one, setup, 1, &(struct ca_plan){.generations = 1}, error));
    CA_TRY(ca_cut_make(cut, setup, &one, error));
    CA_TRY(rank_plan(cut, setup, 0, plan, error));
    if (cut->ranks > 1 && ca_int(&setup->options, "exchange") == 0 && plan->step_s > 0)
        refine(cut, plan, setup, &one);
    for (int r = 1; r < cut->ranks; r++) {
        CA_TRY(rank_plan(cut, setup, r, &one, error));
        ca_ranks_add_plan(plan, &one);
    }
    ca_ranks_add_exchange(plan, cut, setup);
    return CA_OK;
}
