/* SPDX-License-Identifier: MIT */
/* A check makes programs of a lab, each of which runs some of its cases. */
#include "core/lab/check/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/lab/check/program.h"
#include "core/lab/check/trial.h"
#include "core/lab/check/watch.h"

#define GRACE_S 5            /* for an emulator that says where it is once its time is over */
#define FEW_CELLS_S 8        /* that a case of a few cells may take where accesses are watched */
#define ENDLESS_S 3          /* that the emulator looks at what does not end on the GPU */
#define EMULATED_CELLS 40000 /* the largest lattice there */
#define ONE_SEED_CELLS 4096  /* larger ones with one seed there */
#define GPU_ALONE 3          /* cases that have a process of their own on a GPU, which is slow */

struct check {
    const struct ca_lab *lab;
    struct ca_lab_build *build;
    struct ca_lab_report *report;
    ca_lab_progress *progress;
    void *context;
    struct ca_error *error;
    char findings[600];    /* of the emulator */
    bool brief;            /* no causes are looked for */
    bool watch_only;       /* the device itself is left out */
    double watched_s;      /* that a case may take where each access is watched */
    struct lab_kept *kept; /* the process for the device; NULL: each case has its own */
};

static bool is_watched(enum ca_lab_tool tool)
{
    return tool == CA_LAB_ASAN || tool == CA_LAB_EMULATOR;
}

static bool go_on_silently(void *context)
{
    const struct check *check = context;

    return !check->progress || check->progress(check->context, check->report->how, 0, 0);
}

/* Reads what the emulator has found in a process that has ended. */
static bool depends_on_chance(void *context, bool wrong)
{
    struct check *check = context;

    if (check->report->how == ca_lab_tool_names[CA_LAB_EMULATOR])
        lab_watch_emulator(check->findings, check->build->source, wrong, check->report);
    return lab_watch_is_chance(check->report);
}

static struct lab_again again_of(struct check *check, const struct ca_lab_program *program)
{
    return (struct lab_again){.lab = check->lab,
                              .program = program,
                              .build = check->build,
                              .goes_on = go_on_silently,
                              .is_chance = depends_on_chance,
                              .context = check};
}

/* Runs a case in the process that is kept, where there is one. What is wrong there is wrong as well
 * in a new one, or, where a limit of a process was not the reason, because of what is kept. */
static enum ca_status check_trial(struct check *check, bool watched,
                                  const struct ca_lab_oracle *oracle,
                                  const struct ca_lab_program *program, int repeats,
                                  struct ca_lab_report *report)
{
    const struct lab_calls how = {.repeats = repeats};
    struct lab_kept *kept = watched ? NULL : check->kept;
    struct ca_lab_report tried = *report;
    struct ca_lab_case before;
    enum ca_status status;

    if (!kept || !kept->open) {
        CA_TRY(ca_lab_build_empty(check->build, check->error));
        return lab_trial(check->lab, oracle, program, kept, &how, report, check->error);
    }
    before = kept->last;
    tried.map = tried.said = NULL;
    status = lab_trial(check->lab, oracle, program, kept, &how, &tried, check->error);
    if (status == CA_OK)
        report->cells = tried.cells;
    if (status == CA_WRONG) {
        status = ca_lab_build_empty(check->build, check->error);
        if (status == CA_OK)
            status = lab_trial(check->lab, oracle, program, kept, &how, report, check->error);
        if (status == CA_OK && !lab_again_is_limit(tried.verdict)) {
            const struct lab_again again = again_of(check, program);

            lab_kept_end(kept);
            status =
                lab_again_static(&again, oracle, &how, &how, &before, &tried, report, check->error);
        }
    }
    ca_lab_report_free(&tried);
    return status;
}

/* Tries whether the call of a case that is wrong in a process of its own is right alone. */
static enum ca_status look_for_static(struct check *check, const struct ca_lab_oracle *oracle,
                                      const struct ca_lab_program *program,
                                      struct ca_lab_report *report)
{
    const struct lab_again again = again_of(check, program);
    const struct lab_calls how = {.repeats = report->repeat + 1},
                           alone = {.alone = true,
                                    .one = lab_again_call(check->lab, oracle, report)};
    struct ca_lab_report tried = *report;
    enum ca_status status;

