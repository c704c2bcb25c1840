/* SPDX-License-Identifier: MIT */
/*
 * @TABLE of a .rule file: lines "C,N,E,S,W,C'" of states and variables, of which the first that
 * fits a cell and its neighbours says what the cell becomes, in all orders that the symmetries
 * give. A variable that stands in a line more than once has one value there. A cell that no line
 * fits stays.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/import/golly.h"

#define VARIABLES_MAX 1024
#define CASES_MAX (1 << 20) /* of the variables that a line has more than once */

/* The neighbours in the order of the lines, round the cell, which is behind them here. */
static const struct import_place moore[] = {{0, -1}, {1, -1}, {1, 0},   {1, 1}, {0, 1},
                                            {-1, 1}, {-1, 0}, {-1, -1}, {0, 0}};
static const struct import_place von_neumann[] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}, {0, 0}};
static const struct import_place hexagonal[] = {{0, -1}, {1, 0},   {1, 1}, {0, 1},
                                                {-1, 0}, {-1, -1}, {0, 0}};
static const struct import_place one_dimensional[] = {{-1, 0}, {1, 0}, {0, 0}};

struct symmetry {
    const char *name;
    int turns;     /* by a whole turn divided by so many */
    bool mirrored; /* left and right, too */
    bool any_order;
};

static const struct table_neighbourhood {
    const char *name;
    const struct import_place *at;
    int around;
    struct symmetry symmetries[9]; /* ends with name NULL */
} neighbourhoods[] = {
    {"Moore",
     moore,
     8,
     {{.name = "none", .turns = 1},
      {.name = "rotate2", .turns = 2},
      {.name = "rotate4", .turns = 4},
      {.name = "rotate8", .turns = 8},
      {.name = "reflect_horizontal", .turns = 1, .mirrored = true},
      {.name = "rotate4reflect", .turns = 4, .mirrored = true},
      {.name = "rotate8reflect", .turns = 8, .mirrored = true},
      {.name = "permute", .turns = 1, .any_order = true}}},
    {"vonNeumann",
     von_neumann,
     4,
     {{.name = "none", .turns = 1},
      {.name = "rotate2", .turns = 2},
      {.name = "rotate4", .turns = 4},
      {.name = "reflect_horizontal", .turns = 1, .mirrored = true},
      {.name = "rotate4reflect", .turns = 4, .mirrored = true},
      {.name = "permute", .turns = 1, .any_order = true}}},
    {"hexagonal",
     hexagonal,
     6,
     {{.name = "none", .turns = 1},
      {.name = "rotate2", .turns = 2},
      {.name = "rotate3", .turns = 3},
      {.name = "rotate6", .turns = 6},
      {.name = "rotate6reflect", .turns = 6, .mirrored = true},
      {.name = "permute", .turns = 1, .any_order = true}}},
    {"oneDimensional",
     one_dimensional,
     2,
     {{.name = "none", .turns = 1},
      {.name = "reflect", .turns = 2},
      {.name = "permute", .turns = 1, .any_order = true}}},
};
#define NEIGHBOURHOODS (sizeof neighbourhoods / sizeof *neighbourhoods)

/* A cell of a line: a state, or 256 and more for a variable. */
struct table_line {
    int line;
    uint16_t cell[DIAGRAM_INPUTS_MAX];   /* neighbours, then the cell itself */
    uint16_t sorted[DIAGRAM_INPUTS_MAX]; /* the least of its orders */
    uint16_t result;
};
struct table {
    struct golly_file *file;
    struct import_rule *rule;
    const struct table_neighbourhood *around;
    const struct symmetry *symmetry;
    int states;
    bool begun; /* behind the first line that needs these */
    int variables;
    char *name[VARIABLES_MAX];
    struct diagram_set value[VARIABLES_MAX];
    struct table_line *lines;
    size_t count, room;
};

/* --- orders ------------------------------------------------------------------------------------
 */

static int table_orders(const struct table *table)
{
    return table->symmetry->turns * (table->symmetry->mirrored ? 2 : 1);
}

/* Which neighbour stands in place i in one of the orders. */
static int table_ordered(const struct table *table, int order, int i)
{
    int n = table->around->around, turns = table->symmetry->turns;

    if (order >= turns)
        i = (n - i) % n;
    return (i + order % turns * (n / turns)) % n;
}

