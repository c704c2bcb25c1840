/* SPDX-License-Identifier: MIT */
/* This file finds the candidates for a word that is being typed. */
#include "tui/complete.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/model/field.h"
#include "core/sim/shipped.h"

void completion_begin(struct completion *completion, const char *typed)
{
    *completion = (struct completion){.typed = typed};
}

void completion_end(struct completion *completion)
{
    for (int i = 0; i < completion->count; i++)
        free(completion->word[i]);
    free(completion->word);
    *completion = (struct completion){.typed = ""};
}

void completion_after(struct completion *completion, const char *separators)
{
    for (size_t i = completion->from; completion->typed[i]; i++)
        if (strchr(separators, completion->typed[i]))
            completion->from = i + 1;
}

void completion_offer(struct completion *completion, const char *text)
{
    const char *part = completion->typed + completion->from;
    char **list, *word = NULL;
    bool offered = false;

    if (strncmp(text, part, strlen(part)) != 0 ||
        asprintf(&word, "%.*s%s", (int)completion->from, completion->typed, text) < 0)
        return;
    for (int i = 0; i < completion->count; i++)
        offered |= strcmp(completion->word[i], word) == 0;
    list =
        offered ? NULL : realloc(completion->word, (size_t)(completion->count + 1) * sizeof *list);
    if (!list) {
        free(word);
        return;
    }
    completion->word = list;
    list[completion->count++] = word;
}

static void complete_names(struct completion *completion, const char *const *names)
{
    for (; *names; names++)
        completion_offer(completion, *names);
}

void complete_models(struct completion *completion)
{
    for (int i = 0; ca_models[i]; i++)
        completion_offer(completion, ca_models[i]->name);
}

void complete_starts(struct completion *completion, const struct ca_model *model)
{
    struct ca_shipped *list;
    struct ca_error ignored;
    int count;

    for (const struct ca_start *s = model->start->named; s->name; s++)
        completion_offer(completion, s->name);
    ca_shipped_patterns(&list, &count, &ignored);
    for (int i = 0; i < count; i++)
        if (list[i].model == model)
            completion_offer(completion, list[i].name);
    ca_shipped_free(list, count);
}

void complete_shipped(struct completion *completion)
{
    struct ca_shipped *list;
    struct ca_error ignored;
    char name[NAME_MAX + 1];
    int count;

    ca_shipped_find(&list, &count, &ignored);
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(list[i].name) - (list[i].is_pattern ? 0 : (int)strlen(".cfg"));

        snprintf(name, sizeof name, "%.*s", length, list[i].name);
        if (ca_shipped_is_right(&list[i]))
            completion_offer(completion, name);
    }
    ca_shipped_free(list, count);
}

void complete_backends(struct completion *completion, const struct ca_model *model)
{
    for (const struct ca_backend *b = model->backends; b; b = ca_backend_next(model, b))
        completion_offer(completion, b->name);
}

void complete_value(struct completion *completion, const struct ca_param *param)
{
    char text[CA_TEXT_MAX], *rest = NULL;

    if (param->kind == CA_FILE && completion->files) {
        complete_files(completion);
        return;
    }
    if (param->choices) {
        complete_names(completion, param->choices);
        return;
    }
    /* The default, and what bench --tune tries, which stands in one text with blanks in between. */
    ca_param_default(text, param);
    if (text[0])
        completion_offer(completion, text);
    snprintf(text, sizeof text, "%s", param->tune ? param->tune : "");
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        completion_offer(completion, word);
}

void complete_settings(struct completion *completion, const struct ca_param *table)
{
    const size_t from = completion->from;
    char text[CA_TEXT_MAX];

    for (const struct ca_param *p = table; p && p->name; p++) {
        snprintf(text, sizeof text, "%s=", p->name);
        if (strncmp(completion->typed + from, text, strlen(text)) != 0) {
            completion_offer(completion, text);
            continue;
        }
        completion->from = from + strlen(text);
        complete_value(completion, p);
        completion->from = from;
    }
}

void complete_specs(struct completion *completion, const struct ca_model *model)
{
    struct completion item = *completion;
    const char *part;
    size_t name;

    completion_after(&item, ",");
    part = item.typed + item.from;
    name = strcspn(part, "/");
    if (memchr(part, ':', name))
        completion_after(&item, ":");
    part = item.typed + item.from;
    name = strcspn(part, "/");
    if (!part[name])
        complete_backends(&item, model);
    for (const struct ca_backend *b = model->backends; part[name] && b;
         b = ca_backend_next(model, b))
        if (strlen(b->name) == name && strncmp(b->name, part, name) == 0) {
            completion_after(&item, "/");
            complete_settings(&item, b->options);
            break;
        }
    completion->word = item.word;
    completion->count = item.count;
}

void complete_fields(struct completion *completion, const struct ca_model *model)
{
    char text[CA_TEXT_MAX];

    for (const struct ca_field *f = ca_fields(model); f->name; f++) {
        snprintf(text, sizeof text, "%s:", f->name);
        completion_offer(completion, text);
    }
}

static int complete_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), of = strlen(ending);

    return length >= of && strcmp(text + length - of, ending) == 0;
}

/* Files whose names end so, and folders: with an ending only once something is typed. */
static void files_offer(struct completion *completion, const char *ending)
{
    const char *typed = completion->typed + completion->from, *slash = strrchr(typed, '/');
    char folder[CA_TEXT_MAX], path[2 * CA_TEXT_MAX];
    const struct dirent *entry;
    struct stat facts;
    DIR *at;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - typed) : 0, typed);
    at = opendir(folder[0] ? folder : ".");
    while (at && (entry = readdir(at)) != NULL) {
        if (entry->d_name[0] == '.' && typed[strlen(folder)] != '.')
            continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
            strcat(path, "/");
        if (ends_with(path, "/") ? ending[0] == '\0' || typed[0] != '\0' : ends_with(path, ending))
            completion_offer(completion, path);
    }
    if (at)
        closedir(at);
    if (completion->count > 0)
        qsort(completion->word, (size_t)completion->count, sizeof *completion->word,
              complete_by_name);
}

void complete_files(struct completion *completion) { files_offer(completion, ""); }
void complete_model_files(struct completion *completion) { files_offer(completion, ".c"); }
