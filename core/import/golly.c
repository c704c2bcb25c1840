/* SPDX-License-Identifier: MIT */
/* Golly's .rule files part by part. As in Golly the first @TABLE or @TREE counts; @ICONS and parts
 * that are not known are skipped. */
#include "core/import/golly.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/files/file.h"

#define BYTES_MAX (INT64_C(1) << 26)

void golly_error_set(const struct golly_file *file, const char *format, ...)
{
    char text[384];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ca_error_set(file->error, CA_IO, "%.300s:%d: %s", file->path, file->line, ca_plain(text));
}

bool golly_take_line(struct golly_file *file)
{
    while (*file->at && *file->at != '@') {
        char *line = file->at, *end = line + strcspn(line, "\r\n");

        file->at = end + (end[0] == '\r' && end[1] == '\n') + (*end != '\0');
        file->line++;
        *end = '\0';
        line[strcspn(line, "#")] = '\0';
        line += strspn(line, " \t");
        for (end = line + strlen(line); end > line && strchr(" \t", end[-1]); end--)
            end[-1] = '\0';
        file->taken = line;
        if (*line)
            return true;
    }
    return false;
}

char *golly_take_word(char **line, const char *ends)
{
    char *word = *line, *end;

    while (*word && (strchr(" \t", *word) || strchr(ends, *word)))
        word++;
    end = word + strcspn(word, " \t");
    if (strcspn(word, ends) < (size_t)(end - word))
        end = word + strcspn(word, ends);
    if (end == word)
        return NULL;
    *line = end + (*end != '\0');
    *end = '\0';
    return word;
}

/* --- @TREE -------------------------------------------------------------------------------------
 */

static const struct import_place tree_moore[] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {0, -1},
                                                 {-1, 0},  {1, 0},  {0, 1},  {0, 0}};
static const struct import_place tree_von_neumann[] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}, {0, 0}};

struct tree_nodes {
    struct tree_node {
        int level;
        uint32_t node;
    } * node;
    uint64_t count, room;
};

/* "num_states=4": whether the line is one of these; then the number, -1 where there is none. */
static bool tree_header(char *line, const char *key, int *number)
{
    size_t length = strlen(key);
    uint64_t value;

    if (strncmp(line, key, length) != 0)
        return false;
    line += length;
    line += strspn(line, " \t=");
    *number = ca_read_unsigned(line, &value) && value < 1 << 30 ? (int)value : -1;
    return true;
}

/* "1 0 2 1": a node's depth, then nodes of the depth below by their order, or results. */
static enum ca_status tree_read_node(struct golly_file *file, struct import_rule *rule,
                                     struct tree_nodes *nodes)
{
    char *at = file->taken, *word = golly_take_word(&at, "");
    uint32_t next[DIAGRAM_STATES_MAX];
    int inputs = rule->diagram.inputs, count = 0;
    struct tree_node made;
    uint64_t value;

    if (!word || !ca_read_unsigned(word, &value) || value < 1 || value > (uint64_t)inputs)
        return golly_refuse(file, "a node begins with its depth, 1 ... %d", inputs);
    made.level = inputs - (int)value;
    for (; (word = golly_take_word(&at, "")); count++) {
        bool leaf = made.level == inputs - 1;

        if (count == rule->states)
            return golly_refuse(file, "more than %d numbers behind the depth, one for each state",
                                rule->states);
        if (!ca_read_unsigned(word, &value) || (leaf && value >= (uint64_t)rule->states))
            return golly_refuse(file, "'%.40s' is not a %s", word,
                                leaf ? "state of this rule" : "number of a node");
        if (!leaf && (value >= nodes->count || nodes->node[value].level != made.level + 1))
            return golly_refuse(file, "node %.20s is not one of depth %d that stands before", word,
                                inputs - made.level - 1);
        next[count] = leaf ? (uint32_t)value : nodes->node[value].node;
    }
    if (count < rule->states)
        return golly_refuse(file,
                            "%d numbers behind the depth: one for each of %d states is expected",
                            count, rule->states);
    CA_TRY(diagram_node(&rule->diagram, made.level, next, &made.node, file->error));
    if (nodes->count == nodes->room) {
        uint64_t room = nodes->room ? 2 * nodes->room : 256;
        struct tree_node *more = realloc(nodes->node, room * sizeof *more);

        if (!more)
            return ca_fail(file->error, CA_NO_MEMORY, "no memory for a decision tree");
        nodes->node = more;
        nodes->room = room;
    }
    nodes->node[nodes->count++] = made;
    return CA_OK;
}