static int compare_cells(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void line_sort(const struct table *table, struct table_line *line)
{
    int n = table->around->around;
    uint16_t turned[DIAGRAM_INPUTS_MAX];

    memcpy(line->sorted, line->cell, sizeof line->sorted);
    if (table->symmetry->any_order) {
        qsort(line->sorted, (size_t)n, sizeof *line->sorted, compare_cells);
        return;
    }
    for (int order = 1; order < table_orders(table); order++) {
        memcpy(turned, line->cell, sizeof turned);
        for (int i = 0; i < n; i++)
            turned[i] = line->cell[table_ordered(table, order, i)];
        if (memcmp(turned, line->sorted, sizeof turned) < 0)
            memcpy(line->sorted, turned, sizeof turned);
    }
}

/* --- lines -------------------------------------------------------------------------------------
 */

static enum ca_status table_begin(struct table *table)
{
    static const char *const expected = "is expected before variables and lines";

    if (table->begun)
        return CA_OK;
    if (!table->states)
        return golly_refuse(table->file, "'n_states:' %s", expected);
    if (!table->around)
        return golly_refuse(table->file, "'neighborhood:' %s", expected);
    if (!table->symmetry)
        return golly_refuse(table->file, "'symmetries:' %s", expected);
    table->begun = true;
    table->rule->states = table->states;
    table->rule->at = table->around->at;
    return diagram_create(&table->rule->diagram, table->states, table->around->around + 1,
                          table->file->error);
}

static int table_variable(const struct table *table, const char *name)
{
    for (int i = 0; i < table->variables; i++)
        if (strcmp(table->name[i], name) == 0)
            return i;
    return -1;
}

/* A state or a variable of that name. */
static enum ca_status table_cell(const struct table *table, const char *word, uint16_t *cell)
{
    uint64_t state;
    int variable = table_variable(table, word);

    if (variable >= 0) {
        *cell = (uint16_t)(DIAGRAM_STATES_MAX + variable);
        return CA_OK;
    }
    if (word[strspn(word, "0123456789")])
        return golly_refuse(table->file, "variable '%.40s' has no line 'var %.40s = {...}' before",
                            word, word);
    if (!ca_read_unsigned(word, &state) || state >= (uint64_t)table->states)
        return golly_refuse(table->file, "state %.40s: the states are 0 ... %d, by n_states", word,
                            table->states - 1);
    *cell = (uint16_t)state;
    return CA_OK;
}

static struct diagram_set table_set(const struct table *table, uint16_t cell)
{
    struct diagram_set set = {0};

    if (cell >= DIAGRAM_STATES_MAX)
        return table->value[cell - DIAGRAM_STATES_MAX];
    set.bits[cell / 64] = UINT64_C(1) << cell % 64;
    return set;
}

/* "var a = {0, 1, b}", or "var b = a": states and variables that stand before. */
static enum ca_status table_read_variable(struct table *table, char *at)
{
    char *name = golly_take_word(&at, "="), *word;
    struct diagram_set set = {0};

    CA_TRY(table_begin(table));
    if (!name || !name[strspn(name, "0123456789")] || !at[strspn(at, " \t{,}=")])
        return golly_refuse(table->file, "'var NAME = {STATE, ...}' is expected");
    if (table_variable(table, name) >= 0)
        return golly_refuse(table->file, "variable '%.40s' has a line before", name);
    if (table->variables == VARIABLES_MAX)
        return golly_refuse(table->file, "more than %d variables", VARIABLES_MAX);
    while ((word = golly_take_word(&at, "{,}="))) {
        struct diagram_set more;
        uint16_t cell;

        CA_TRY(table_cell(table, word, &cell));
        more = table_set(table, cell);
        for (size_t i = 0; i < sizeof set.bits / sizeof *set.bits; i++)
            set.bits[i] |= more.bits[i];
    }
    table->name[table->variables] = name;
    table->value[table->variables++] = set;
    return CA_OK;
}

/* "0,1,2,0,0,3", or without commas "012003", the cell itself first. */
static enum ca_status table_read_line(struct table *table, char *at)
{
    int count = 0, inputs;
    struct table_line line = {.line = table->file->line};
    uint16_t cell[DIAGRAM_INPUTS_MAX + 1];
    bool commas = strchr(at, ',') != NULL;

    CA_TRY(table_begin(table));
    inputs = table->around->around + 1;
    for (;; count++) {
        char letter[2] = "", *word = letter;
        uint16_t more;

        if (commas) {
            word = golly_take_word(&at, ",");
        } else {
            at += strspn(at, " \t");
            letter[0] = *at;
            at += *at != '\0';
        }
        if (!word || !*word)
            break;
        CA_TRY(table_cell(table, word, count <= inputs ? &cell[count] : &more));
    }
    if (count != inputs + 1)
        return golly_refuse(table->file,
                            "%d numbers: the cell, its %d neighbours and what it becomes are %d",
                            count, inputs - 1, inputs + 1);
    memcpy(line.cell, cell + 1, (size_t)(inputs - 1) * sizeof *cell);
    line.cell[inputs - 1] = cell[0];
    line.result = cell[inputs];
    line_sort(table, &line);
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 256;
        struct table_line *lines = realloc(table->lines, room * sizeof *lines);

        if (!lines)
            return ca_fail(table->file->error, CA_NO_MEMORY, "no memory for the lines of a rule");
        table->lines = lines;
        table->room = room;
    }
    table->lines[table->count++] = line;
    return CA_OK;
}

