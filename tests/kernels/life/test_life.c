/* SPDX-License-Identifier: MIT */
/* The model life: its rules as text and as tables, known patterns, edges, and its ladder. */
#include <stdio.h>
#include <string.h>

#include "core/model/registry.h"
#include "kernels/life/life.h"
#include "kernels/life/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

static struct ca_error error;

/* Those that can run here; CALAB_CPU=baseline or avx2 tries fewer. */
static const char *backends[16];
static int backend_count;

static void find_backends(void)
{
    for (const struct ca_backend *b = life_model.backends; b->name; b++)
        if (ca_backend_available(b, &error) == CA_OK)
            backends[backend_count++] = b->name;
}

static struct life_rule rule_of(const char *text)
{
    struct life_rule rule;

    ck_assert_msg(life_rule_parse(&rule, text, &error) == CA_OK, "'%s': %s", text, error.text);
    return rule;
}

/* --- the text of a rule ----------------------------------------------------------------------- */

#define MAP_LIFE                                                                                   \
    "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA"

/* Spellings, and Golly's canonical form of each, as bgolly writes it. */
static const char *const spellings[][2] = {
    {"B3/S23", "B3/S23"},
    {"b3s23", "B3/S23"},
    {"S23/B3", "B3/S23"},
    {"S23B3", "B3/S23"},
    {"B3/23", "B3/S23"},
    {"23/3", "B3/S23"},
    {"B2cek3i_S12cei", "B2cek3i/S12cei"},
    {"3/23", "B23/S3"},
    {"B33/S2233", "B3/S23"},
    {"/3", "B3/S"},
    {"B/S", "B/S"},
    {"S/B", "B/S"},
    {"B3", "B3/S"},
    {"S3", "B/S3"},
    {"B0/S8", "B0/S8"},
    {"35678/4678", "B4678/S35678"},
    {"B2-A/S12", "B2-a/S12"},
    {"B2aa/S12", "B2a/S12"},
    {"B2a2c/S", "B2ac/S"},
    {"B2-a3/S12", "B2-a3/S12"},
    {"B3/S2-I34Q", "B3/S2-i34q"},
    {"B2ceaik/S2ceai3-ci", "B2-n/S2-kn3-ci"},
    {"B1ce2ceaikn/S8", "B12/S8"},
    {"B5-c6ae7c/S4aw", "B5-c6ae7c/S4aw"},
    {"B124neizcrqa5-eynkica/S2-ena34-nijkczeayqr8", "B124-jktwy5jqr/S2cik34tw8"},
    {"B02ackn3-ky6-i7-e/S012nkae8", "B02-ei3-ky6-i7c/S012-ci8"},
    {MAP_LIFE, "B3/S23"},
    {"map"
     "ARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA",
     "B3/S23"},
};

START_TEST(rules_as_text)
{
    for (size_t i = 0; i < COUNT(spellings); i++) {
        struct life_rule rule = rule_of(spellings[i][0]), again = rule_of(spellings[i][1]);
        char text[CA_TEXT_MAX];

        life_rule_format(&rule, text);
        ck_assert_str_eq(text, spellings[i][1]);
        ck_assert_mem_eq(rule.table, again.table, sizeof rule.table);
    }
}
END_TEST

/* A table that no letters say is written as it was read; one that they do is not. */
START_TEST(tables_as_text)
{
    char map[] =
        "MAPAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    char text[CA_TEXT_MAX];
    struct life_rule rule = rule_of(map);

    life_rule_format(&rule, text);
    ck_assert_str_eq(text, "B/S");
    /* The character i div 6 has the squares from 6 i on, the first as its highest bit: square 256
     * is a live cell in the north-west alone. */
    map[3 + 256 / 6] = 'C'; /* 000010, from square 252 on */
    rule = rule_of(map);
    for (unsigned square = 0; square < LIFE_SQUARES; square++)
        ck_assert_int_eq(life_next(rule.table, square), square == 256);
    ck_assert(!rule.totalistic);
    life_rule_format(&rule, text);
    ck_assert_str_eq(text, map);
    /* The last character's lowest four bits say nothing. */
    map[3 + 85] = 'P';
    rule = rule_of(map);
    life_rule_format(&rule, text);
    ck_assert_int_eq(text[3 + 85], 'A');
}
END_TEST

