/* SPDX-License-Identifier: MIT */
/* The cases that are repeated in another order, and the verdict that a kernel keeps something. */
#include "core/lab/check/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_CELLS 65536 /* a larger lattice has one case */

/* Short calls: what a kernel keeps shows in one generation, and a call of more than one is here for
 * what it keeps from one to the next. */
static const int64_t generations[] = {1, 1, 3};

static const struct lab_calls in_order_and_apart = {.repeats = 1, .apart = true, .one = 0};
static const struct lab_calls in_order = {.repeats = 1};

bool lab_again_is_limit(enum ca_lab_verdict verdict)
{
    return verdict == CA_LAB_SLOW || verdict == CA_LAB_LARGE || verdict == CA_LAB_LOUD;
}

/* --- the cases -------------------------------------------------------------------------------- */

int lab_again_like(const struct ca_lab_case *one, uint64_t other_seed, struct ca_lab_case *list)
{
    int count = ca_cells(one->size) > LARGE_CELLS ? 1 : LAB_AGAIN_LIKE;

    for (int i = 0; i < count; i++) {
        list[i] = *one;
        list[i].random ^= i % 2;
        list[i].seed = i < 2 ? one->seed : other_seed;
    }
    return count;
}

int lab_again_cases(const struct ca_lab *lab, int64_t most_cells,
                    struct ca_lab_case one[LAB_AGAIN_MAX])
{
    const uint64_t other = lab->seeds > 1 ? lab->seed[1] : lab->seed[0] + 1;
    int count = 0, order[CA_LAB_CASES_MAX];

    ca_lab_by_cells(lab, order);
    for (int i = 0; i < lab->sizes; i++) {
        const struct ca_size size = lab->size[order[lab->sizes - 1 - i]];
        const struct ca_lab_case first = {.size = size,
                                          .seed = lab->seed[0],
                                          .t = i % 2 ? CA_LAB_LATE_START : 0,
                                          .random = true,
                                          .params = lab->params};
        int before = count;

        if (ca_cells(size) <= most_cells)
            count += lab_again_like(&first, other, one + count);
        for (int c = before; c < count; c++)
            ca_lab_case_choose(lab, &one[c], (uint64_t)c);
    }
    return count;
}

/* The call that a case begins with. The case before has ended with its first, of the same
 * generation where the size is the same. Of two cases with one seed the second begins with that
 * generation, too, or, where it is the last of its size, with the generation that follows: results
 * may be kept by the generation, or for as long as they follow each other. */
static int first_call(const struct lab_again *again, int i)
{
    return i >= LAB_AGAIN_LIKE - 1 &&
           ca_size_equal(again->one[i].size, again->one[i - (LAB_AGAIN_LIKE - 1)].size);
}

/* The lab with the calls that are made here. */
static struct ca_lab with_short_calls(const struct ca_lab *lab)
{
    struct ca_lab brief = *lab;

    memcpy(brief.generation, generations, sizeof generations);
    brief.generations = sizeof generations / sizeof *generations;
    return brief;
}

/* --- the verdict ------------------------------------------------------------------------------ */

int lab_again_call(const struct ca_lab *lab, const struct ca_lab_oracle *oracle,
                   const struct ca_lab_report *report)
{
    uint64_t t = oracle->t;
    int i = 0;

    while (i < oracle->calls - 1 && t < report->start + report->passed)
        t += (uint64_t)lab->generation[i++];
    return i;
}

/* Whether the calls are wrong once more in a process that runs the case before, and nothing else.
 */
static enum ca_status repeat_wrong(const struct lab_again *again,
                                   const struct ca_lab_oracle *oracle, const struct lab_calls *how,
                                   const struct ca_lab_case *before, bool *wrong,
                                   struct ca_error *error)
{
    struct ca_lab_report ignored = {.cases = 0};
    struct ca_lab brief = with_short_calls(again->lab);
    struct lab_kept kept = {.shared_bytes = 0};
    struct ca_lab_oracle first = {.calls = 0};
    enum ca_status status = CA_OK;

    lab_kept_fits(&kept, again->lab, oracle->setup.size);
    if (before) {
        lab_kept_fits(&kept, again->lab, before->size);
        status = ca_lab_oracle_of(&first, &brief, before, error);
        if (status == CA_OK)
            status = lab_trial(&brief, &first, again->program, &kept, &in_order_and_apart, &ignored,
                               error);
    }
    if (status == CA_OK)
        status = lab_trial(again->lab, oracle, again->program, &kept, how, &ignored, error);
    *wrong = status == CA_WRONG;
    lab_kept_end(&kept);
    ca_lab_oracle_free(&first);
    ca_lab_report_free(&ignored);
    return status == CA_WRONG ? CA_OK : status;
}