/* --- what stands before them -------------------------------------------------------------------
 */

static enum ca_status table_read_states(struct table *table, const char *word)
{
    uint64_t states;

    if (!ca_read_unsigned(word, &states) || states < 2 || states > DIAGRAM_STATES_MAX)
        return golly_refuse(table->file, "n_states is '%.40s': 2 ... %d are allowed", word,
                            DIAGRAM_STATES_MAX);
    table->states = (int)states;
    return CA_OK;
}

static enum ca_status table_read_neighbourhood(struct table *table, const char *word)
{
    table->around = NULL;
    for (size_t i = 0; i < NEIGHBOURHOODS; i++)
        if (strcmp(word, neighbourhoods[i].name) == 0)
            table->around = &neighbourhoods[i];
    return table->around ? CA_OK
                         : golly_refuse(table->file,
                                        "neighborhood '%.40s': Moore, vonNeumann, hexagonal and "
                                        "oneDimensional are allowed",
                                        word);
}

static enum ca_status table_read_symmetries(struct table *table, const char *word)
{
    char allowed[160] = "";

    if (!table->around)
        return golly_refuse(table->file, "'neighborhood:' is expected before 'symmetries:'");
    for (const struct symmetry *s = table->around->symmetries; s->name; s++) {
        if (strcmp(word, s->name) == 0) {
            table->symmetry = s;
            return CA_OK;
        }
        ca_text_add(allowed, sizeof allowed, "%s%s", *allowed ? ", " : "", s->name);
    }
    return golly_refuse(table->file, "symmetries '%.40s': with %s these are allowed: %s", word,
                        table->around->name, allowed);
}

static const struct {
    const char *key;
    enum ca_status (*read)(struct table *table, const char *word);
} table_keys[] = {{"n_states:", table_read_states},
                  {"neighborhood:", table_read_neighbourhood},
                  {"symmetries:", table_read_symmetries}};

static enum ca_status table_read(struct table *table)
{
    while (golly_take_line(table->file)) {
        char *at = table->file->taken;
        size_t k;

        for (k = 0; k < sizeof table_keys / sizeof *table_keys; k++)
            if (strncmp(at, table_keys[k].key, strlen(table_keys[k].key)) == 0)
                break;
        if (k < sizeof table_keys / sizeof *table_keys) {
            if (table->begun)
                return golly_refuse(table->file, "'%s' stands behind variables or lines",
                                    table_keys[k].key);
            at += strlen(table_keys[k].key);
            at += strspn(at, " \t");
            CA_TRY(table_keys[k].read(table, at));
        } else if (strncmp(at, "var", 3) == 0 && (at[3] == ' ' || at[3] == '\t')) {
            CA_TRY(table_read_variable(table, at + 3));
        } else {
            CA_TRY(table_read_line(table, at));
        }
    }
    return table_begin(table);
}

/* --- what they say -----------------------------------------------------------------------------
 */

static int compare_lines(const void *a, const void *b)
{
    const struct table_line *const *x = a, *const *y = b;
    int order = memcmp((*x)->sorted, (*y)->sorted, sizeof(*x)->sorted);

    return order ? order : (*x)->line - (*y)->line;
}

/* Two lines that are the same but for what the cell becomes. */
static enum ca_status table_find_contradiction(const struct table *table)
{
    const struct table_line **sorted = malloc((table->count + 1) * sizeof *sorted);
    const struct table_line *first = NULL, *second = NULL;

    if (!sorted)
        return ca_fail(table->file->error, CA_NO_MEMORY, "no memory for the lines of a rule");
    for (size_t i = 0; i < table->count; i++)
        sorted[i] = &table->lines[i];
    qsort(sorted, table->count, sizeof *sorted, compare_lines);
    for (size_t i = 1; i < table->count; i++)
        if (memcmp(sorted[i - 1]->sorted, sorted[i]->sorted, sizeof first->sorted) == 0 &&
            sorted[i - 1]->result != sorted[i]->result &&
            (!second || sorted[i]->line < second->line)) {
            first = sorted[i - 1];
            second = sorted[i];
        }
    free(sorted);
    if (!second)
        return CA_OK;
    table->file->line = second->line;
    return golly_refuse(table->file,
                        "the line contradicts line %d: the same cells become another "
                        "state",
                        first->line);
}