/* By the words of the definition: the count of the eight, and the centre. */
START_TEST(counts)
{
    struct life_rule rule = rule_of("B0368/S1247");

    ck_assert(rule.totalistic);
    ck_assert_uint_eq(rule.born, 1 << 0 | 1 << 3 | 1 << 6 | 1 << 8);
    ck_assert_uint_eq(rule.stays, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 7);
    for (unsigned square = 0; square < LIFE_SQUARES; square++) {
        int n = __builtin_popcount(square & ~(unsigned)LIFE_CENTRE);

        ck_assert_int_eq(life_next(rule.table, square),
                         (square & LIFE_CENTRE ? rule.stays : rule.born) >> n & 1);
    }
    ck_assert(!rule_of("B2-a/S12").totalistic);
    ck_assert(!rule_of("B3/S2c3").totalistic);
}
END_TEST

/* A square of each of some letters, as Golly draws them: N, NE, ... around an empty centre. */
START_TEST(letters)
{
    static const struct {
        const char *rule;
        unsigned square;
    } squares[] = {{"B1c/S", 256},
                   {"B1e/S", 128},
                   {"B2a/S", 256 | 128},
                   {"B2c/S", 256 | 64},
                   {"B2n/S", 256 | 1},
                   {"B2i/S", 128 | 2},
                   {"B3a/S", 256 | 128 | 32},
                   {"B3i/S", 256 | 128 | 64},
                   {"B4c/S", 256 | 64 | 4 | 1},
                   {"B4e/S", 128 | 32 | 8 | 2},
                   {"B7c/S", 495 - 256},
                   {"B7e/S", 495 - 128},
                   {"B6i/S", 495 - 128 - 2}};

    for (size_t i = 0; i < COUNT(squares); i++) {
        struct life_rule rule = rule_of(squares[i].rule);
        char text[CA_TEXT_MAX];

        ck_assert_msg(life_next(rule.table, squares[i].square), "%s", squares[i].rule);
        ck_assert_msg(!life_next(rule.table, squares[i].square | LIFE_CENTRE), "%s",
                      squares[i].rule);
        life_rule_format(&rule, text);
        ck_assert_str_eq(text, squares[i].rule);
    }
    /* All letters of a number, one by one, are all its squares, each once. */
    for (int n = 0; n <= 8; n++) {
        static const int squares_of[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
        int total = 0;

        for (int c = 0; life_all_letters(n) >> c; c++) {
            uint64_t table[8] = {0};

            life_mark_classes(table, n, true, 1u << c);
            for (unsigned square = 0; square < LIFE_SQUARES; square++)
                if (life_next(table, square)) {
                    ck_assert(square & LIFE_CENTRE);
                    ck_assert_int_eq(__builtin_popcount(square), n + 1);
                    total++;
                }
        }
        ck_assert_int_eq(total, squares_of[n]);
    }
}
END_TEST

static const struct {
    const char *text, *problem;
    int at;
    const char *hint; /* NULL: there is none */
} refusals[] = {
    {"", "no rule", 1, NULL},
    {"B9/S23", "number above 8", 2, NULL},
    {"B3/S2z3", "a letter that this number does not have", 6, NULL},
    {"B0c/S", "a letter behind 0 or 8, which have none", 3, NULL},
    {"B2-/S12", "no letter behind a '-'", 4, NULL},
    {"B2-ac2a/S", "a number that stands twice", 8, NULL},
    {"B2ac-e/S", "neither a number", 5, NULL},
    {"23", "neither B, S nor '/' before the end", 3, NULL},
    {"B3/B23", "the births, which stand before", 4, NULL},
    {"S3/S23", "the survivals, which stand before", 4, NULL},
    {"3/S23", "the survivals, which stand before", 3, "did you mean B3/S23?"},
    {"B3,S23", "neither a number", 3, "did you mean B3/S23?"},
    {"B3\\S23", "neither a number", 3, "did you mean B3/S23?"},
    {"B3 S23", "neither a number", 3, "did you mean B3/S23?"},
    {"B3/S23:T100", "neither a number", 7, NULL},
    {"Life", "neither a number", 1, "did you mean B3/S23 (Life)?"},
    {"HighLif", "neither a number", 1, "did you mean B36/S23 (HighLife)?"},
    {"dayandnight", "neither a number", 1, NULL},
    {"MAPAAAA", "the end of a MAP, which has 86", 8, NULL},
    {"MAPAA?", "no character of base64", 6, NULL},
    {MAP_LIFE "A", "more than 86 characters", 90, NULL},
    {MAP_LIFE "==", "more than 86 characters", 90, NULL},
    {"B2/S/C3", "a second '/'", 5, "Generations, with 3 states"},
    {"B2/S/3", "a second '/'", 5, "Generations, with 3 states"},
    {"345/2/4", "a second '/'", 6, "Generations, with 4 states"},
    {"G6/B2/S34", "neither a number", 1, "Generations, with 6 states"},
    {"R5,C0,M1,S34..58,B34..45,NM", "neither a number", 1, "Larger than Life"},
    {"R2,C2,S2-3,B3,N+", "neither a number", 1, "a range above 1 (HROT)"},
    {"B2/S34H", "neither a number", 7, "the hexagonal neighbourhood"},
    {"B2/S013V", "neither a number", 8, "the von Neumann neighbourhood"},
    {"MAPAAAAAAAAAAAAAAAAAAAAAA", "the end of a MAP", 26, "the hexagonal neighbourhood"},
    {"MAPAAAAAA", "the end of a MAP", 10, "the von Neumann neighbourhood"},
    {"W30", "neither a number", 1, "one dimension, by Wolfram's number"},
    {"3D4,5/5", "neither a number", 2, "three dimensions, which the model life3d takes"},
    {"MS,D0;8;4;3;2;5;9;7;1;6;10;11;12;13;14;15", "neither a number", 1, "Margolus"},
    {"Worm-1525115", "neither a number", 1, "several states, which Golly keeps in a file"},
    {"Banks-III", "neither a number", 2, "several states, which Golly keeps in a file"},
    {"WireWorld", "neither a number", 1, "several states, which Golly keeps in a file"},
};

START_TEST(bad_rules)
{
    struct life_rule rule = {.born = 7};
    char place[64];

    snprintf(place, sizeof place, "at character %d", refusals[_i].at);
    ck_assert_msg(life_rule_parse(&rule, refusals[_i].text, &error) == CA_USAGE, "'%s' was taken",
                  refusals[_i].text);
    ck_assert_contains(error.text, "rule '", refusals[_i].problem, place, "(B3/S23, B2-a/S12)",
                       "(23/3)", "MAP and 86 characters of base64");
    if (refusals[_i].hint)
        ck_assert_contains(error.text, refusals[_i].hint);
    ck_assert_uint_eq(rule.born, 7);
}
END_TEST

/* What a user gets to see: the run is refused, with the rule's own message. */
START_TEST(bad_rule_refused_by_the_model)
{
    struct ca_experiment experiment =
        kernel_experiment("life", "reference", "4x4", NULL, 1, "rule=B3/S29");
    struct ca_simulation *simulation;

    ck_assert_int_eq(ca_simulation_open(&simulation, &experiment, &error), CA_USAGE);
    ck_assert_ptr_null(simulation);
    ck_assert_contains(error.text, "rule 'B3/S29': a number above 8 at character 6");
}
END_TEST

/* --- the rule on cells ------------------------------------------------------------------------ */

/* The definition by force, square by square. */
static void by_force(const struct ca_lattice *now, struct ca_lattice *next, uint64_t seed,
                     uint64_t t, const void *context)
{
    const struct ca_setup *setup = context;
    struct ca_size s = now->size;
    struct life_rule rule;

    (void)seed, (void)t;
    ck_assert_ok(life_rule_of_setup(&rule, setup, &error));
    for (int64_t i = 0; i < ca_cells(s); i++) {
        unsigned square = 0;

        for (int k = 0; k < 9; k++) {
            int64_t x = i % s.w + k % 3 - 1, y = i / s.w + k / 3 - 1;
            bool inside = x >= 0 && x < s.w && y >= 0 && y < s.h;

            square <<= 1;
            if (inside || life_torus(setup))
                square |= ((uint8_t *)now->plane[0])[(y + s.h) % s.h * s.w + (x + s.w) % s.w];
        }
        ((uint8_t *)next->plane[0])[i] = (uint8_t)life_next(rule.table, square);
    }
}

static const char *const rules[] = {
    "rule=B3/S23",          "rule=B3/S23 boundary=dead",
    "rule=B01245/S0124578", "rule=B01245/S0124578 boundary=dead",
    "rule=B2-a/S12",        "rule=B02ci3ai4c8/S02ae3eijkq4iz5ar6i7e boundary=dead",
    "rule=B/S012345678",    "rule=B012345678/S",
};
static const char *const shapes[] = {"1x1",   "1x2",   "2x1",   "2x2",   "3x3",
                                     "63x5",  "64x1",  "65x2",  "127x7", "128x3",
                                     "129x9", "500x3", "96x64", "1x500", "20000x5"};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

START_TEST(reference_by_force)
{
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct ca_experiment experiment =
            kernel_experiment("life", "reference", shapes[_i], NULL, test_seed(), rules[i]);
        struct ca_setup setup = ca_setup_of(&experiment);

        kernel_check_defined(&experiment, 0, 3, by_force, &setup);
    }
}
END_TEST