    report->map = report->said = NULL;
    status = lab_again_static(&again, oracle, &how, &alone, NULL, &tried, report, check->error);
    if (status == CA_OK) {
        report->map = tried.map;
        report->said = tried.said;
    } else {
        ca_lab_report_free(&tried);
    }
    return status == CA_WRONG ? CA_OK : status;
}

/* A program to start, and the texts of its variables, which must stay. */
struct start {
    struct ca_lab_program program;
    char place[640], order[64], limit[64];
    const char *variables[5];
};

/* The time of a case where each access is watched: what does not end on a few cells need not be
 * waited for long. */
static double watched_of(const struct check *check, struct ca_size size)
{
    const double share = (double)ca_cells(size) / ONE_SEED_CELLS;

    return fmin(check->watched_s, fmax(FEW_CELLS_S, share * check->watched_s));
}

/* `order` is the emulator's. */
static void program_of(struct start *start, const struct check *check, enum ca_lab_tool tool,
                       double longest_s, double watched_s, const char *order)
{
    double limit = CA_LAB_SLOW_FACTOR * longest_s;

    *start = (struct start){.variables = {"ASAN_OPTIONS=detect_leaks=0"}};
    start->program = (struct ca_lab_program){
        .path = check->build->program[tool],
        .folder = check->build->run,
        .variables = start->variables,
        .limit_s = is_watched(tool)              ? watched_s + GRACE_S
                   : limit > check->lab->seconds ? limit
                                                 : check->lab->seconds,
        .device_lock = tool == CA_LAB_NVCC ? check->build->device_lock : NULL,
    };
    if (tool != CA_LAB_EMULATOR)
        return;
    snprintf(start->place, sizeof start->place, "CALAB_EMULATED_JSON=%s", check->findings);
    snprintf(start->order, sizeof start->order, "CALAB_EMULATED_ORDER=%s", order);
    snprintf(start->limit, sizeof start->limit, "CALAB_EMULATED_LIMIT=%.3f", watched_s);
    start->variables[0] = start->place;
    start->variables[1] = start->order;
    start->variables[2] = start->limit;
}

/* One program on one case. */
static enum ca_status run_case(struct check *check, enum ca_lab_tool tool,
                               const struct ca_lab_oracle *oracle, const char *order, int repeats,
                               struct ca_lab_report *report)
{
    const double watched_s = watched_of(check, oracle->setup.size);
    struct start start;
    enum ca_status status;

    program_of(&start, check, tool, oracle->longest_s, watched_s, order);
    status = check_trial(check, is_watched(tool), oracle, &start.program, repeats, report);
    if (is_watched(tool)) /* beside the grace, and where the emulator's own clock ended it */
        report->slow.limit_s = watched_s;
    if (tool == CA_LAB_EMULATOR)
        lab_watch_emulator(check->findings, check->build->source, status == CA_WRONG,
                           check->report);
    if (status == CA_WRONG && report->verdict == CA_LAB_CELL && !check->brief &&
        tool != CA_LAB_ASAN && !lab_watch_is_chance(check->report) &&
        (report->passed > 0 || report->repeat > 0))
        CA_TRY(look_for_static(check, oracle, &start.program, report));
    if (status == CA_WRONG) /* probes are many calls of one process, on more cells */
        program_of(&start, check, tool, oracle->longest_s, check->watched_s, order);
    if (status == CA_WRONG && report->verdict == CA_LAB_CELL && !check->brief &&
        tool != CA_LAB_ASAN && !lab_watch_is_chance(check->report))
        CA_TRY(ca_lab_why(check->lab, &start.program, &report->why, check->error));
    if (report->said)
        lab_build_shorten(report->said, check->build->source, tool == CA_LAB_EMULATOR);
    return status;
}

/* Reads what the emulator has found into a report: while the cells are right it is a fault, too. */
static enum ca_status take_findings(const struct check *check, struct ca_lab_report *found,
                                    enum ca_status status, struct ca_lab_report *report)
{
    bool any = lab_watch_emulator(check->findings, check->build->source, status == CA_WRONG, found);

