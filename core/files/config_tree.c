/* SPDX-License-Identifier: MIT */
/* This file changes a libconfig tree and writes it as text. */
#include "core/files/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The member of that name and type, created if it is missing. */
static config_setting_t *member(config_setting_t *group, const char *name, int type)
{
    config_setting_t *setting = config_setting_get_member(group, name);

    if (setting && config_setting_type(setting) == type)
        return setting;
    if (setting)
        config_setting_remove(group, name);
    return config_setting_add(group, name, type);
}

config_setting_t *ca_config_subgroup(config_setting_t *group, const char *name)
{
    return group ? member(group, name, CONFIG_TYPE_GROUP) : NULL;
}

bool ca_config_set_string(config_setting_t *group, const char *name, const char *text)
{
    config_setting_t *setting;
    const char *old;

    if (!group)
        return false;
    setting = member(group, name, CONFIG_TYPE_STRING);
    old = setting ? config_setting_get_string(setting) : NULL;
    if (!setting || (old && strcmp(old, text) == 0))
        return false;
    return config_setting_set_string(setting, text);
}

bool ca_config_set_whole(config_setting_t *group, const char *name, int64_t number)
{
    config_setting_t *old = group ? config_setting_get_member(group, name) : NULL;
    bool wide = number < INT32_MIN || number > INT32_MAX;
    config_setting_t *setting;

    if (!group || (old && ca_config_is_whole(old) && config_setting_get_int64(old) == number))
        return false;
    setting = member(group, name, wide ? CONFIG_TYPE_INT64 : CONFIG_TYPE_INT);
    if (!setting)
        return false;
    return wide ? config_setting_set_int64(setting, number)
                : config_setting_set_int(setting, (int)number);
}

bool ca_config_set_unsigned(config_setting_t *group, const char *name, uint64_t number)
{
    char text[32];

    if (number <= INT64_MAX)
        return ca_config_set_whole(group, name, (int64_t)number);
    snprintf(text, sizeof text, "0x%" PRIx64, number);
    return ca_config_set_string(group, name, text);
}

bool ca_config_set_value(config_setting_t *group, const struct ca_param *param,
                         const struct ca_value *value)
{
    config_setting_t *old, *setting;

    if (!group)
        return false;
    if (param->kind == CA_INT)
        return ca_config_set_whole(group, param->name, (int64_t)value->number);
    if (param->kind != CA_REAL && param->kind != CA_PROBABILITY)
        return ca_config_set_string(group, param->name, value->text);
    old = config_setting_get_member(group, param->name);
    if (old && ca_config_is_whole(old) && (double)config_setting_get_int64(old) == value->number)
        return false;
    if (old && config_setting_type(old) == CONFIG_TYPE_FLOAT &&
        config_setting_get_float(old) == value->number)
        return false;
    setting = member(group, param->name, CONFIG_TYPE_FLOAT);
    return setting && config_setting_set_float(setting, value->number);
}

static void write_string(const char *text, FILE *stream)
{
    putc('"', stream);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || c == 0x7f)
            ca_file_put(stream, "\\x%02x", c);
        else
            ca_file_put(stream, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    putc('"', stream);
}

static void write_members(const config_setting_t *group, int depth, FILE *stream);

static void write_value(const config_setting_t *setting, int depth, FILE *stream)
{
    char text[CA_NUMBER_MAX];
    double number;

    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        ca_file_put(stream, "%lld%s", config_setting_get_int64(setting),
                    config_setting_type(setting) == CONFIG_TYPE_INT ? "" : "L");
        break;
    case CONFIG_TYPE_FLOAT:
        number = config_setting_get_float(setting);
        ca_number_format(text, number);
        /* A number that was read as too large is written as such; without a point or exponent it
         * would read as an integer. */
        if (!isfinite(number))
            fputs(number < 0 ? "-1e999" : "1e999", stream);
        else
            ca_file_put(stream, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
        break;
    case CONFIG_TYPE_BOOL:
        fputs(config_setting_get_bool(setting) ? "true" : "false", stream);
        break;
    case CONFIG_TYPE_STRING:
        write_string(config_setting_get_string(setting), stream);
        break;
    case CONFIG_TYPE_GROUP:
        fputs("{\n", stream);
        write_members(setting, depth + 1, stream);
        ca_file_put(stream, "%*s}", 4 * depth, "");
        break;
    default: /* array or list */
        putc(config_setting_is_array(setting) ? '[' : '(', stream);
        for (int i = 0; i < config_setting_length(setting); i++) {
            fputs(i ? ", " : "", stream);
            write_value(config_setting_get_elem(setting, (unsigned)i), depth, stream);
        }
        putc(config_setting_is_array(setting) ? ']' : ')', stream);
    }
}