/* All densities, edges and numbers of threads. */
START_TEST(same_as_reference)
{
    static const char *const settings[] = {"threads=1", "threads=3 generations=1",
                                           "threads=2 generations=5 density=0.2"};
    static const uint64_t calls[] = {1, 2, 3, 11, 0};

    for (size_t i = 0; i < COUNT(rules); i++)
        for (size_t s = 0; s < COUNT(settings); s++)
            for (int b = 1; b < backend_count; b++) {
                struct ca_experiment experiment =
                    kernel_experiment("life", backends[b], shapes[_i], NULL, test_seed() + s,
                                      test_text("%s %s", rules[i], settings[s]));

                kernel_check_same(&experiment, calls);
            }
}
END_TEST

START_TEST(rows_in_and_out)
{
    static const char *const sizes[] = {"1x1", "63x9", "64x9", "65x9", "200x21", "512x3"};

    for (int s = 0; s < 6; s++) {
        struct ca_experiment experiment = kernel_experiment("life", backends[_i], sizes[s], NULL,
                                                            test_seed(), "threads=2 boundary=dead");

        kernel_check_rows(&experiment);
    }
}
END_TEST

START_TEST(slabs)
{
    static const char *const sizes[] = {"96x64", "65x20", "130x17"};

    for (size_t i = 0; i < COUNT(rules); i++)
        for (int64_t ghosts = 1; ghosts <= 5; ghosts += 2) {
            struct ca_experiment experiment =
                kernel_experiment("life", backends[_i], sizes[i % 3], NULL, test_seed(),
                                  test_text("%s threads=3 generations=3", rules[i]));
            struct ca_setup setup = ca_setup_of(&experiment);

            kernel_check_slabs(&experiment, ghosts, life_torus(&setup), 3);
        }
}
END_TEST

