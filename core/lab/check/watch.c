/* SPDX-License-Identifier: MIT */
/* Reads the messages of the emulator and the sanitizers. */
#include "core/lab/check/watch.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void add_finding(struct ca_lab_report *report, const char *line)
{
    for (int i = 0; i < report->findings; i++)
        if (strcmp(report->finding[i], line) == 0)
            return;
    if (report->findings == CA_LAB_FINDINGS_MAX)
        return;
    snprintf(report->finding[report->findings], sizeof *report->finding, "%s", line);
    ca_plain(report->finding[report->findings++]);
}

static const char *file_name_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path ? path : "";
}

/* Reads findings of a severity, of all kinds (NULL) or of one. */
static bool read_findings(FILE *file, const char *severity, const char *only, const char *folder,
                          struct ca_lab_report *report)
{
    json_t *one;
    bool any = false;

    while ((one = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
        const char *kind = NULL, *is = NULL, *path = NULL, *text = NULL;
        char line[sizeof *report->finding];
        int at = 0;

        if (json_unpack(one, "{s:s, s:s, s:s, s:i, s:s}", "kind", &kind, "severity", &is, "file",
                        &path, "line", &at, "text", &text) == 0 &&
            strcmp(is, severity) == 0 && (!only || strcmp(kind, only) == 0) &&
            /* The runner does not belong to the task: that it hands out what nobody wrote shows in
             * the cells. */
            strncmp(file_name_of(path), "lab_runner", 10) != 0) {
            snprintf(line, sizeof line, "%.100s:%d: %s: %.250s", file_name_of(path), at, kind,
                     text);
            lab_build_shorten(line, folder, false);
            add_finding(report, line);
            any = true;
        }
        json_decref(one);
    }
    return any;
}

bool lab_watch_emulator(const char *path, const char *folder, bool wrong,
                        struct ca_lab_report *report)
{
    static const char *const reasons[] = {"barrier", "unwritten"};
    FILE *file = fopen(path, "r");
    bool errors;

    if (!file)
        return false;
    errors = read_findings(file, "error", NULL, folder, report);
    /* Threads that end without a barrier, and a result that nobody wrote, are no errors by
     * themselves. */
    for (size_t i = 0; (errors || wrong) && i < sizeof reasons / sizeof *reasons; i++) {
        rewind(file);
        read_findings(file, "warning", reasons[i], folder, report);
    }
    fclose(file);
    return errors;
}

bool lab_watch_is_chance(const struct ca_lab_report *report)
{
    static const char *const kinds[] = {": race: ", ": unwritten: ", ": barrier: "};

    for (int i = 0; i < report->findings; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strstr(report->finding[i], kinds[k]))
                return true;
    return false;
}

/* "SUMMARY: AddressSanitizer: KIND PATH:LINE in FUNCTION" */
static bool read_summary(const char *said, struct ca_lab_report *report)
{
    static const char mark[] = "SUMMARY: AddressSanitizer: ";
    const char *at = strstr(said, mark);
    char kind[80] = "", place[300] = "", line[400];

    if (!at || sscanf(at + strlen(mark), "%79s %299s", kind, place) != 2)
        return false;
    snprintf(line, sizeof line, "%.200s: %s", file_name_of(place),
             strcmp(kind, "use-after-poison") == 0 ? "an address outside of all planes" : kind);
    add_finding(report, line);
    return true;
}

/* "PATH:LINE:COLUMN: runtime error: WHAT" */
static bool read_runtime_error(const char *said, struct ca_lab_report *report)
{
    static const char mark[] = ": runtime error: ";
    const char *at = strstr(said, mark), *start = at;
    char line[400];

    if (!at)
        return false;
    while (start > said && start[-1] != '\n' && start[-1] != '/')
        start--;
    snprintf(line, sizeof line, "%.*s: %.*s", (int)(at - start < 100 ? at - start : 100), start,
             (int)(strcspn(at + strlen(mark), "\n") < 250 ? strcspn(at + strlen(mark), "\n") : 250),
             at + strlen(mark));
    add_finding(report, line);
    return true;
}

bool lab_watch_sanitizer(const char *said, struct ca_lab_report *report)
{
    bool any = read_runtime_error(said, report);

    return read_summary(said, report) || any;
}
