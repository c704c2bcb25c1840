/* SPDX-License-Identifier: MIT */
/* The observables of a run are saved as a table: lines of comment, a header with units, rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "tui/workbench/engine/observed_inside.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/panels/observables.h"
#include "tui/workbench/terminal/timeline.h"

bool observables_path(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".csv") == 0;
}

/* The experiment, as the command that repeats it. */
static void write_comment(const struct pane *pane, FILE *out)
{
    const struct timeline *t = &observed_of(pane)->timeline;
    char *command = ca_experiment_command(&pane->experiment, &pane->outputs, timeline_last(t));

    /* A name of a file may have a line's end. */
    for (char *at = command; at && *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    fprintf(out, "# %s\n", command ? command : pane->experiment.model->name);
    free(command);
    if (pane->modified)
        fprintf(out, "# a parameter was changed in mid-run\n");
    if (t->base > 0)
        fprintf(out, "# observed from generation %" PRIu64 " on\n", t->base);
    fprintf(out,
            "# a row: mean, least and greatest of what was observed in %" PRIu64 " generation%s\n",
            t->stride, t->stride == 1 ? "" : "s");
}

static void write_name(FILE *out, const struct ca_observable *o, const char *what)
{
    fprintf(out, ",%s%s%s%s%s", o->name, what, o->unit ? " (" : "", o->unit ? o->unit : "",
            o->unit ? ")" : "");
}

static void write_point(FILE *out, const struct ca_observable *table,
                        const struct timeline_point *point)
{
    fprintf(out, "%" PRIu64 ",%" PRIu64, point->first, point->last);
    for (int i = 0; table[i].name; i++) {
        const struct timeline_span *span = &point->value[i];

        if (span->count > 0)
            fprintf(out, ",%.15g,%.15g,%.15g", timeline_mean(*span), span->min, span->max);
        else
            fprintf(out, ",,,");
    }
    fputc('\n', out);
}

enum ca_status observables_write(const struct pane *pane, const char *path, struct ca_error *error)
{
    const struct ca_observable *table = ca_observables(pane->experiment.model);
    const struct timeline *t = &observed_of(pane)->timeline;
    struct ca_file_writer writer;

    if (t->points == 0)
        return ca_fail(error, CA_USAGE, "%.300s: no observables are known yet; step or run first",
                       path);
    CA_TRY(ca_file_begin(&writer, path, error));
    write_comment(pane, writer.stream);
    fprintf(writer.stream, "generation,last");
    for (int i = 0; table[i].name; i++) {
        write_name(writer.stream, &table[i], "");
        write_name(writer.stream, &table[i], " min");
        write_name(writer.stream, &table[i], " max");
    }
    fputc('\n', writer.stream);
    for (int i = 0; i < t->points; i++)
        if (t->point[i].known)
            write_point(writer.stream, table, &t->point[i]);
    return ca_file_commit(&writer, error);
}

void observables_span(const struct pane *pane, uint64_t *first, uint64_t *last)
{
    *first = observed_of(pane)->timeline.base;
    *last = timeline_last(&observed_of(pane)->timeline);
}