/* anneal is the rule B4678/S35678. */
START_TEST(anneal)
{
    struct ca_experiment experiment[2] = {
        kernel_experiment("life", backends[_i], "97x65", "crand", 1234, "rule=B4678/S35678"),
        kernel_experiment("anneal", "reference", "97x65", "crand", 1234, NULL)};
    struct ca_lattice state[2];

    for (int i = 0; i < 2; i++) {
        struct kernel kernel;

        ck_assert_ok(ca_initial_state(&experiment[i], &state[i], &error));
        kernel_open(&kernel, &experiment[i]);
        kernel_load(&kernel, &state[i]);
        ca_lattice_free(&state[i]);
        kernel_step(&kernel, 40);
        state[i] = kernel_store(&kernel);
        kernel_close(&kernel);
    }
    kernel_compare(&experiment[0], 40, &state[1], &state[0]);
    ca_lattice_free(&state[0]);
    ca_lattice_free(&state[1]);
}
END_TEST

/* --- known patterns --------------------------------------------------------------------------- */

static int64_t live(const struct ca_lattice *lattice)
{
    int64_t count = 0;

    for (int64_t i = 0; i < ca_cells(lattice->size); i++)
        count += ((uint8_t *)lattice->plane[0])[i];
    return count;
}

/* Rows of a picture, 'O' live, with its first cell at (x, y). */
static struct ca_lattice drawn(struct ca_size size, int64_t x, int64_t y, const char *const rows[])
{
    struct ca_lattice lattice;

    ck_assert_ok(ca_lattice_alloc(&lattice, size, CA_U8, 1, &error));
    for (int64_t r = 0; rows[r]; r++)
        for (int64_t i = 0; rows[r][i]; i++)
            ((uint8_t *)lattice.plane[0])[(y + r) % size.h * size.w + (x + i) % size.w] =
                rows[r][i] == 'O';
    return lattice;
}