/* Variables that stand more than once in a line, at most 10. */
static int line_bound(const struct table_line *line, int inputs, int bound[])
{
    int count = 0;

    for (int i = 0; i <= inputs; i++) {
        int cell = i < inputs ? line->cell[i] : line->result, times = 0, known = 0;

        for (int k = 0; k < inputs; k++)
            times += line->cell[k] == cell;
        times += line->result == cell;
        for (int k = 0; k < count; k++)
            known |= bound[k] == cell;
        if (cell >= DIAGRAM_STATES_MAX && times > 1 && !known)
            bound[count++] = cell;
    }
    return count;
}

/* The line where variable bound[i] is now[i]. */
static enum ca_status table_set_case(const struct table *table, const struct table_line *line,
                                     int count, const int bound[], const int now[])
{
    struct golly_file *file = table->file;
    struct diagram_set set[DIAGRAM_INPUTS_MAX] = {0}, ordered[DIAGRAM_INPUTS_MAX];
    int n = table->around->around, result = line->result;

    for (int i = 0; i <= n; i++) {
        uint16_t cell = line->cell[i];

        for (int k = 0; k < count; k++)
            if (cell == bound[k])
                cell = (uint16_t)now[k];
        set[i] = table_set(table, cell);
    }
    for (int k = 0; k < count; k++)
        if (result == bound[k])
            result = now[k];
    if (result >= DIAGRAM_STATES_MAX) {
        int states = 0;

        for (int s = 0, v = result - DIAGRAM_STATES_MAX; s < table->states; s++)
            if (diagram_has(&table->value[v], s)) {
                result = s;
                states++;
            }
        if (states != 1)
            return golly_refuse(file,
                                "the cell becomes variable '%.40s', which is none of the cells",
                                table->name[line->result - DIAGRAM_STATES_MAX]);
    }
    ordered[n] = set[n];
    for (int order = 0; order < table_orders(table); order++) {
        for (int i = 0; i < n; i++)
            ordered[i] = set[table_ordered(table, order, i)];
        CA_TRY(diagram_set(&table->rule->diagram, ordered, table->symmetry->any_order,
                           (uint32_t)result, file->error));
    }
    return CA_OK;
}

static enum ca_status table_set_line(const struct table *table, const struct table_line *line)
{
    int bound[DIAGRAM_INPUTS_MAX + 1], now[DIAGRAM_INPUTS_MAX + 1] = {0};
    int count = line_bound(line, table->around->around + 1, bound);
    int64_t cases = 1;

    table->file->line = line->line;
    for (int k = 0; k < count; k++) {
        int states = 0;

        for (int s = 0; s < table->states; s++)
            states += diagram_has(&table->value[bound[k] - DIAGRAM_STATES_MAX], s);
        cases = states == 0 ? 0 : cases * states;
        if (cases > CASES_MAX)
            return golly_refuse(table->file,
                                "more than %d cases of the variables that stand in this "
                                "line more than once",
                                CASES_MAX);
    }
    for (int k = 0; cases > 0 && k < count; k++)
        while (!diagram_has(&table->value[bound[k] - DIAGRAM_STATES_MAX], now[k]))
            now[k]++;
    while (cases-- > 0) {
        CA_TRY(table_set_case(table, line, count, bound, now));
        for (int k = 0; k < count; k++) { /* the next case */
            const struct diagram_set *value = &table->value[bound[k] - DIAGRAM_STATES_MAX];

            do
                now[k]++;
            while (now[k] < table->states && !diagram_has(value, now[k]));
            if (now[k] < table->states)
                break;
            for (now[k] = 0; !diagram_has(value, now[k]); now[k]++)
                ;
        }
    }
    return CA_OK;
}

enum ca_status golly_read_table(struct golly_file *file, struct import_rule *rule)
{
    struct table *table = calloc(1, sizeof *table);
    int line;
    enum ca_status status;

    if (!table)
        return ca_fail(file->error, CA_NO_MEMORY, "no memory for the table of a rule");
    table->file = file;
    table->rule = rule;
    status = table_read(table);
    line = file->line;
    if (status == CA_OK)
        status = table_find_contradiction(table);
    for (size_t i = 0; status == CA_OK && i < table->count; i++)
        status = table_set_line(table, &table->lines[i]);
    if (status == CA_OK)
        file->line = line;
    free(table->lines);
    free(table);
    return status;
}
