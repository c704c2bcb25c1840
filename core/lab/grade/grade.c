/* SPDX-License-Identifier: MIT */
/* Grades one submission: runs what is needed, and makes points of the results. */
#include "core/lab/grade/grade.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/lab/check/trial.h"

#define REPEATS 2 /* of a secret case */

static bool checks(void *context, const char *how, int done, int all)
{
    const struct ca_lab_class *class = context;

    (void)how, (void)done, (void)all;
    return !class->progress || class->progress(class->context, NULL, 0, 0);
}

static void grade_fails(struct ca_lab_grade *grade, const struct ca_error *error)
{
    grade->failure = error->status != CA_OK ? error->status : CA_IO;
    snprintf(grade->text, sizeof grade->text, "%s", error->text);
}

struct secret_cases {
    struct ca_lab_case one[CA_LAB_CASES_MAX];
    int count;
    struct ca_lab lab; /* with the parameters of the case that runs */
    struct ca_lab_report report;
};

/* One secret case: *verdict says what came of it. */
static enum ca_status secret_case(struct secret_cases *cases, int i, struct ca_lab_build *build,
                                  struct lab_kept *kept, enum ca_lab_verdict *verdict,
                                  struct ca_error *error)
{
    const struct ca_lab_case *one = &cases->one[i];
    struct ca_lab_oracle oracle;
    enum ca_status status;

    cases->lab.params = one->params;
    memset(&cases->report, 0, sizeof cases->report);
    status = ca_lab_oracle_of(&oracle, &cases->lab, one, error);
    if (status == CA_OK)
        status =
            ca_lab_check_case(&cases->lab, build, &oracle, kept, REPEATS, &cases->report, error);
    *verdict = cases->report.verdict;
    ca_lab_report_free(&cases->report);
    ca_lab_oracle_free(&oracle);
    return status == CA_WRONG && *verdict != CA_LAB_RIGHT ? CA_OK : status;
}

static enum ca_status each_secret_case(struct ca_lab_class *class, struct ca_lab_grade *grade,
                                       struct secret_cases *cases, struct lab_kept *kept,
                                       struct ca_error *error)
{
    enum ca_lab_verdict last = grade->verdict; /* of the case before */
    enum ca_status status = CA_OK;

    memset(grade->cases, 0, sizeof grade->cases);
    memset(grade->right, 0, sizeof grade->right);
    for (int i = 0; i < cases->count && status == CA_OK; i++) {
        enum ca_lab_verdict verdict = last;

        if (ca_lab_is_too_large(&grade->lab, &grade->build, cases->one[i].size))
            continue;
        if (!checks(class, NULL, 0, 0))
            status = ca_fail(error, CA_TIMEOUT, "stopped");
        /* After a limit the next case would end likewise, and take long. */
        if (status == CA_OK && !lab_again_is_limit(last))
            status = secret_case(cases, i, &grade->build, kept, &verdict, error);
        last = verdict;
        grade->cases[cases->one[i].group]++;
        grade->right[cases->one[i].group] += verdict == CA_LAB_RIGHT;
        if (grade->secret == CA_LAB_RIGHT)
            grade->secret = verdict;
    }
    return status;
}

/* Tries whether cases that are all right, and some like them, are right, too, the last first. */
static enum ca_status secret_cases_again(struct ca_lab_class *class, struct ca_lab_grade *grade,
                                         struct secret_cases *cases, struct ca_error *error)
{
    struct ca_lab_case *one = malloc(LAB_AGAIN_MAX * sizeof *one);
    enum ca_status status;
    int failed, count = 0;

    if (!one)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    for (int i = cases->count - 1; i >= 0; i--)
        if (!ca_lab_is_too_large(&grade->lab, &grade->build, cases->one[i].size))
            count += lab_again_like(&cases->one[i], cases->one[i].seed ^ 1, one + count);
    status = ca_lab_check_again(&grade->lab, &grade->build, one, count, &failed, &cases->report,
                                checks, class, error);
    grade->secret = cases->report.verdict;
    if (status == CA_WRONG && grade->secret != CA_LAB_RIGHT) {
        grade->right[one[failed].group]--;
        status = CA_OK;
    } else if (status == CA_WRONG) {
        status = ca_fail(error, CA_TIMEOUT, "stopped");
    }
    ca_lab_report_free(&cases->report);
    free(one);
    return status;
}

/* Runs the cases in one process as long as they are right there. Where that does not end as it
 * should, each has one of its own. */
