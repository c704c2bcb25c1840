/* SPDX-License-Identifier: MIT */
/* This file reads libconfig files: it checks the text, parses it, and reads values. */
#include "core/files/config.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"

#define INCLUDES_DEEP_MAX 10 /* libconfig's own limit */
#define INCLUDES_MAX 100     /* in total: a few lines of nested includes could ask for billions */

static const char digits[] = "0123456789";

struct scan {
    const char *path, *folder;
    const char *at;
    int line, depth;
    int *included; /* files so far */
    struct ca_error *error;
};

/* Reads a file and checks its text, which is the caller's on success. The rest is as of the scan of
 * the file that includes it. */
static enum ca_status scan_file(const struct scan *of, const char *path, char **text);

/* Whole numbers must fit libconfig's type: 32 bits, or 64 with an L after them. */
static enum ca_status scan_number(struct scan *scan)
{
    const char *start = scan->at;
    bool sign = *start == '-' || *start == '+', hex;
    size_t length, wide;
    int64_t value;

    scan->at += sign;
    hex = scan->at[0] == '0' && (scan->at[1] == 'x' || scan->at[1] == 'X');
    length = strspn(scan->at + 2 * hex, hex ? "0123456789abcdefABCDEF" : digits);
    scan->at += 2 * hex + length;
    wide = strspn(scan->at, "L");
    errno = 0;
    value = strtoll(start, NULL, hex ? 16 : 10);
    if (!hex && scan->at[0] != '\0' && strchr(".eE", scan->at[0])) {
        scan->at += strspn(scan->at, "0123456789.");
        if (*scan->at == 'e' || *scan->at == 'E')
            scan->at += 1 + (scan->at[1] == '-' || scan->at[1] == '+');
        scan->at += strspn(scan->at, digits);
        return CA_OK;
    }
    if (errno == ERANGE)
        return ca_fail(scan->error, CA_SETTINGS,
                       "%s:%d: %.*s is beyond 64 bits; allowed: %" PRId64 " ... %" PRId64
                       ", for a seed above that a string, \"0x...\"",
                       scan->path, scan->line, (int)(scan->at - start > 80 ? 80 : scan->at - start),
                       start, INT64_MIN, INT64_MAX);
    if (!wide && (value < INT32_MIN || value > INT32_MAX))
        return ca_fail(scan->error, CA_SETTINGS,
                       "%s:%d: %.*s needs more than 32 bits; write an L after it: %.*sL",
                       scan->path, scan->line, (int)(scan->at - start), start,
                       (int)(scan->at - start), start);
    scan->at += wide;
    return CA_OK;
}

/* @include "name": the name must be that of a file, whose text is checked, too. */
static enum ca_status scan_include(struct scan *scan)
{
    char name[PATH_MAX], path[2 * PATH_MAX], *text;
    struct scan included = *scan;
    struct ca_error error;
    size_t length;

    scan->at += strlen("@include");
    scan->at += strspn(scan->at, " \t");
    if (*scan->at != '"')
        return CA_OK; /* libconfig reports the mistake */
    length = strcspn(++scan->at, "\"\n\\");
    if (scan->at[length] != '"' || length >= sizeof name)
        return ca_fail(scan->error, CA_SETTINGS,
                       "%s:%d: the name of a file, in quotes and without backslashes, is expected "
                       "after @include",
                       scan->path, scan->line);
    memcpy(name, scan->at, length);
    name[length] = '\0';
    scan->at += length + 1;
    snprintf(path, sizeof path, "%s/%s", scan->folder, name);
    if (scan->depth == INCLUDES_DEEP_MAX)
        return ca_fail(scan->error, CA_SETTINGS,
                       "%s:%d: @include \"%s\": files nested deeper than %d", scan->path,
                       scan->line, name, INCLUDES_DEEP_MAX);
    if (++*scan->included > INCLUDES_MAX)
        return ca_fail(scan->error, CA_SETTINGS,
                       "%s:%d: @include \"%s\": more than %d files included", scan->path,
                       scan->line, name, INCLUDES_MAX);
    included.depth++;
    included.error = &error;
    switch (scan_file(&included, path, &text)) {
    case CA_OK:
        free(text);
        return CA_OK;
    case CA_IO:
        return ca_fail(scan->error, CA_SETTINGS, "%s:%d: @include: %s", scan->path, scan->line,
                       error.text);
    default:
        *scan->error = error;
        return error.status;
    }
}

