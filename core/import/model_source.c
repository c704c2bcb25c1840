/* SPDX-License-Identifier: MIT */
/* The source of a model that has been imported: states with glyphs and colours, and cell() as a
 * table, as a decision tree in one table, or as counts of live cells. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/files/file.h"
#include "core/import/import.h"

#define TABLE_MAX ((uint64_t)1 << 18) /* entries; beyond: a decision tree */
#define COLUMNS 98
#define OBSERVED_MAX 7  /* states whose cells are counted */
#define STARTING_MAX 16 /* states of the random start */

static const char glyphs[] =
    " #*o.:+=-x%@&XOabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNPQRSTUVWYZ0123456789";

/* A list of so many columns a line, each line after the first indented by four. */
struct list {
    FILE *stream;
    int column;
};

static void list_put(struct list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void list_put(struct list *list, const char *format, ...)
{
    char text[128];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (list->column + length > COLUMNS) {
        fputs("\n    ", list->stream);
        list->column = 4;
    }
    fputs(list->column == 4 && *text == ' ' ? text + 1 : text, list->stream);
    list->column += length;
}

/* --- states ------------------------------------------------------------------------------------
 */

/* A class of colours that is near to the red, green and blue of a state. */
static const char *source_colour(const struct import_state *state, int number)
{
    static const char *const classes[] = {"CA_STRONG", "CA_WARM",  "CA_COLD",
                                          "CA_GREEN",  "CA_PLAIN", "CA_SOLID"};
    int r = state->rgb[0], g = state->rgb[1], b = state->rgb[2];
    int most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    int least = r < g ? (r < b ? r : b) : (g < b ? g : b);

    if (number == 0)
        return "CA_QUIET";
    if (!state->coloured)
        return classes[(size_t)(number - 1) % (sizeof classes / sizeof *classes)];
    if (most - least < 64)
        return most > 170 ? "CA_STRONG" : most > 60 ? "CA_PLAIN" : "CA_QUIET";
    if (most == b)
        return "CA_COLD";
    return most == r && 2 * (r - g) > r - b ? "CA_WARM" : most == r ? "CA_STRONG" : "CA_GREEN";
}

/* Far cells are counted in an area, which the cell itself belongs to. */
static bool is_far(const struct import_rule *rule)
{
    return !rule->at && rule->radius > IMPORT_NEAR_MAX;
}

static void put_area(const struct import_rule *rule, FILE *stream)
{
    static const char *const shapes[] = {[IMPORT_MOORE] = "CA_SQUARE",
                                         [IMPORT_VON_NEUMANN] = "CA_DIAMOND",
                                         [IMPORT_CIRCLE] = "CA_DISC"};

    ca_file_put(stream, "CA_AREA(near, 0, %s, %d, S1, \"live cells within %d\")\n",
                shapes[rule->shape], rule->radius, rule->radius);
}

static void put_states(const struct import_rule *rule, FILE *stream)
{
    int observed = rule->states - 1 < OBSERVED_MAX ? rule->states - 1 : OBSERVED_MAX;
    int starting = rule->states < STARTING_MAX ? rule->states : STARTING_MAX;
    struct list list = {stream, 45};
    int length = (int)sizeof glyphs - 1;

    for (int s = 0; s < rule->states; s++) {
        const struct import_state *state = &rule->state[s];
        char name[IMPORT_NAME_MAX];

        snprintf(name, sizeof name, "state %d", s);
        ca_file_put(stream, "CA_STATE(S%d, %d, '%c', %s, \"%s\")\n", s, s,
                    glyphs[s < length ? s : 1 + s % (length - 1)], source_colour(state, s),
                    state->name[0] ? state->name : name);
    }
    for (int s = 1; s <= observed; s++)
        ca_file_put(stream, "CA_COUNT(state%d, S%d, \"cells in state %d\")\n", s, s, s);
    if (is_far(rule))
        put_area(rule, stream);
    ca_file_put(stream, "CA_RANDOM_START(random, \"states by chance\",");
    for (int s = 1; s < starting; s++)
        list_put(&list, " SHARE(S%d, %.3g)%s", s, 1.0 / starting, s < starting - 1 ? "," : "");
    ca_file_put(stream, ")\n\n");
}

/* --- by inputs ---------------------------------------------------------------------------------
 */

static uint64_t table_entries(const struct import_rule *rule)
{
    uint64_t entries = 1;

    for (int i = 0; i < rule->diagram.inputs && entries <= TABLE_MAX; i++)
        entries *= (uint64_t)rule->states;
    return entries;
}

static void put_table(const struct import_rule *rule, uint64_t entries, FILE *stream)
{
    int inputs = rule->diagram.inputs;
    uint8_t states[DIAGRAM_INPUTS_MAX];
    struct list list = {stream, 4};

    ca_file_put(stream,
                "/* What a cell becomes by itself and its neighbours, as numbers in base %d. */\n"
                "CA_TABLE uint8_t next[%" PRIu64 "] = {\n    ",
                rule->states, entries);
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t left = i;

        for (int k = inputs - 1; k >= 0; k--, left /= (uint64_t)rule->states)
            states[k] = (uint8_t)(left % (uint64_t)rule->states);
        list_put(&list, "%d,", ca_import_next(rule, states));
    }
    ca_file_put(stream, "\n};\n\nCA_CELL cell(CA_NB nb)\n{\n    unsigned i = AT(%d, %d);\n\n",
                rule->at[0].x, rule->at[0].y);
    for (int k = 1; k < inputs; k++)
        ca_file_put(stream, "    i = i * %d + AT(%d, %d);\n", rule->states, rule->at[k].x,
                    rule->at[k].y);
    ca_file_put(stream, "    return next[i];\n}\n");
}

