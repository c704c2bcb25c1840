/* SPDX-License-Identifier: MIT */
/*
 * This file prints kernels of models in files: the model's own text and, behind it, that part of a
 * source of calab's which steps it, without what the model leaves out. The text is a model itself.
 */
#include "kernels/file/show.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/embedded.h"
#include "core/files/file.h"
#include "kernels/file/file_model.h"

#define NESTED_MAX 16

/* A source: a header of the program, between the line that begins with `from` and the last that
 * begins with `end`. */
struct source {
    const char *in;
    const char *from, *end;
    const char *when; /* the condition under which this source is the one that is compiled */
    bool checked, gpu;
};

#define ROWS                                                                                       \
    .in = "kernels/file/calab_model_rows.h", .from = "#define CALAB_MODEL_ROWS_H", .end = "#endif"
static const struct source checked_rows = {
    ROWS, .when = "#ifdef CA_CHECKED /* `threads` keeps the loops of calab_model.h */\n",
    .checked = true};
static const struct source rows = {
    ROWS, .when = "#ifndef CA_CHECKED /* `reference` keeps the loops of calab_model.h */\n"};
static const struct source gpu = {
    .in = "kernels/file/calab_model_gpu.h",
    .from = "#define CALAB_MODEL_GPU_H",
    .end = "#endif",
    .when = "#ifdef CA_GPU /* backends of the CPU keep the loops of calab_model.h */\n",
    .gpu = true};
#define GPU_FLAGS "nvcc or NVRTC, -std=c++17 -fmad=false -DCA_GPU"

static const struct shown {
    const char *backend;
    const struct source *source;
    const char *flags; /* which the compiler gets besides */
    const char *story;
} shown[] = {
    {"reference", &checked_rows, "-O1 -DCA_CHECKED",
     " * ca_step() steps rows one after the other. AT and VALUE, by CA_GET, and ca_put() check\n"
     " * what cell() reads and returns.\n"},
    {"threads", &rows, "-O3",
     " * ca_step() steps rows, of which each thread has some. In a row ca_span() has the loop\n"
     " * that the compiler makes vectors of: it loads all neighbours, whether they are needed\n"
     " * or not, so that no load depends on a condition. ca_end() steps the few cells near an\n"
     " * edge, which read beyond it, from copies.\n"},
    {"cuda-naive", &gpu, GPU_FLAGS,
     " * ca_gpu_naive() steps four cells of a row a thread, from global memory. Before each\n"
     " * generation ca_gpu_edges() fills the ghosts around the lattice, so that no cell is a\n"
     " * special one.\n"},
    {"cuda-shared", &gpu, GPU_FLAGS,
     " * ca_gpu_shared() loads the block's cells and those around them into shared memory, and\n"
     " * steps them from there. Before each generation ca_gpu_edges() fills the ghosts.\n"},
};

static const struct shown *shown_of(const struct ca_backend *backend)
{
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        if (strcmp(shown[i].backend, backend->name) == 0)
            return &shown[i];
    return NULL;
}

/* --- conditions of the preprocessor ----------------------------------------------------------- */

/* Whether a directive has a condition that the declaration decides, and how: 1 or 0; -1: it has
 * none. */
static int condition_of(const char *line, const struct shown *s,
                        const struct ca_model_description *d)
{
    const struct {
        const char *text;
        bool holds;
    } known[] = {
        {"#ifdef CA_CHECKED\n", s->source->checked},
        {"#ifdef CA_GPU\n", s->source->gpu},
        {"#if CA_PARTS == 1\n", d->parts == 1},
        {"#ifdef CA_STATE_PLANES\n", d->parts > d->planes},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(line, known[i].text, strlen(known[i].text)) == 0)
            return known[i].holds;
    return -1;
}