/* Takes over a report that is wrong, but what counts all cases and names the tool. */
static void take_wrong(struct ca_lab_report *report, struct ca_lab_report *tried)
{
    const struct ca_lab_report before = *report;

    *report = *tried;
    report->how = before.how;
    report->cases = before.cases;
    report->cells = before.cells;
    report->sizes_left_out = before.sizes_left_out;
    memcpy(report->finding, before.finding, sizeof before.finding);
    report->findings = before.findings;
    tried->map = tried->said = NULL;
    free(before.map);
    free(before.said);
}

/* Takes over what was seen, and says that it is not so in another process. */
static void take_seen(struct ca_lab_report *report, struct ca_lab_report *tried, const char *right,
                      const char *wrong, bool certain)
{
    take_wrong(report, tried);
    report->why.count = 0;
    report->only_together = false;
    report->verdict = CA_LAB_STATIC;
    snprintf(report->text, sizeof report->text,
             "something static is kept between calls%s: this call is %.84s, and %.84s: %.500s",
             certain ? "" : ", or the kernel depends on chance", right, wrong, tried->text);
}

/* Whether calls are right in a process of their own. */
static enum ca_status try_alone(const struct lab_again *again, const struct ca_lab_oracle *oracle,
                                const struct lab_calls *how, bool *right, struct ca_error *error)
{
    struct ca_lab_report ignored = {.cases = 0};
    enum ca_status status = ca_lab_build_empty(again->build, error);

    if (status == CA_OK)
        status = lab_trial(again->lab, oracle, again->program, NULL, how, &ignored, error);
    *right = status == CA_OK;
    ca_lab_report_free(&ignored);
    return status == CA_WRONG ? CA_OK : status;
}

enum ca_status lab_again_static(const struct lab_again *again, const struct ca_lab_oracle *oracle,
                                const struct lab_calls *how, const struct lab_calls *alone,
                                const struct ca_lab_case *before, struct ca_lab_report *tried,
                                struct ca_lab_report *report, struct ca_error *error)
{
    struct lab_calls warm = *alone;
    bool right, certain = false;
    char after[200] = "wrong after the calls before it", size[64];

    CA_TRY(try_alone(again, oracle, alone, &right, error));
    if (!right && alone->alone) {
        warm.warm = true;
        CA_TRY(try_alone(again, oracle, &warm, &right, error));
        if (right)
            take_seen(report, tried, "right when it is repeated",
                      "wrong as the first of its process", true);
        return right ? CA_WRONG : CA_OK;
    }
    if (!right)
        return CA_OK;
    CA_TRY(repeat_wrong(again, oracle, how, NULL, &certain, error));
    if (before && !certain) {
        CA_TRY(repeat_wrong(again, oracle, how, before, &certain, error));
        snprintf(after, sizeof after,
                 certain ? "wrong after calls on %s, seed %" PRIu64 : "wrong after other cases",
                 ca_size_format(size, before->size, again->lab->model->dimensions), before->seed);
    }
    take_seen(report, tried, "right alone in a process", after, certain);
    return CA_WRONG;
}

/* --- the course ------------------------------------------------------------------------------- */

/* Tries whether a call that is wrong alone is right after the last of the cases. */
static enum ca_status right_after_others(const struct lab_again *again,
                                         const struct ca_lab_oracle *oracle,
                                         const struct lab_calls *alone, struct ca_lab_report *tried,
                                         struct ca_lab_report *report, struct ca_error *error)
{
    const struct ca_lab_case *other = &again->one[again->count];
    enum ca_status status = CA_USAGE; /* of a size that the model does not have */
    char right[160], size[64];
    bool wrong = true, certain;

    while (status == CA_USAGE && other > again->one)
        status = repeat_wrong(again, oracle, alone, --other, &wrong, error);
    if (status != CA_OK || wrong)
        return status == CA_USAGE ? CA_OK : status;
    CA_TRY(repeat_wrong(again, oracle, alone, NULL, &certain, error));
    snprintf(right, sizeof right, "right after calls on %s, seed %" PRIu64,
             ca_size_format(size, other->size, again->lab->model->dimensions), other->seed);
    take_seen(report, tried, right, "wrong alone in a process", certain);
    return CA_WRONG;
}

/* CA_USAGE: the model does not have the size. CA_WRONG: the model's file is wrong, not the kernel.
 * After a failure nothing is to be freed. */
static enum ca_status oracle_of_case(struct ca_lab_oracle *oracle, const struct ca_lab *lab,
                                     const struct ca_lab_case *one, struct ca_error *error)
{
    enum ca_status status = ca_lab_oracle_of(oracle, lab, one, error);

    if (status != CA_OK)
        ca_lab_oracle_free(oracle);
    return status;
}