/* Nodes level by level: each is as many places as there are states, in which the place of a node of
 * the next level stands or, at the last one, what the cell becomes. The root is node 0 of level 0,
 * as nodes that cannot be reached have been dropped. */
static void put_tree(const struct import_rule *rule, FILE *stream)
{
    const struct diagram *diagram = &rule->diagram;
    uint64_t first = 0, all = 0, n = (uint64_t)diagram->states;
    struct list list = {stream, 4};

    for (int d = 0; d < diagram->inputs; d++)
        all += diagram->level[d].count * n;
    ca_file_put(stream,
                "/* A decision tree: where it goes on for each state of the next cell that it asks "
                "for. */\nCA_TABLE uint%d_t next[%" PRIu64 "] = {\n    ",
                all <= UINT16_MAX ? 16 : 32, all);
    for (int d = 0; d < diagram->inputs; d++) {
        const struct diagram_level *level = &diagram->level[d];

        first += level->count * n;
        for (uint64_t i = 0; i < level->count * n; i++)
            list_put(&list, "%" PRIu64 ",",
                     d < diagram->inputs - 1 ? first + level->next[i] * n : level->next[i]);
    }
    ca_file_put(stream, "\n};\n\nCA_CELL cell(CA_NB nb)\n{\n    unsigned i = next[AT(%d, %d)];\n\n",
                rule->at[0].x, rule->at[0].y);
    for (int k = 1; k < diagram->inputs - 1; k++)
        ca_file_put(stream, "    i = next[i + AT(%d, %d)];\n", rule->at[k].x, rule->at[k].y);
    ca_file_put(stream, "    return next[i + AT(0, 0)];\n}\n");
}

/* --- by counts ---------------------------------------------------------------------------------
 */

static bool shape_has(const struct import_rule *rule, int x, int y)
{
    int r = rule->radius;

    if (x == 0 && y == 0)
        return rule->with_self;
    return rule->shape == IMPORT_MOORE         ? true
           : rule->shape == IMPORT_VON_NEUMANN ? abs(x) + abs(y) <= r
                                               : x * x + y * y <= r * r + r;
}

