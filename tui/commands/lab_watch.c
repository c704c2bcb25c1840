/* SPDX-License-Identifier: MIT */
/*
 * calab lab watch: compiles and checks the kernel of a lab each time that it is saved. With --json
 * it tells the workbench so, a JSON object a line behind the greeting of an engine, and ends with
 * its input.
 */
#include <jansson.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "core/lab/check/words.h"
#include "core/lab/process/resources.h"
#include "tui/commands/commands.h"
#include "tui/commands/lab.h"
#include "tui/commands/progress.h"

struct watched {
    const char *folder;
    bool json;
    struct ca_lab *lab; /* as its file was last, if it could be read */
    struct ca_lab_report *report;
    struct ca_lab_builds builds;
    struct ca_lab_change change;
    char own[PATH_MAX]; /* the folder of the link, where it is not the caller's; "" */
    char link[PATH_MAX + 16];
};

/* --- what is told ----------------------------------------------------------------------------- */

/* Takes the event. */
static void report_event(const struct watched *w, const char *event, json_t *json)
{
    json_object_set_new(json, "event", json_string(event));
    if (w->json) {
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
    }
    json_decref(json);
}

static void report_failure(const struct watched *w, const char *event, const struct ca_error *error,
                           const char *said)
{
    char file[256] = "";
    int line = ca_lab_place(w->folder, error->text, file, sizeof file);
    json_t *json = json_pack("{s:s, s:s}", "text", error->text, "said", said);

    if (line > 0) {
        json_object_set_new(json, "file", json_string(file));
        json_object_set_new(json, "line", json_integer(line));
    }
    report_event(w, event, json);
    if (!w->json) {
        printf("%s\n", error->text);
        fflush(stdout);
    }
}

static void report_resources(struct watched *w)
{
    struct ca_lab_resources resources;
    struct ca_error error;
    json_t *lines = json_array();
    char text[300];

    if (ca_lab_resources(&resources, w->lab, &w->builds.now, &error) != CA_OK)
        resources.count = 0; /* nothing is known of them, as without a compiler that tells */
    for (int i = 0; i < resources.count; i++) {
        ca_lab_kernel_text(&resources.kernel[i], text, sizeof text);
        json_array_append_new(lines, json_string(text));
        if (!w->json)
            printf("    %s\n", text);
    }
    fflush(stdout);
    report_event(w, "resources", json_pack("{s:o}", "kernels", lines));
}

/* --- a round ---------------------------------------------------------------------------------- */

/* Whether whoever started this one is gone, or wants its end. */
static bool lab_watch_is_over(const struct watched *w)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    return stopped_by || (w->json && poll(&in, 1, 0) > 0);
}

static bool progress(void *context, const char *how, int done, int all)
{
    struct watched *w = context;

    if (w->json)
        report_event(w, "progress",
                     json_pack("{s:s, s:i, s:i}", "how", how, "done", done, "all", all));
    else if (progress_due())
        progress_show("%s: case %d of %d, %s", w->lab->source, done + 1, all,
                      ca_lab_how_words(how));
    return !lab_watch_is_over(w) && !ca_lab_changed(&w->change, false);
}

static enum ca_status lab_watch_check(struct watched *w, struct ca_error *error)
{
    enum ca_status status = ca_lab_builds_check(&w->builds, w->lab, w->report, progress, w, error);

    progress_clear();
    if (status == CA_OK && !w->json) {
        lab_print(w->lab, w->report);
        fflush(stdout);
    }
    if (status == CA_OK)
        report_event(w, "checked", json_pack("{s:o}", "report", lab_json(w->lab, w->report)));
    ca_lab_report_free(w->report);
    return status;
}

/* Compiles and checks what there is now. An interrupted round is no failure. */
static void look(struct watched *w)
{
    struct ca_error error = {.text = ""};
    enum ca_status status;

    report_event(w, "compiling", json_object());
    status = ca_lab_read(w->lab, w->folder, &error);
    if (status == CA_OK)
        status = ca_lab_builds_make(&w->builds, w->lab, &error);
    if (status == CA_COMPILE) {
        report_failure(w, "broken", &error, w->builds.now.said);
        return;
    }
    if (status == CA_OK)
        report_event(w, "built",
                     json_pack("{s:s, s:f}", "how", ca_lab_tool_names[ca_lab_tool_of(w->lab)],
                               "seconds", w->builds.seconds));
    if (status == CA_OK && ca_lab_tool_of(w->lab) == CA_LAB_NVCC)
        report_resources(w); /* the compiler has told them */
    if (status == CA_OK)
        status = lab_watch_check(w, &error);
    if (status == CA_OK && ca_lab_tool_of(w->lab) == CA_LAB_EMULATOR && !lab_watch_is_over(w) &&
        !ca_lab_changed(&w->change, false))
        report_resources(w); /* it takes a compilation and a run of their own */
    if (status != CA_OK && error.text[0])
        report_failure(w, "failed", &error, "");
}

/* --------------------------------------------------------------------------------------------- */

/* The link of the caller, or one in a folder of its own. What is made is made beside it. */
static enum ca_status lab_watch_prepare(struct watched *w, const char *link, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX + 16];

    if (link) {
        if (!strchr(link, '/') || strlen(link) >= PATH_MAX)
            return ca_fail(error, CA_USAGE, "--built: '%.80s' is not a path with a folder in it",
                           link);
        snprintf(w->link, sizeof w->link, "%s", link);
    } else {
        snprintf(w->own, sizeof w->own, "%.400s/calab-watch-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp");
        CA_TRY(ca_lab_temporary(w->own, error));
        snprintf(w->link, sizeof w->link, "%s/program", w->own);
    }
    w->builds.link = w->link;
    snprintf(folder, sizeof folder, "%s", w->link);
    setenv("TMPDIR", dirname(folder), 1);
    return CA_OK;
}

int lab_watch(const struct options *options, struct ca_error *error)
{
    static struct watched w;
    enum ca_status status;

    w.folder = options->operands > 1 ? options->operand[1] : ".";
    w.json = options_has(options, OPTION_JSON);
    catch_signals();
    progress_open(options);
    w.lab = calloc(1, sizeof *w.lab);
    w.report = calloc(1, sizeof *w.report);
    if (!w.lab || !w.report)
        status = ca_fail(error, CA_NO_MEMORY, "no memory");
    else
        status = ca_lab_read(w.lab, w.folder, error);
    if (status == CA_OK)
        status = lab_watch_prepare(&w, options_value(options, OPTION_BUILT), error);
    if (status == CA_OK) {
        bool due = true;

        if (w.json)
            printf("CALAB1 {\"version\":\"%s\"}\n", CALAB_VERSION);
        fflush(stdout);
        ca_lab_change_open(&w.change, w.lab->folder);
        while (!lab_watch_is_over(&w)) {
            if (due)
                look(&w);
            due = ca_lab_changed(&w.change, true);
            if (!due)
                ca_lab_change_wait(&w.change, w.json ? STDIN_FILENO : -1);
        }
        ca_lab_change_close(&w.change);
        ca_lab_builds_close(&w.builds);
    }
    if (w.own[0])
        ca_lab_remove_folder(w.own);
    free(w.report);
    free(w.lab);
    return stopped_by ? 128 + stopped_by : (int)status;
}