/* Skips a string or comment. False if it does not end. */
static bool skip_to(struct scan *scan, const char *end, bool escapes)
{
    size_t length = strlen(end);

    for (; *scan->at && strncmp(scan->at, end, length) != 0; scan->at++) {
        if (escapes && *scan->at == '\\' && scan->at[1])
            scan->at++;
        scan->line += *scan->at == '\n';
    }
    if (!*scan->at)
        return false;
    scan->at += length;
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '*' || c == '_';
}

/* libconfig allocates so much for a file, per byte and in all, without a check whether it can. */
#define TREE_FACTOR 64
#define TREE_BYTES (1 << 20)

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static enum ca_status scan_text(struct scan *scan)
{
    while (*scan->at) {
        const char *at = scan->at;

        if (*at == '"') {
            scan->at++;
            skip_to(scan, "\"", true);
        } else if (*at == '#' || strncmp(at, "//", 2) == 0) {
            scan->at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            int line = scan->line;

            scan->at += 2;
            if (!skip_to(scan, "*/", false))
                return ca_fail(scan->error, CA_SETTINGS,
                               "%s:%d: a comment without an end, which is */", scan->path, line);
        } else if (strncmp(at, "@include", 8) == 0) {
            CA_TRY(scan_include(scan));
        } else if (is_letter(*at)) {
            while (is_letter(*scan->at) || is_digit(*scan->at) || *scan->at == '-')
                scan->at++;
        } else if (is_digit(*at) || ((*at == '-' || *at == '+') && is_digit(at[1]))) {
            CA_TRY(scan_number(scan));
        } else {
            scan->line += *at == '\n';
            scan->at++;
        }
    }
    return CA_OK;
}

static enum ca_status scan_file(const struct scan *of, const char *path, char **text)
{
    struct ca_error *error = of->error;
    struct scan scan = *of;
    enum ca_status status;
    int64_t length = 0;
    FILE *stream;
    size_t size;