static void write_members(const config_setting_t *group, int depth, FILE *stream)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);

        ca_file_put(stream, "%*s%s %c ", 4 * depth, "", config_setting_name(setting),
                    config_setting_is_group(setting) ? ':' : '=');
        write_value(setting, depth, stream);
        fputs(";\n", stream);
    }
}

char *ca_config_format(const config_t *config, const char *heading)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return NULL;
    fputs(heading, stream);
    write_members(config_root_setting(config), 0, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

enum ca_status ca_config_write(const char *text, const char *path, struct ca_error *error)
{
    struct ca_file_writer writer;

    CA_TRY(ca_file_begin(&writer, path, error));
    fputs(text, writer.stream);
    return ca_file_commit(&writer, error);
}

/* `name` is NULL in a list. */
static void config_tree_copy(const config_setting_t *from, config_setting_t *parent,
                             const char *name)
{
    config_setting_t *to = config_setting_add(parent, name, config_setting_type(from));

    if (!to)
        return;
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT:
        config_setting_set_int(to, config_setting_get_int(from));
        break;
    case CONFIG_TYPE_INT64:
        config_setting_set_int64(to, config_setting_get_int64(from));
        break;
    case CONFIG_TYPE_FLOAT:
        config_setting_set_float(to, config_setting_get_float(from));
        break;
    case CONFIG_TYPE_BOOL:
        config_setting_set_bool(to, config_setting_get_bool(from));
        break;
    case CONFIG_TYPE_STRING:
        config_setting_set_string(to, config_setting_get_string(from));
        break;
    default:
        for (int i = 0; i < config_setting_length(from); i++) {
            const config_setting_t *element = config_setting_get_elem(from, (unsigned)i);

            config_tree_copy(element, to, config_setting_name(element));
        }
    }
}

bool ca_config_equal(const config_setting_t *a, const config_setting_t *b)
{
    const config_setting_t *settings[] = {a, b};
    char *texts[2] = {NULL, NULL};
    size_t size;
    bool same;

    for (int i = 0; i < 2 && a && b; i++) {
        FILE *stream = open_memstream(&texts[i], &size);

        if (stream) {
            write_value(settings[i], 0, stream);
            fclose(stream);
        }
    }
    same = a && b ? texts[0] && texts[1] && strcmp(texts[0], texts[1]) == 0 : a == b;
    free(texts[0]);
    free(texts[1]);
    return same;
}

void ca_config_merge(const config_setting_t *base, const config_setting_t *ours,
                     config_setting_t *target)
{
    for (int i = 0; i < config_setting_length(ours); i++) {
        const config_setting_t *our = config_setting_get_elem(ours, (unsigned)i);
        const char *name = config_setting_name(our);
        const config_setting_t *old = base ? config_setting_get_member(base, name) : NULL;

        if (old && ca_config_equal(old, our))
            continue;
        if (config_setting_is_group(our)) {
            config_setting_t *group = ca_config_subgroup(target, name);

            if (group)
                ca_config_merge(old && config_setting_is_group(old) ? old : NULL, our, group);
            continue;
        }
        config_setting_remove(target, name);
        config_tree_copy(our, target, name);
    }
    for (int i = 0; base && i < config_setting_length(base); i++) {
        const char *name = config_setting_name(config_setting_get_elem(base, (unsigned)i));

        if (!config_setting_get_member(ours, name))
            config_setting_remove(target, name);
    }
}