    if (!any || status != CA_OK)
        return status;
    report->verdict = CA_LAB_FOUND;
    snprintf(report->text, sizeof report->text, "%s", found->finding[0]);
    return CA_WRONG;
}

/* All runs of one size and seed. */
static enum ca_status one_case(struct check *check, enum ca_lab_tool tool,
                               const struct ca_lab_oracle *oracle, struct ca_lab_report *report)
{
    static const char *const orders[] = {"forward", "random:7"};
    enum ca_status status = CA_OK;

    if (tool != CA_LAB_EMULATOR)
        return run_case(check, tool, oracle, NULL, tool == CA_LAB_ASAN ? 1 : check->lab->repeats,
                        report);
    for (int i = 0; i < 2 && status == CA_OK; i++) {
        status = run_case(check, tool, oracle, orders[i], 1, report);
        status = take_findings(check, check->report, status, report);
    }
    if (lab_watch_is_chance(check->report)) /* also of what a GPU has shown before */
        check->report->why.count = 0;
    return status;
}

/* The cases of a lab's seeds from one on, each other of which is of the same kind: the first begins
 * at generation 0, the second late. */
static enum ca_status each_case_from(struct check *check, enum ca_lab_tool tool, int first,
                                     int *begun, struct ca_lab_report *report)
{
    const struct ca_lab *lab = check->lab;
    int all = lab->sizes * lab->seeds, order[CA_LAB_CASES_MAX];

    ca_lab_by_cells(lab, order);
    for (int i = 0; i < lab->sizes; i++)
        for (int seed = first; seed < lab->seeds; seed += 2) {
            const int done = (*begun)++;
            struct ca_size size = lab->size[order[i]];
            bool small = ca_cells(size) <= ONE_SEED_CELLS;
            struct ca_lab_oracle oracle;
            struct ca_error refused;
            enum ca_status status;

            if (is_watched(tool) && !small &&
                (tool == CA_LAB_ASAN || seed > 0 || ca_cells(size) > EMULATED_CELLS)) {
                report->sizes_left_out += seed == 0;
                continue;
            }
            if (check->progress &&
                !check->progress(check->context, ca_lab_tool_names[tool], done, all)) {
                check->error->text[0] = '\0';
                return CA_WRONG;
            }
            status = ca_lab_oracle_make(&oracle, lab, size, seed, &refused);
            if (status == CA_USAGE) {
                report->sizes_left_out += seed == 0;
                status = CA_OK;
            } else if (status == CA_OK) {
                status = one_case(check, tool, &oracle, report);
                report->cases += status == CA_OK;
            } else {
                *check->error = refused;
            }
            ca_lab_oracle_free(&oracle);
            CA_TRY(status);
        }
    return CA_OK;
}

/* All cases, up to the first that is wrong. Those from generation 0 come first: their states are
 * the ones that somebody sees who runs the kernel. */
static enum ca_status each_case(struct check *check, enum ca_lab_tool tool,
                                struct ca_lab_report *report)
{
    int begun = 0;

    report->how = ca_lab_tool_names[tool];
    CA_TRY(each_case_from(check, tool, 0, &begun, report));
    return each_case_from(check, tool, 1, &begun, report);
}

/* The cases that show whether it keeps something between calls. */
static enum ca_status again(struct check *check, enum ca_lab_tool tool,
                            const struct ca_lab_case one[], int count, int *failed,
                            struct ca_lab_report *report)
{
    struct lab_again course;
    struct start start;
    enum ca_status status;

    report->how = ca_lab_tool_names[tool];
    program_of(&start, check, tool, 0, check->watched_s, "forward");
    course = again_of(check, &start.program);
    course.one = one;
    course.count = count;
    course.alone = tool == CA_LAB_CC ? count : tool == CA_LAB_NVCC ? GPU_ALONE : 0;
    status = lab_again(&course, failed, report, check->error);
    if (status == CA_OK && tool == CA_LAB_EMULATOR)
        status = take_findings(check, report, status, report);
    if (status == CA_WRONG && report->verdict == CA_LAB_CELL && !check->brief &&
        !lab_watch_is_chance(report))
        CA_TRY(ca_lab_why(check->lab, &start.program, &report->why, check->error));
    if (report->said)
        lab_build_shorten(report->said, check->build->source, tool == CA_LAB_EMULATOR);
    if (status == CA_TIMEOUT) { /* as the user wants */
        check->error->text[0] = '\0';
        status = CA_WRONG;
    }
    return status;
}