static enum ca_status secret_cases(struct ca_lab_class *class, struct ca_lab_grade *grade,
                                   struct ca_error *error)
{
    struct secret_cases cases = {.lab = grade->lab};
    struct lab_kept kept = {.shared_bytes = 0};
    enum ca_status status;

    cases.count = ca_lab_secret_cases(&grade->lab, &class->secret, cases.one);
    for (int i = 0; i < cases.count; i++)
        lab_kept_fits(&kept, &grade->lab, cases.one[i].size);
    status = each_secret_case(class, grade, &cases, &kept, error);
    if (status == CA_OK && lab_kept_finish(&kept) == CA_WRONG)
        status = each_secret_case(class, grade, &cases, NULL, error);
    if (status == CA_OK && grade->secret == CA_LAB_RIGHT && cases.count > 0)
        status = secret_cases_again(class, grade, &cases, error);
    lab_kept_end(&kept);
    return status;
}

/* Probes have inputs of their own, which tell nothing of the secret cases. */
static enum ca_status why(struct ca_lab_grade *grade, struct ca_error *error)
{
    struct ca_lab_program program = ca_lab_built(&grade->lab, &grade->build);

    if (grade->verdict != CA_LAB_RIGHT || grade->secret != CA_LAB_CELL || !program.path[0])
        return CA_OK;
    return ca_lab_why(&grade->lab, &program, &grade->why, error);
}

/* The check on the cases of lab.cfg: where the secret ones are right, of what watches accesses
 * alone. */
static enum ca_status known_cases(struct ca_lab_class *class, struct ca_lab_grade *grade,
                                  struct ca_error *error)
{
    bool known = grade->secret != CA_LAB_RIGHT;
    struct ca_lab_report report;
    char size[64];
    enum ca_status status =
        ca_lab_check_built(&grade->lab, &grade->build, known, &report, checks, class, error);

    ca_lab_report_free(&report);
    CA_TRY(status);
    grade->verdict = report.verdict;
    snprintf(grade->text, sizeof grade->text, "%s", report.text);
    snprintf(grade->how, sizeof grade->how, "%s", report.how ? report.how : "");
    snprintf(grade->not_watched, sizeof grade->not_watched, "%s", report.not_watched);
    memcpy(grade->finding, report.finding, sizeof grade->finding);
    grade->findings = report.findings;
    grade->why = report.why;
    if (report.verdict != CA_LAB_RIGHT && report.verdict != CA_LAB_BROKEN)
        snprintf(grade->place, sizeof grade->place,
                 "on %s, seed %" PRIu64 ", from generation %" PRIu64,
                 ca_size_format(size, report.size, grade->lab.model->dimensions), report.seed,
                 report.start);
    return CA_OK;
}

/* The secret cases come first, as most submissions should be right and need no other, and those
 * that do not end are not to be watched. Without a program for the device the emulator's is made by
 * the check. */
static enum ca_status grade_cases(struct ca_lab_class *class, struct ca_lab_grade *grade,
                                  struct ca_error *error)
{
    enum ca_lab_tool tool = grade->lab.cuda ? CA_LAB_NVCC : CA_LAB_CC;
    bool device = !grade->lab.cuda || ca_lab_has_gpu();
    struct ca_error ignored;

    CA_TRY(ca_lab_build_open(&grade->build, &grade->lab, error));
    grade->build.device_lock = class->device_lock;
    device = device && ca_lab_build_with(&grade->build, &grade->lab, tool, &ignored) == CA_OK;
    if (device)
        CA_TRY(secret_cases(class, grade, error));
    CA_TRY(known_cases(class, grade, error));
    if (!device && grade->verdict != CA_LAB_BROKEN)
        CA_TRY(secret_cases(class, grade, error));
    return why(grade, error);
}

/* What the emulator counts, of a right kernel in CUDA: for its points, or for bounds that are
 * proposed. */
static enum ca_status structure_count(const struct ca_lab_class *class, struct ca_lab_grade *grade,
                                      struct ca_error *error)
{
    bool asked = class->each || grade->lab.points.of[CA_LAB_STRUCTURE] > 0;

    if (!asked || !grade->lab.cuda || !ca_lab_grade_right(grade))
        return CA_OK;
    return ca_lab_structure_count(&grade->structure, &grade->lab, &grade->build, error);
}

void grade_check(struct ca_lab_class *class, struct ca_lab_grade *grade)
{
    double start = ca_now();
    struct ca_error error;

    grade->no_gpu = grade->lab.cuda && !ca_lab_has_gpu();
    if (grade_cases(class, grade, &error) != CA_OK ||
        structure_count(class, grade, &error) != CA_OK)
        grade_fails(grade, &error);
    ca_emulate_remove(&grade->build.emulation);
    grade->seconds += ca_now() - start;
}