/* One case, in the process that is kept; CA_OK as well where it took more than a process may. One
 * that is wrong there is wrong alone, too, or something is kept. */
static enum ca_status case_in_order(const struct lab_again *again, int i, struct lab_kept *kept,
                                    struct ca_lab_report *report, struct ca_error *error)
{
    struct ca_lab_report tried = {.cases = 0};
    const struct lab_calls how = {.repeats = 1, .apart = true, .one = first_call(again, i)};
    const struct ca_lab_case before = kept->last;
    struct lab_calls alone = {.alone = true};
    bool first = !kept->open || kept->cases == 0;
    struct ca_lab_oracle oracle;
    enum ca_status status = oracle_of_case(&oracle, again->lab, &again->one[i], error);

    if (status != CA_OK)
        return status == CA_USAGE ? CA_OK : status;
    status = lab_trial(again->lab, &oracle, again->program, kept, &how, &tried, error);
    if (status == CA_WRONG && !lab_again_is_limit(tried.verdict)) {
        bool chance = again->is_chance(again->context, true);

        alone.one = lab_again_call(again->lab, &oracle, &tried);
        status = chance ? CA_OK
                        : lab_again_static(again, &oracle, &how, &alone, first ? NULL : &before,
                                           &tried, report, error);
        if (status == CA_OK && tried.verdict == CA_LAB_CELL && !chance)
            status = right_after_others(again, &oracle, &alone, &tried, report, error);
        if (status == CA_OK) {
            take_wrong(report, &tried);
            status = CA_WRONG;
        }
    } else if (status == CA_WRONG || status == CA_USAGE) {
        status = CA_OK;
    }
    ca_lab_oracle_free(&oracle);
    ca_lab_report_free(&tried);
    return status;
}

/* One case in a process that computes nothing else, which was right behind others. */
static enum ca_status case_alone(const struct lab_again *again, const struct ca_lab_case *one,
                                 struct ca_lab_report *report, struct ca_error *error)
{
    struct ca_lab_report tried = {.cases = 0};
    struct ca_lab_oracle oracle;
    enum ca_status status = oracle_of_case(&oracle, again->lab, one, error);

    if (status != CA_OK)
        return status == CA_USAGE ? CA_OK : status;
    status = ca_lab_build_empty(again->build, error);
    if (status == CA_OK)
        status = lab_trial(again->lab, &oracle, again->program, NULL, &in_order, &tried, error);
    if (status == CA_WRONG) {
        take_wrong(report, &tried);
        report->verdict = CA_LAB_STATIC;
        snprintf(report->text, sizeof report->text,
                 "something static is kept between calls: this call is right after others, and "
                 "wrong as the first of its process: %.500s",
                 tried.text);
    } else if (status == CA_USAGE) {
        status = CA_OK;
    }
    ca_lab_oracle_free(&oracle);
    ca_lab_report_free(&tried);
    return status;
}

enum ca_status lab_again_end(const struct lab_kept *kept, struct ca_lab_report *report)
{
    const struct ca_lab_fault *fault = &kept->submission.fault;

    if (lab_again_is_limit(fault->verdict))
        return CA_OK;
    report->verdict = CA_LAB_STATIC;
    snprintf(report->text, sizeof report->text,
             "something static is kept between calls: a process of several cases does not end "
             "as that of one does: %.500s",
             fault->text);
    return CA_WRONG;
}

enum ca_status lab_again(const struct lab_again *again, int *failed, struct ca_lab_report *report,
                         struct ca_error *error)
{
    const struct ca_lab brief = with_short_calls(again->lab);
    struct lab_again shorter = *again;
    struct lab_kept kept = {.shared_bytes = 0};
    enum ca_status status = ca_lab_build_empty(again->build, error);
    int alone = 0;

    shorter.lab = &brief;
    for (int i = 0; i < again->count; i++)
        lab_kept_fits(&kept, again->lab, again->one[i].size);
    for (int i = 0; i < again->count && status == CA_OK; i++) {
        *failed = i;
        status = again->goes_on(again->context) ? case_in_order(&shorter, i, &kept, report, error)
                                                : ca_fail(error, CA_TIMEOUT, "stopped");
    }
    if (status == CA_OK && lab_kept_finish(&kept) == CA_WRONG)
        status = lab_again_end(&kept, report);
    lab_kept_end(&kept);
    for (int i = 0; i < again->count && alone < again->alone && status == CA_OK; i++) {
        /* Spread over all, so that small and large ones are among them. */
        if ((int64_t)i * again->alone < (int64_t)alone * again->count)
            continue;
        *failed = i;
        status = again->goes_on(again->context)
                     ? case_alone(&shorter, &again->one[i], report, error)
                     : ca_fail(error, CA_TIMEOUT, "stopped");
        alone++;
    }
    return status;
}
