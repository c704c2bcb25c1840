/* SPDX-License-Identifier: MIT */
/* calab model: files that describe a model of the user's own are made, checked and shown here. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/files/embedded.h"
#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/import/import.h"
#include "core/model/registry.h"
#include "tui/commands/commands.h"

#define EXAMPLES CA_EMBEDDED "/models"
#define EXAMPLE_NAME_MAX 64
#define EXAMPLE_SIMPLEST "excitable"
#define PATH_SIZE 512           /* of a model's file */
#define SHOWN_BACKEND "threads" /* where none is asked for */

const char *model_example(const void *none, int i)
{
    static struct ca_listing examples; /* read once, since ca_suggest keeps what it is given */
    struct ca_error ignored;

    (void)none;
    if (examples.count == 0 && ca_listing_read(&examples, EXAMPLES, &ignored) == CA_OK)
        for (int k = 0; k < examples.count; k++)
            examples.name[k][strcspn(examples.name[k], ".")] = '\0';
    return i < examples.count ? examples.name[i] : NULL;
}

static enum ca_status example_find(const char **text, const char *name, struct ca_error *error)
{
    char path[EXAMPLE_NAME_MAX + sizeof EXAMPLES + 3], hint[CA_TEXT_MAX];
    int count = 0;

    snprintf(path, sizeof path, EXAMPLES "/%.*s.c", EXAMPLE_NAME_MAX, name);
    if (ca_embedded_find(path)) {
        *text = ca_embedded_find(path)->bytes;
        return CA_OK;
    }
    while (model_example(NULL, count))
        count++;
    return ca_fail(error, CA_USAGE, "--from: there is no example '%.80s'%s", name,
                   ca_suggest(hint, name, count, model_example, NULL));
}

/* The path of a model's file, which ends in .c, from what is typed, and its name, which is an
 * identifier of C and not that of a model that is there already. */
static enum ca_status name_read(char path[PATH_SIZE], char name[EXAMPLE_NAME_MAX],
                                const char *typed, struct ca_error *error)
{
    const char *base = strrchr(typed, '/') ? strrchr(typed, '/') + 1 : typed;
    const struct ca_model *model;
    struct ca_error ignored;
    size_t length = strlen(base);

    if (length > 2 && strcmp(base + length - 2, ".c") == 0)
        length -= 2;
    for (size_t i = 0; i < length; i++)
        if (!(base[i] >= 'a' && base[i] <= 'z') && base[i] != '_' &&
            (i == 0 || !isdigit((unsigned char)base[i])))
            return ca_fail(
                error, CA_USAGE,
                "'%.80s' cannot name a model: allowed are letters a-z, digits and _, and "
                "no digit first",
                base);
    if (length == 0 || length >= EXAMPLE_NAME_MAX || strlen(typed) + 3 > PATH_SIZE)
        return ca_fail(error, CA_USAGE,
                       "'%.80s' cannot name a model: allowed are 1 to %d characters", base,
                       EXAMPLE_NAME_MAX - 1);
    snprintf(name, EXAMPLE_NAME_MAX, "%.*s", (int)length, base);
    snprintf(path, PATH_SIZE, "%.*s%s.c", (int)(base - typed), typed, name);
    if (ca_model_find(&model, name, &ignored) == CA_OK)
        return ca_fail(error, CA_USAGE, "'%s' is the name of a built-in model: choose another one",
                       name);
    return CA_OK;
}

/* Prints what can be done with the file that has been written. */
static enum ca_status model_made(const char *path, const char *from)
{
    printf("%s: %s; `calab %s` opens it, and calab-model(7) says what it may hold\n", path, from,
           path);
    return CA_OK;
}

/* Refuses more operands than a verb takes. */
static enum ca_status operands_check(const struct options *options, int most, const char *missing,
                                     struct ca_error *error)
{
    if (options->operands < 2)
        return ca_fail(error, CA_USAGE, "an argument is missing: calab model %s", missing);
    if (options->operands > most)
        return ca_fail(error, CA_USAGE, "unexpected argument '%.80s'; see --help",
                       options->operand[most]);
    return CA_OK;
}

static enum ca_status model_new(const struct options *options, struct ca_error *error)
{
    const char *from = options_value(options, OPTION_FROM), *text, *place;
    char path[PATH_SIZE], name[EXAMPLE_NAME_MAX], what[CA_TEXT_MAX];
    struct ca_file_writer file;