/* --- the time --------------------------------------------------------------------------------- */

void grade_time(struct ca_lab_class *class, struct ca_lab_grade *grade)
{
    struct ca_lab_program program = ca_lab_built(&grade->lab, &grade->build);
    double start = ca_now();
    struct ca_error error;
    enum ca_status status = ca_lab_build_empty(&grade->build, &error);

    if (status == CA_OK)
        status = ca_lab_time(&grade->lab, program.path[0] ? &program : NULL, &class->secret,
                             class->probe, &grade->timing, checks, class, &error);
    if (status != CA_OK)
        grade_fails(grade, &error);
    grade->seconds += ca_now() - start;
}

/* --- what comes of it ------------------------------------------------------------------------- */

bool ca_lab_grade_right(const struct ca_lab_grade *grade)
{
    return grade->failure == CA_OK && grade->verdict == CA_LAB_RIGHT &&
           grade->secret == CA_LAB_RIGHT && grade->timing.what != CA_LAB_FAILED &&
           grade->timing.what != CA_LAB_ABOVE;
}

static void structure_points(struct ca_lab_grade *grade)
{
    double kept = ca_lab_structure_kept(&grade->structure, &grade->lab.points);
    double *of = &grade->of[CA_LAB_STRUCTURE], *points = &grade->points[CA_LAB_STRUCTURE];

    *of = grade->structure.tried && kept < 0 ? 0 : grade->lab.points.of[CA_LAB_STRUCTURE];
    *points = kept > 0 && ca_lab_grade_right(grade) ? *of * kept : 0;
}

void ca_lab_grade_points(struct ca_lab_grade *grade)
{
    const struct ca_lab_points *points = &grade->lab.points;
    enum ca_lab_timed what = grade->timing.what;
    /* Whether this machine could have given points for speed. */
    bool scored = !grade->no_gpu && (what == CA_LAB_UNTIMED || what == CA_LAB_TIMED ||
                                     what == CA_LAB_ABOVE || what == CA_LAB_FAILED);

    for (int g = 0; g < CA_LAB_SPEED; g++) {
        grade->of[g] =
            grade->cases[g] > 0 || grade->verdict == CA_LAB_BROKEN || grade->failure != CA_OK
                ? points->of[g]
                : 0;
        grade->points[g] =
            ca_lab_points_of_cases(points, (enum ca_lab_group)g, grade->right[g], grade->cases[g]);
    }
    grade->of[CA_LAB_SPEED] = scored ? points->of[CA_LAB_SPEED] : 0;
    grade->points[CA_LAB_SPEED] = grade->timing.what == CA_LAB_TIMED && grade->failure == CA_OK
                                      ? ca_lab_points_of_speed(points, grade->timing.ratio.high)
                                      : 0;
    structure_points(grade);
}

bool ca_lab_grade_label(const struct ca_lab_grade *grade, int i, char label[64])
{
    bool known_only = grade->verdict == CA_LAB_RIGHT && grade->secret != CA_LAB_RIGHT;
    const char *at = strstr(grade->finding[0], ": "); /* "kernel.cu:23: race: ..." */
    size_t length = at ? strcspn(at + 2, ":") : 0;

    if (grade->failure != CA_OK || ca_lab_grade_right(grade)) {
        snprintf(label, 64, "not graded");
        return i == 0 && grade->failure != CA_OK;
    }
    if (grade->verdict == CA_LAB_RIGHT && grade->secret == CA_LAB_RIGHT) {
        snprintf(label, 64, "%s",
                 grade->timing.what == CA_LAB_ABOVE ? "above the roofline"
                                                    : "wrong where it is timed");
        return i == 0;
    }
    if (i < grade->why.count) {
        snprintf(label, 64, "%s", ca_cause_names[grade->why.finding[i].cause]);
        return true;
    }
    i -= grade->why.count;
    if (known_only) {
        snprintf(label, 64, "%s",
                 grade->secret == CA_LAB_STATIC ? ca_lab_verdict_names[CA_LAB_STATIC]
                                                : "known cases only");
        return i == 0;
    }
    if (grade->verdict == CA_LAB_FOUND && grade->findings > 0)
        snprintf(label, 64, "%.*s", (int)(length < 40 ? length : 40), at ? at + 2 : "found");
    else
        snprintf(label, 64, "%s", ca_lab_verdict_names[grade->verdict]);
    return i == 0 && (grade->verdict != CA_LAB_CELL || grade->why.count == 0);
}