    CA_TRY(ca_file_open(path, &length, &stream, error));
    fclose(stream);
    if (length > CA_CONFIG_BYTES_MAX)
        return ca_fail(error, CA_SETTINGS, "%s: %" PRId64 " bytes, at most %d are allowed", path,
                       length, CA_CONFIG_BYTES_MAX);
    CA_TRY(ca_file_read_text(path, CA_CONFIG_BYTES_MAX, text, &size, error));
    scan.path = path;
    scan.line = 1;
    scan.at = *text;
    /* libconfig reads included files itself, and takes none there. */
    status = scan.depth > 0 && size < (size_t)length
                 ? ca_fail(error, CA_SETTINGS,
                           "%s:1: a byte order mark, which an included file may not have; save it "
                           "without",
                           path)
                 : scan_text(&scan);
    if (status == CA_OK && scan.at != *text + size)
        status = ca_fail(error, CA_SETTINGS, "%s:%d: a zero byte", path, scan.line);
    if (status != CA_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

enum ca_status ca_config_read(config_t *config, const char *path, char **text,
                              struct ca_error *error)
{
    char copy[PATH_MAX], *folder, *bytes = NULL;
    int included = 0;
    struct scan scan = {.included = &included, .error = error};
    enum ca_status status;

    if (text)
        *text = NULL;
    config_init(config);
    if (strlen(path) >= sizeof copy)
        return ca_fail(error, CA_IO, "cannot read %.80s...: %s", path, strerror(ENAMETOOLONG));
    strcpy(copy, path);
    folder = dirname(copy);
    scan.folder = folder;
    CA_TRY(scan_file(&scan, path, &bytes));
    if (!ca_has_memory(TREE_BYTES + TREE_FACTOR * strlen(bytes))) {
        free(bytes);
        return ca_fail(error, CA_NO_MEMORY, "%.300s: no memory for its settings", path);
    }
    config_set_include_dir(config, folder);
    if (!config_read_string(config, bytes)) {
        const char *file = config_error_file(config);

        status = ca_fail(error, CA_SETTINGS, "%s:%d: %s", file ? file : path,
                         config_error_line(config), config_error_text(config));
        free(bytes);
        config_destroy(config);
        config_init(config);
        return status;
    }
    if (text)
        *text = bytes;
    else
        free(bytes);
    return CA_OK;
}

char *ca_config_where(char text[CA_TEXT_MAX], const config_setting_t *setting, const char *path)
{
    const char *file = config_setting_source_file(setting);

    snprintf(text, CA_TEXT_MAX, "%.400s:%u", file ? file : path,
             (unsigned)config_setting_source_line(setting));
    return text;
}

enum ca_status ca_config_fail(const config_setting_t *setting, const char *path,
                              struct ca_error *error, const char *format, ...)
{
    const char *name = config_setting_name(setting);
    char where[CA_TEXT_MAX], what[CA_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ca_fail(error, CA_SETTINGS, "%.300s: %s%s%s", ca_config_where(where, setting, path),
                   name ? name : "", name ? ": " : "", what);
}

enum ca_status ca_config_refused(enum ca_status status, struct ca_error *error)
{
    if (status == CA_USAGE)
        status = error->status = CA_SETTINGS;
    return status;
}

bool ca_config_is_whole(const config_setting_t *setting)
{
    return config_setting_type(setting) == CONFIG_TYPE_INT ||
           config_setting_type(setting) == CONFIG_TYPE_INT64;
}

static const char *type_name(const config_setting_t *setting)
{
    static const char *const names[] = {
        [CONFIG_TYPE_STRING] = "a string",
        [CONFIG_TYPE_BOOL] = "true or false",
        [CONFIG_TYPE_FLOAT] = "a number with a point or an exponent",
        [CONFIG_TYPE_GROUP] = "a group",
        [CONFIG_TYPE_ARRAY] = "a list",
        [CONFIG_TYPE_LIST] = "a list",
        [CONFIG_TYPE_INT] = "a number",
        [CONFIG_TYPE_INT64] = "a number",
    };

    return names[config_setting_type(setting)];
}

enum ca_status ca_config_value(struct ca_values *values, int index, const config_setting_t *setting,
                               enum ca_origin origin, const char *path, struct ca_error *error)
{
    const struct ca_param *param = &values->table[index];
    bool number = param->kind == CA_INT || param->kind == CA_REAL || param->kind == CA_PROBABILITY;
    bool real = config_setting_type(setting) == CONFIG_TYPE_FLOAT;
    bool string = config_setting_type(setting) == CONFIG_TYPE_STRING;
    char where[CA_TEXT_MAX], range[CA_TEXT_MAX];

    if (number ? !real && !ca_config_is_whole(setting) : !string)
        return ca_config_fail(setting, path, error, "%s where %s is expected, allowed: %s",
                              type_name(setting), number ? "a number" : "a string",
                              ca_param_range(range, param));
    ca_config_where(where, setting, path);
    if (string)
        return ca_config_refused(
            ca_values_set(values, index, config_setting_get_string(setting), origin, where, error),
            error);
    return ca_config_refused(ca_values_set_number(values, index,
                                                  real ? config_setting_get_float(setting)
                                                       : (double)config_setting_get_int64(setting),
                                                  origin, where, error),
                             error);
}

enum ca_status ca_config_text(char text[CA_TEXT_MAX], const config_setting_t *setting,
                              const char *path, struct ca_error *error)
{
    const char *string;

    if (ca_config_is_whole(setting)) {
        snprintf(text, CA_TEXT_MAX, "%lld", config_setting_get_int64(setting));
        return CA_OK;
    }
    if (config_setting_type(setting) != CONFIG_TYPE_STRING)
        return ca_config_fail(setting, path, error,
                              "%s where a string or a whole number is expected",
                              type_name(setting));
    string = config_setting_get_string(setting);
    if (strlen(string) >= CA_TEXT_MAX)
        return ca_config_fail(setting, path, error, "a string of %zu bytes, at most %d are allowed",
                              strlen(string), CA_TEXT_MAX - 1);
    strcpy(text, string);
    return CA_OK;
}

enum ca_status ca_config_group(const config_setting_t *setting, const char *path,
                               struct ca_error *error)
{
    if (config_setting_is_group(setting))
        return CA_OK;
    return ca_config_fail(setting, path, error, "%s where a group { ... } is expected",
                          type_name(setting));
}

enum ca_status ca_config_keys(const config_setting_t *group, const char *path,
                              const char *const keys[], int count, const char *of,
                              struct ca_error *error)
{
    char hint[CA_TEXT_MAX];

    CA_TRY(ca_config_group(group, path, error));
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        int key = 0;

        while (key < count && strcmp(keys[key], name) != 0)
            key++;
        if (key == count)
            return ca_config_fail(setting, path, error, "is not a key of %s%s", of,
                                  ca_suggest(hint, name, count, ca_name_at, keys));
    }
    return CA_OK;
}