static enum ca_status tree_begin(const struct golly_file *file, struct import_rule *rule,
                                 int states, int around)
{
    if (states < 2 || states > DIAGRAM_STATES_MAX)
        return golly_refuse(file, "num_states has to be 2 ... %d", DIAGRAM_STATES_MAX);
    if (around != 4 && around != 8)
        return golly_refuse(file, "num_neighbors has to be 4 or 8");
    rule->states = states;
    rule->at = around == 4 ? tree_von_neumann : tree_moore;
    return diagram_create(&rule->diagram, states, around + 1, file->error);
}

enum ca_status golly_read_tree(struct golly_file *file, struct import_rule *rule)
{
    int states = 0, around = 0, number = 0;
    struct tree_nodes nodes = {0};
    enum ca_status status = CA_OK;

    while (status == CA_OK && golly_take_line(file)) {
        if (tree_header(file->taken, "num_states", &states) ||
            tree_header(file->taken, "num_neighbors", &around) ||
            tree_header(file->taken, "num_nodes", &number))
            continue;
        if (!rule->at)
            status = tree_begin(file, rule, states, around);
        if (status == CA_OK)
            status = tree_read_node(file, rule, &nodes);
    }
    if (status == CA_OK && (nodes.count == 0 || nodes.node[nodes.count - 1].level != 0))
        status = golly_refuse(file, "the last node of @TREE is not the root: its depth is not %s",
                              around == 4 ? "5" : "9");
    if (status == CA_OK && number != 0 && (uint64_t)number != nodes.count)
        status = golly_refuse(file, "num_nodes is %d, but @TREE has %lu nodes", number,
                              (unsigned long)nodes.count);
    if (status == CA_OK)
        rule->diagram.root = nodes.node[nodes.count - 1].node;
    free(nodes.node);
    return status;
}

/* --- how states are shown ----------------------------------------------------------------------
 */

/* A number that begins the line, taken off it; -1. */
static int golly_take_number(char **line, int below)
{
    char *word = golly_take_word(line, ",");
    uint64_t number;

    return word && ca_read_unsigned(word, &number) && number < (uint64_t)below ? (int)number : -1;
}

/* "1 255 0 0": the colour of a state; "255 0 0 255 255 0": a gradient from state 1 to the last. */
static enum ca_status golly_read_colours(struct golly_file *file, struct import_rule *rule)
{
    while (golly_take_line(file)) {
        char *at = file->taken;
        int number[6], count = 0;

        while (count < 6 && (number[count] = golly_take_number(&at, 256)) >= 0)
            count++;
        if (count < 4)
            return golly_refuse(file,
                                "@COLORS: 'STATE RED GREEN BLUE', or two colours of a gradient "
                                "as six numbers, are expected");
        if (count == 6) {
            for (int s = 1; s < DIAGRAM_STATES_MAX; s++) {
                int steps = rule->states > 2 ? rule->states - 2 : 1,
                    i = s - 1 < steps ? s - 1 : steps;

                rule->state[s].coloured = true;
                for (int k = 0; k < 3; k++)
                    rule->state[s].rgb[k] =
                        (uint8_t)(number[k] + (number[3 + k] - number[k]) * i / steps);
            }
            continue;
        }
        rule->state[number[0]].coloured = true;
        for (int k = 0; k < 3; k++)
            rule->state[number[0]].rgb[k] = (uint8_t)number[1 + k];
    }
    return CA_OK;
}