static void put_count(const struct import_rule *rule, FILE *stream)
{
    struct list list = {stream, 8};
    int r = rule->radius;

    if (is_far(rule)) {
        ca_file_put(stream, "AREA(near)%s", rule->with_self ? "" : " - (AT(0, 0) == S1)");
        return;
    }
    if (rule->shape == IMPORT_MOORE && (r > 1 || rule->with_self)) {
        ca_file_put(stream, "SQUARE_COUNT(%d, S1)%s", r,
                    rule->with_self ? "" : " - (AT(0, 0) == S1)");
        return;
    }
    if (rule->shape == IMPORT_MOORE || r == 1) {
        ca_file_put(stream, "%s(S1)%s", rule->shape == IMPORT_VON_NEUMANN ? "COUNT4" : "COUNT8",
                    rule->with_self ? " + (AT(0, 0) == S1)" : "");
        return;
    }
    for (int y = -r, any = 0; y <= r; y++)
        for (int x = -r; x <= r; x++)
            if (shape_has(rule, x, y))
                list_put(&list, "%s(AT(%d, %d) == S1)", any++ ? " + " : "", x, y);
}

/* "n == 2 || (n >= 6 && n <= 9)", to be put in brackets. */
static char *put_intervals(char text[CA_TEXT_MAX], const bool counts[])
{
    text[0] = '\0';
    for (int n = 0, last; n < IMPORT_COUNTS_MAX; n = last + 1) {
        for (last = n; last + 1 < IMPORT_COUNTS_MAX && counts[n] && counts[last + 1];)
            last++;
        if (!counts[n])
            continue;
        if (last > n)
            ca_text_add(text, CA_TEXT_MAX, "%s(n >= %d && n <= %d)", *text ? " || " : "", n, last);
        else
            ca_text_add(text, CA_TEXT_MAX, "%sn == %d", *text ? " || " : "", n);
    }
    return *text ? text : strcpy(text, "0");
}

static void put_counts(const struct import_rule *rule, FILE *stream)
{
    char text[CA_TEXT_MAX];

    ca_file_put(stream, "CA_CELL cell(CA_NB nb)\n{\n    ca_cell c = AT(0, 0)%s n = ",
                is_far(rule) ? ";\n    uint16_t" : ",");
    put_count(rule, stream);
    ca_file_put(stream, ";\n\n    if (c == S0)\n        return %s ? S1 : S0;\n",
                put_intervals(text, rule->born));
    ca_file_put(stream, "    if (c == S1 && (%s))\n        return S1;\n",
                put_intervals(text, rule->stays));
    if (rule->states == 2)
        ca_file_put(stream, "    return S0;\n}\n");
    else
        ca_file_put(stream, "    return c == S%d ? S0 : c + 1;\n}\n", rule->states - 1);
}

/* --- the file ----------------------------------------------------------------------------------
 */

void ca_import_write(const struct import_rule *rule, FILE *stream)
{
    uint64_t entries = rule->at ? table_entries(rule) : 0;

    ca_file_put(stream, "/* %s, which calab has imported from %s. */\n", rule->title, rule->from);
    if (!rule->at && rule->radius > 1)
        ca_file_put(stream, "#define CA_%s %d\n", is_far(rule) ? "REACH" : "RADIUS", rule->radius);
    ca_file_put(stream, "#include \"calab_model.h\"\n\nCA_MODEL(%s, \"%s\")\n", rule->name,
                rule->title);
    put_states(rule, stream);
    if (!rule->at)
        put_counts(rule, stream);
    else if (entries <= TABLE_MAX)
        put_table(rule, entries, stream);
    else
        put_tree(rule, stream);
}

enum ca_status ca_import(const char *text, const char *path, char written[], size_t size,
                         struct ca_error *error)
{
    struct import_rule *rule = calloc(1, sizeof *rule);
    struct ca_file_writer file;
    enum ca_status status;

    if (!rule)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a rule");
    status = ca_import_read(text, rule, error);
    if (status == CA_OK) {
        snprintf(written, size, "%s%s", path ? path : rule->name, path ? "" : ".c");
        if (path) {
            const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

            snprintf(rule->name, sizeof rule->name, "%.*s", (int)strcspn(base, "."), base);
        }
        if (ca_file_exists(written))
            status = ca_fail(error, CA_USAGE,
                             "%.300s is there already: remove it, or name another file", written);
    }
    if (status == CA_OK)
        status = ca_file_begin(&file, written, error);
    if (status == CA_OK) {
        ca_import_write(rule, file.stream);
        status = ca_file_end(&file, CA_OK, error);
    }
    ca_import_destroy(rule);
    free(rule);
    return status;
}