static const char *const glider[] = {".O.", "..O", "OOO", NULL};
static const char *const r_pentomino[] = {".OO", "OO.", ".O.", NULL};
static const char *const gun[] = {
    "........................O...........", "......................O.O...........",
    "............OO......OO............OO", "...........O...O....OO............OO",
    "OO........O.....O...OO..............", "OO........O...O.OO....O.O...........",
    "..........O.....O.......O...........", "...........O...O....................",
    "............OO......................", NULL};
static struct ca_lattice stepped(const char *backend, const char *size, const char *settings,
                                 struct ca_lattice *from, uint64_t n)
{
    struct ca_experiment experiment = kernel_experiment("life", backend, size, NULL, 1, settings);
    struct ca_lattice state;
    struct kernel kernel;

    kernel_open(&kernel, &experiment);
    kernel_load(&kernel, from);
    ca_lattice_free(from);
    kernel_step(&kernel, n);
    state = kernel_store(&kernel);
    kernel_close(&kernel);
    return state;
}

/* Round the corner of the torus; at a dead edge it becomes a block. */
START_TEST(a_glider)
{
    struct ca_lattice from = drawn((struct ca_size){30, 20, 1}, 28, 18, glider), to, moved;

    to = stepped(backends[_i], "30x20", NULL, &from, 4 * 15);
    moved = drawn(to.size, 28 + 15, 18 + 15, glider);
    ck_assert_int_eq(ca_lattice_compare(&to, &moved).count, 0);
    ca_lattice_free(&moved);
    ca_lattice_free(&to);
    from = drawn((struct ca_size){30, 20, 1}, 12, 8, glider);
    to = stepped(backends[_i], "30x20", "boundary=dead", &from, 200);
    ck_assert_int_eq(live(&to), 4);
    ca_lattice_free(&to);
}
END_TEST

/* At generation 1103, when it is stable, it has 116 cells (M. Gardner, 1983): eight blocks, four
 * beehives, four blinkers, a boat, a loaf, a ship and six gliders, of which a lattice that large
 * loses none. */
START_TEST(an_r_pentomino)
{
    struct ca_lattice state = drawn((struct ca_size){700, 700, 1}, 350, 350, r_pentomino);

    state = stepped(backends[backend_count - 1], "700x700", "threads=2", &state, 1103);
    ck_assert_int_eq(live(&state), 116);
    ca_lattice_free(&state);
}
END_TEST

/* Gosper's gun has 36 cells, and 30 generations later a glider more. */
START_TEST(a_gun)
{
    struct ca_size size = {120, 120, 1};
    struct ca_lattice state = drawn(size, 2, 2, gun);

    ck_assert_int_eq(live(&state), 36);
    for (int period = 1; period <= 4; period++) {
        struct ca_lattice again = drawn(size, 2, 2, gun);

        state = stepped(backends[_i], "120x120", "boundary=dead", &state, 30);
        ck_assert_int_eq(live(&state), 36 + 5 * period);
        for (int64_t i = 0; i < 9 * size.w; i++) /* above the gliders */
            ck_assert_int_eq(((uint8_t *)state.plane[0])[i], ((uint8_t *)again.plane[0])[i]);
        ca_lattice_free(&again);
    }
    ca_lattice_free(&state);
}
END_TEST

/* A table for kernels that others write: a bit for each square. */
START_TEST(the_table)
{
    struct ca_experiment experiment =
        kernel_experiment("life", "reference", "4x4", NULL, 1, "rule=B1c3/S23");
    struct ca_setup setup = ca_setup_of(&experiment);
    struct life_rule rule = rule_of("B1c3/S23");
    uint8_t bytes[CA_TABLE_MAX];

    ck_assert_int_eq(ca_rule_table_of(&life_model)->bytes, LIFE_SQUARES / 8);
    ca_rule_table_of(&life_model)->fill(&setup, bytes);
    for (unsigned square = 0; square < LIFE_SQUARES; square++)
        ck_assert_int_eq(bytes[square / 8] >> square % 8 & 1, life_next(rule.table, square));
}
END_TEST

int main(void)
{
    find_backends();
    return RUN_TESTS(.test = {rules_as_text, tables_as_text, counts, letters,
                              bad_rule_refused_by_the_model, the_table, an_r_pentomino},
                     .table = {{bad_rules, COUNT(refusals)},
                               {reference_by_force, SHAPES},
                               {same_as_reference, SHAPES},
                               {rows_in_and_out, backend_count},
                               {slabs, backend_count},
                               {anneal, backend_count},
                               {a_glider, backend_count},
                               {a_gun, backend_count}});
}