/* A text of a file as one of a comment or string of C: letters that end neither. */
static void golly_text(char text[IMPORT_NAME_MAX], const char *from)
{
    snprintf(text, IMPORT_NAME_MAX, "%.*s", IMPORT_NAME_MAX - 1, from);
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~' || strchr("\"\\*?", *c))
            *c = '_';
}

/* "1 electron head". */
static enum ca_status golly_read_names(struct golly_file *file, struct import_rule *rule)
{
    while (golly_take_line(file)) {
        char *at = file->taken;
        int state = golly_take_number(&at, DIAGRAM_STATES_MAX);

        at += strspn(at, " \t");
        if (state < 0 || !*at)
            return golly_refuse(file, "@NAMES: 'STATE NAME' is expected");
        golly_text(rule->state[state].name, at);
    }
    return CA_OK;
}

/* --- the file ----------------------------------------------------------------------------------
 */

/* The name of a model from that of a rule or its file. */
static void golly_name(struct import_rule *rule, const char *from)
{
    size_t length = 0;

    golly_text(rule->title, from);
    for (const char *c = from; *c && length < 40; c++)
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128)
            rule->name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && rule->name[length - 1] != '_')
            rule->name[length++] = '_';
    while (length > 0 && rule->name[length - 1] == '_')
        length--;
    rule->name[length] = '\0';
    if (!length || !isalpha((unsigned char)rule->name[0])) {
        char number[IMPORT_NAME_MAX];

        memcpy(number, rule->name, sizeof number);
        snprintf(rule->name, sizeof rule->name, "rule%s%.50s", length ? "_" : "", number);
    }
}

static enum ca_status golly_read_parts(struct golly_file *file, struct import_rule *rule)
{
    bool names = false;

    golly_take_line(file); /* what stands before the first part */
    while (*file->at == '@') {
        char *at, *word;

        file->at++; /* so that the line of the part's name is one like any other */
        if (!golly_take_line(file))
            continue;
        at = file->taken;
        word = golly_take_word(&at, "");
        if (!word)
            continue;
        at += strspn(at, " \t");
        if (strcmp(word, "RULE") == 0 && *at)
            golly_name(rule, at);
        else if (strcmp(word, "TABLE") == 0 && !rule->at)
            CA_TRY(golly_read_table(file, rule));
        else if (strcmp(word, "TREE") == 0 && !rule->at)
            CA_TRY(golly_read_tree(file, rule));
        else if (strcmp(word, "COLORS") == 0)
            CA_TRY(golly_read_colours(file, rule));
        else if (strcmp(word, "NAMES") == 0 && (names = true))
            CA_TRY(golly_read_names(file, rule));
        while (golly_take_line(file))
            ;
    }
    (void)names;
    if (!rule->at)
        return golly_refuse(file, "the file has no @TABLE and no @TREE, one of which says what "
                                  "becomes of a cell");
    return diagram_close(&rule->diagram, file->error);
}

enum ca_status import_golly_rule(const char *path, struct import_rule *rule, struct ca_error *error)
{
    struct golly_file file = {.path = path, .error = error};
    const char *base = strrchr(path, '/');
    char stem[IMPORT_NAME_MAX];
    enum ca_status status;
    size_t size;

    base = base ? base + 1 : path;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(base, "."), base);
    golly_name(rule, stem);
    golly_text(rule->from, base);
    CA_TRY(ca_file_read_text(path, BYTES_MAX, &file.text, &size, error));
    file.at = file.text;
    status = strlen(file.text) == size ? golly_read_parts(&file, rule)
                                       : ca_fail(error, CA_IO, "%.300s: a byte 0 in a text", path);
    free(file.text);
    return status;
}