static enum ca_status in_one_process(struct check *check, enum ca_lab_tool tool,
                                     struct ca_lab_report *report)
{
    struct lab_kept kept = {.shared_bytes = 0};
    enum ca_status status;

    for (int i = 0; i < check->lab->sizes; i++)
        lab_kept_fits(&kept, check->lab, check->lab->size[i]);
    check->kept = &kept;
    status = each_case(check, tool, report);
    check->kept = NULL;
    if (status == CA_OK && lab_kept_finish(&kept) == CA_WRONG) {
        report->cases = report->sizes_left_out = 0;
        report->cells = 0;
        status = each_case(check, tool, report);
        if (status == CA_OK)
            status = lab_again_end(&kept, report);
    }
    lab_kept_end(&kept);
    return status;
}

static enum ca_status run_cases(struct check *check, enum ca_lab_tool tool,
                                struct ca_lab_report *report)
{
    struct ca_lab_case *one;
    enum ca_status status = CA_OK;
    int count, failed;

    CA_TRY(is_watched(tool) ? each_case(check, tool, report) : in_one_process(check, tool, report));
    if (tool == CA_LAB_ASAN)
        return CA_OK;
    one = malloc(LAB_AGAIN_MAX * sizeof *one);
    if (!one)
        return ca_fail(check->error, CA_NO_MEMORY, "no memory");
    count = lab_again_cases(check->lab, is_watched(tool) ? ONE_SEED_CELLS : INT64_MAX, one);
    if (count > 0)
        status = again(check, tool, one, count, &failed, report);
    free(one);
    return status;
}

/* Makes a program; a source that does not compile is a verdict. */
static enum ca_status make_program(struct check *check, enum ca_lab_tool tool)
{
    enum ca_status status = CA_OK;

    if (!ca_lab_build_has(check->build, tool))
        status = ca_lab_build_with(check->build, check->lab, tool, check->error);
    if (status != CA_COMPILE)
        return status;
    check->report->verdict = CA_LAB_BROKEN;
    check->report->how = ca_lab_tool_names[tool];
    snprintf(check->report->text, sizeof check->report->text, "%s", check->error->text);
    lab_build_shorten(check->report->text, check->build->source, false); /* of the rewriter */
    if (check->build->said[0] && !(check->report->said = strdup(check->build->said)))
        return ca_fail(check->error, CA_NO_MEMORY, "no memory for what the compiler said");
    return CA_WRONG;
}

/* The sanitizers look at the small cases, whatever came of them. */
static enum ca_status watch_c(struct check *check)
{
    struct ca_lab_report watched = {.cases = 0};
    enum ca_status status = run_cases(check, CA_LAB_ASAN, &watched);

    if (status == CA_WRONG && watched.said && lab_watch_sanitizer(watched.said, check->report) &&
        check->report->verdict == CA_LAB_RIGHT) {
        check->report->verdict = CA_LAB_FOUND;
        check->report->how = ca_lab_tool_names[CA_LAB_ASAN];
        check->report->size = watched.size;
        check->report->seed = watched.seed;
        check->report->start = watched.start;
        check->report->call = watched.call;
        check->report->passed = watched.passed;
        snprintf(check->report->text, sizeof check->report->text, "%s", check->report->finding[0]);
    } else if (status == CA_WRONG && lab_again_is_limit(watched.verdict)) {
        snprintf(check->report->not_watched, sizeof check->report->not_watched,
                 "%.200s, on lattices of at most %d cells: limits.watched_seconds in lab.cfg",
                 watched.text, ONE_SEED_CELLS);
    } else if (status == CA_WRONG && watched.verdict != CA_LAB_RIGHT &&
               check->report->verdict == CA_LAB_RIGHT) {
        /* Compiled in another way it is wrong: what it computes is not defined. */
        check->report->verdict = watched.verdict;
        check->report->how = ca_lab_tool_names[CA_LAB_ASAN];
        check->report->size = watched.size;
        check->report->difference = watched.difference;
        memcpy(check->report->around, watched.around, sizeof watched.around);
        check->report->map = watched.map;
        watched.map = NULL;
        memcpy(check->report->text, watched.text, sizeof watched.text);
    }
    if (status == CA_WRONG && watched.verdict != CA_LAB_RIGHT)
        status = CA_OK;
    ca_lab_report_free(&watched);
    return status;
}