/* Copies lines without the sides of conditions that are not taken. */
static void put_taken(FILE *to, const char *from, const char *end, const struct shown *s,
                      const struct ca_model_description *d)
{
    struct {
        bool decided, taken;
    } level[NESTED_MAX] = {{false, true}};
    int depth = 0, left_out = 0;

    for (const char *line = from, *next; line < end; line = next) {
        int holds = condition_of(line, s, d);
        bool is_if = strncmp(line, "#if", 3) == 0, directive = false;

        next = strchr(line, '\n') + 1;
        if (is_if && depth + 1 < NESTED_MAX) {
            level[++depth].decided = holds >= 0;
            level[depth].taken = holds != 0;
            left_out += !level[depth].taken;
            directive = holds >= 0;
        } else if (strncmp(line, "#else", 5) == 0 && level[depth].decided) {
            left_out += level[depth].taken ? 1 : -1;
            level[depth].taken = !level[depth].taken;
            directive = true;
        } else if (strncmp(line, "#endif", 6) == 0 && depth > 0) {
            directive = level[depth].decided;
            left_out -= !level[depth--].taken;
        }
        if (!directive && left_out == 0)
            ca_file_put(to, "%.*s", (int)(next - line), line);
    }
}

/* --- the text --------------------------------------------------------------------------------- */

static void put_head(FILE *to, const struct file_model *file, const struct shown *s)
{
    const struct ca_model_description *d = file->object.fast;

    ca_file_put(
        to,
        "/* %s as `%s` steps it: the model's own text and, behind it, that part of\n"
        " * calab_model.h which cell() becomes a part of. It can be changed and opened:\n"
        " * `calab verify` holds it against the other backends, which stay as they are.\n"
        " *\n%s *\n"
        " * Here CA_RADIUS is %d, CA_PLANES %d, CA_LINES (rows that a row reads) %d, CA_DRAWS "
        "%d.\n * The compiler: %s%s %s\n"
        " */\n%s#define CA_OWN_STEP\n#endif\n",
        file->object.name, s->backend, s->story, d->radius, d->planes,
        (d->dimensions == 3 ? 2 * d->reach + 1 : 1) * (2 * d->reach + 1), d->draws,
        s->source->gpu ? "" : "cc ", s->flags, s->source->gpu ? "" : FILE_OBJECT_FLAGS,
        s->source->when);
}

/* The last line that begins with a text. */
static const char *last_line(const char *text, const char *begins)
{
    const char *last = NULL;
    size_t length = strlen(begins);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        last = strncmp(line, begins, length) == 0 ? line : last;
    }
    return last;
}

static enum ca_status put_all(FILE *to, const struct file_model *file, const struct shown *s,
                              struct ca_error *error)
{
    const char *text = ca_embedded_text(s->source->in), *from = strstr(text, s->source->from);
    const char *end = last_line(text, s->source->end), *source = file->object.source;

    if (!from || !end || end < from)
        return ca_fail(error, CA_IO, "%s has no part from '%s' on", s->source->in, s->source->from);
    put_head(to, file, s);
    ca_file_put(to, "%s%s\n#ifdef CA_OWN_STEP\n", source,
                source[0] && source[strlen(source) - 1] != '\n' ? "\n" : "");
    put_taken(to, strchr(from, '\n') + 1, end, s, file->object.fast);
    ca_file_put(to, "#endif\n");
    return CA_OK;
}

enum ca_status file_show(const struct ca_model *model, const struct ca_backend *backend,
                         char **text, struct ca_error *error)
{
    const struct shown *s = shown_of(backend);
    enum ca_status status;
    size_t size;
    FILE *to;

    if (!s)
        return ca_fail(error, CA_USAGE,
                       "%s has no source of its own: those of reference, threads, cuda-naive and "
                       "cuda-shared can be shown",
                       backend->name);
    to = open_memstream(text, &size);
    if (!to)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the source of %s", backend->name);
    status = put_all(to, file_model_of(model), s, error);
    if (fclose(to) == 0 && status == CA_OK)
        return CA_OK;
    free(*text);
    return status == CA_OK ? ca_fail(error, CA_NO_MEMORY, "no memory for a source") : status;
}