    CA_TRY(operands_check(options, 2, "new NAME", error));
    CA_TRY(name_read(path, name, options->operand[1], error));
    from = from ? from : EXAMPLE_SIMPLEST;
    CA_TRY(example_find(&text, from, error));
    if (ca_file_exists(path))
        return ca_fail(error, CA_USAGE, "%s is there already: remove it, or choose another name",
                       path);
    CA_TRY(ca_file_begin(&file, path, error));
    place = strstr(text, "CA_MODEL(") + strlen("CA_MODEL(");
    ca_file_put(file.stream, "%.*s%s%s", (int)(place - text), text, name,
                place + strcspn(place, ","));
    CA_TRY(ca_file_end(&file, CA_OK, error));
    snprintf(what, sizeof what, "a copy of the example %s", from);
    return model_made(path, what);
}

static enum ca_status model_import(const struct options *options, struct ca_error *error)
{
    const char *to = options->operands > 2 ? options->operand[2] : NULL;
    char path[PATH_SIZE], name[EXAMPLE_NAME_MAX], written[PATH_SIZE], what[CA_TEXT_MAX];

    CA_TRY(operands_check(options, 3, "import RULE [NAME]", error));
    if (to)
        CA_TRY(name_read(path, name, to, error));
    CA_TRY(ca_import(options->operand[1], to ? path : NULL, written, sizeof written, error));
    snprintf(what, sizeof what, "the model of %.200s", options->operand[1]);
    return model_made(written, what);
}

static enum ca_status model_check_file(const struct options *options, struct ca_error *error)
{
    CA_TRY(operands_check(options, 2, "check FILE", error));
    return model_check(options, error);
}

static enum ca_status model_show(const struct options *options, struct ca_error *error)
{
    const char *name = options_value(options, OPTION_BACKEND);
    const struct ca_backend *backend;
    const struct ca_model *model;
    char *text;

    CA_TRY(operands_check(options, 2, "show FILE", error));
    CA_TRY(ca_model_open(&model, options->operand[1], error));
    if (!model->source)
        return ca_fail(error, CA_USAGE,
                       "'%s' is a built-in model: its kernels are files in calab's sources, "
                       "kernels/%s/",
                       model->name, model->name);
    CA_TRY(ca_backend_find(&backend, model, name ? name : SHOWN_BACKEND, error));
    CA_TRY(model->source->show(model, backend, &text, error));
    fputs(text, stdout);
    free(text);
    return CA_OK;
}

/* As it is, byte for byte. */
static enum ca_status model_source(const struct options *options, struct ca_error *error)
{
    size_t size = 0;
    char *text;

    CA_TRY(operands_check(options, 2, "source STATE.h5", error));
    CA_TRY(ca_h5_source(options->operand[1], &text, &size, error));
    fwrite(text, 1, size, stdout);
    free(text);
    return CA_OK;
}

static const struct verb {
    const char *name;
    enum ca_status (*run)(const struct options *options, struct ca_error *error);
} verbs[] = {{"new", model_new},
             {"import", model_import},
             {"check", model_check_file},
             {"show", model_show},
             {"source", model_source}};

/* Options that go with one of them alone. */
static const struct {
    enum option_id option;
    const char *verb;
} options_of_verbs[] = {{OPTION_FROM, "new"},    {OPTION_SEED, "check"}, {OPTION_LIMIT, "check"},
                        {OPTION_QUIET, "check"}, {OPTION_JSON, "check"}, {OPTION_BACKEND, "show"}};

#define VERBS ((int)(sizeof verbs / sizeof verbs[0]))

const char *model_verb(const void *none, int i)
{
    (void)none;
    return i < VERBS ? verbs[i].name : NULL;
}

/* Refuses an option of another verb. */
static enum ca_status verb_check(const char *verb, const struct options *options,
                                 struct ca_error *error)
{
    for (size_t i = 0; i < sizeof options_of_verbs / sizeof options_of_verbs[0]; i++)
        if (options_has(options, options_of_verbs[i].option) &&
            strcmp(options_of_verbs[i].verb, verb) != 0)
            return ca_fail(error, CA_USAGE, "--%s goes with calab model %s",
                           option_rows[options_of_verbs[i].option].name, options_of_verbs[i].verb);
    return CA_OK;
}

int command_model(const struct options *options, struct ca_error *error)
{
    const char *word = options->operands > 0 ? options->operand[0] : "";
    char hint[CA_TEXT_MAX];

    for (int i = 0; i < VERBS; i++)
        if (strcmp(word, verbs[i].name) == 0) {
            CA_TRY(verb_check(word, options, error));
            return (int)verbs[i].run(options, error);
        }
    return ca_fail(error, CA_USAGE,
                   *word ? "'%.80s' is unknown%s" : "%.80san argument is missing%s", word,
                   ca_suggest(hint, word, VERBS, model_verb, NULL));
}