/* A kernel that is wrong is looked at further; whatever else went wrong ends the check, as does who
 * watches its progress. */
static bool check_ends(const struct check *check, enum ca_status status)
{
    return status != CA_OK && (status != CA_WRONG || check->report->verdict == CA_LAB_RIGHT);
}

static enum ca_status check_c(struct check *check)
{
    enum ca_status status;
    struct ca_error why;

    CA_TRY(make_program(check, CA_LAB_CC));
    status = check->watch_only ? CA_OK : run_cases(check, CA_LAB_CC, check->report);
    if (check_ends(check, status))
        return status;
    if (lab_again_is_limit(check->report->verdict)) /* it would end likewise, and take long */
        return CA_OK;
    if (ca_lab_build_with(check->build, check->lab, CA_LAB_ASAN, &why) == CA_OK)
        return watch_c(check);
    snprintf(check->report->not_watched, sizeof check->report->not_watched, "%.380s", why.text);
    return CA_OK;
}

static enum ca_status check_cuda(struct check *check)
{
    bool gpu = ca_lab_has_gpu();
    struct ca_lab_report watched = {.cases = 0};
    enum ca_status status;

    if (gpu) {
        CA_TRY(make_program(check, CA_LAB_NVCC));
        status = check->watch_only ? CA_OK : run_cases(check, CA_LAB_NVCC, check->report);
        if (check_ends(check, status))
            return status;
        if (lab_again_is_limit(
                check->report->verdict)) /* long enough to see a barrier that some never reach */
            check->watched_s = fmin(check->watched_s, ENDLESS_S);
    }
    status = make_program(check, CA_LAB_EMULATOR);
    if (status == CA_IO && gpu) {
        snprintf(check->report->not_watched, sizeof check->report->not_watched, "%.380s",
                 check->error->text);
        return CA_OK;
    }
    CA_TRY(status);
    if (!gpu || check->report->verdict == CA_LAB_RIGHT) {
        CA_TRY(run_cases(check, CA_LAB_EMULATOR, check->report));
        check->report->how = gpu ? "the GPU and the emulator" : ca_lab_tool_names[CA_LAB_EMULATOR];
        return CA_OK;
    }
    /* The verdict stays that of the GPU; the emulator may know the reason. */
    status = run_cases(check, CA_LAB_EMULATOR, &watched);
    if (status == CA_WRONG && watched.verdict != CA_LAB_RIGHT)
        status = CA_OK;
    ca_lab_report_free(&watched);
    return status;
}

/* Whose program of a build runs on the device, or stands in for it. */
static enum ca_lab_tool tool_of_device(const struct ca_lab *lab, const struct ca_lab_build *build)
{
    return !lab->cuda ? CA_LAB_CC : build->program[CA_LAB_NVCC][0] ? CA_LAB_NVCC : CA_LAB_EMULATOR;
}

static struct check check_of(const struct ca_lab *lab, struct ca_lab_build *build,
                             struct ca_lab_report *report, ca_lab_progress *progress, void *context,
                             struct ca_error *error)
{
    struct check check = {.lab = lab,
                          .build = build,
                          .report = report,
                          .progress = progress,
                          .context = context,
                          .error = error,
                          .watched_s = lab->watched_seconds};

    memset(report, 0, sizeof *report);
    snprintf(check.findings, sizeof check.findings, "%s/findings", build->run);
    return check;
}

bool ca_lab_is_too_large(const struct ca_lab *lab, const struct ca_lab_build *build,
                         struct ca_size size)
{
    return tool_of_device(lab, build) == CA_LAB_EMULATOR && ca_cells(size) > EMULATED_CELLS;
}

enum ca_status ca_lab_check_case(const struct ca_lab *lab, struct ca_lab_build *build,
                                 const struct ca_lab_oracle *oracle, struct lab_kept *kept,
                                 int repeats, struct ca_lab_report *report, struct ca_error *error)
{
    struct check check = check_of(lab, build, report, NULL, NULL, error);
    enum ca_lab_tool tool = tool_of_device(lab, build);

    check.brief = true;
    check.kept = kept;
    return tool == CA_LAB_EMULATOR ? one_case(&check, tool, oracle, report)
                                   : run_case(&check, tool, oracle, NULL, repeats, report);
}

enum ca_status ca_lab_check_again(const struct ca_lab *lab, struct ca_lab_build *build,
                                  const struct ca_lab_case one[], int count, int *failed,
                                  struct ca_lab_report *report, ca_lab_progress *progress,
                                  void *context, struct ca_error *error)
{
    struct check check = check_of(lab, build, report, progress, context, error);

    check.brief = true;
    return again(&check, tool_of_device(lab, build), one, count, failed, report);
}

struct ca_lab_program ca_lab_built(const struct ca_lab *lab, const struct ca_lab_build *build)
{
    return (struct ca_lab_program){.path = build->program[lab->cuda ? CA_LAB_NVCC : CA_LAB_CC],
                                   .folder = build->run,
                                   .limit_s = lab->seconds,
                                   .device_lock = lab->cuda ? build->device_lock : NULL};
}

enum ca_status ca_lab_check_built(const struct ca_lab *lab, struct ca_lab_build *build, bool known,
                                  struct ca_lab_report *report, ca_lab_progress *progress,
                                  void *context, struct ca_error *error)
{
    struct check check = check_of(lab, build, report, progress, context, error);
    double start = ca_now();
    enum ca_status status;

    check.watch_only = !known;
    status = lab->cuda ? check_cuda(&check) : check_c(&check);
    lab_report_slow(lab, report);
    report->seconds = ca_now() - start;
    return status == CA_WRONG && report->verdict != CA_LAB_RIGHT ? CA_OK : status;
}

/* Times it beside the backend that lab.cfg names. */
static enum ca_status time_it(const struct ca_lab *lab, const struct ca_lab_build *build,
                              struct ca_lab_report *report, ca_lab_progress *progress,
                              void *context, struct ca_error *error)
{
    const struct ca_lab_program program = ca_lab_built(lab, build);
    struct ca_probe *probe = malloc(sizeof *probe);
    struct ca_lab_secret secret;
    struct ca_error ignored;
    enum ca_status status;
    bool known; /* and not too low because others disturbed their measurement */

    if (!probe)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    known = ca_probe_read(probe, ca_probe_path(), &ignored) == CA_OK && !probe->others[0];
    ca_lab_secret_random(&secret);
    status = ca_lab_time(lab, program.path[0] ? &program : NULL, &secret, known ? probe : NULL,
                         &report->timing, progress, context, error);
    free(probe);
    if (status == CA_TIMEOUT)
        error->text[0] = '\0';
    return status == CA_TIMEOUT ? CA_WRONG : status;
}

enum ca_status ca_lab_check(const struct ca_lab *lab, struct ca_lab_report *report,
                            ca_lab_progress *progress, void *context, struct ca_error *error)
{
    struct ca_lab_build build = {.folder = ""};
    enum ca_status status;

    memset(report, 0, sizeof *report);
    if (lab->form == CA_LAB_PROGRAM) /* which builds in copies of its own */
        return lab_program_check(lab, report, progress, context, error);
    status = ca_lab_build_open(&build, lab, error);
    if (status == CA_OK)
        status = ca_lab_check_built(lab, &build, true, report, progress, context, error);
    if (status == CA_OK && report->verdict == CA_LAB_RIGHT && lab->names_against)
        status = time_it(lab, &build, report, progress, context, error);
    if (status == CA_OK && report->timing.what == CA_LAB_FAILED) {
        report->verdict = CA_LAB_STATIC; /* as all cases were right before it was timed */
        report->size = report->timing.size;
        snprintf(report->text, sizeof report->text, "%s", report->timing.text);
    }
    ca_lab_build_close(&build);
    return status;
}
