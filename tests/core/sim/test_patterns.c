/* SPDX-License-Identifier: MIT */
/*
 * The patterns of configs/patterns: each does on `reference` what its name and the list say, is
 * found by its name, and says where it is from; and lists that are wrong.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/sim/shipped.h"
#include "core/sim/simulation.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_experiment.h"

static struct ca_error error;

#define PATTERNS_MAX                                                                               \
    60 /* tests loop over so many; `all_are_looked_at` says that there are no more */

static struct ca_shipped *patterns;
static int count;

static void find_patterns(void)
{
    ck_assert_int_eq(chdir(test_source(".")), 0);
    ck_assert_ok(ca_shipped_patterns(&patterns, &count, &error));
}

static void forget_patterns(void) { ca_shipped_free(patterns, count); }

static const struct ca_shipped *pattern_of(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(patterns[i].name, name) == 0)
            return &patterns[i];
    ck_abort_msg("no pattern %s", name);
    return NULL;
}

static struct ca_experiment experiment_of(const struct ca_shipped *pattern)
{
    struct ca_experiment experiment;

    ca_experiment_default(&experiment, ca_models[0]);
    ck_assert_msg(ca_shipped_read(&experiment, NULL, pattern, &error) == CA_OK, "%s: %s",
                  pattern->name, error.text);
    test_experiment_set(&experiment, "backend", "reference");
    return experiment;
}

static struct ca_simulation *opened(struct ca_experiment *experiment, const char *name)
{
    struct ca_simulation *simulation;

    ck_assert_msg(ca_simulation_open(&simulation, experiment, &error) == CA_OK, "%s: %s", name,
                  error.text);
    return simulation;
}

static struct ca_lattice cells_of(struct ca_simulation *simulation)
{
    struct ca_row_source source = ca_simulation_source(simulation);
    struct ca_lattice cells;

    ck_assert_ok(ca_lattice_alloc(&cells, source.size, source.type, source.planes, &error));
    ck_assert_int_eq(source.rows(source.context, cells.plane, 0, ca_rows(source.size), &error),
                     CA_OK);
    return cells;
}

static void steps(struct ca_simulation *simulation, uint64_t n)
{
    ck_assert_ok(ca_simulation_step(simulation, n, &error));
}

/* Whether `now` is `before` moved on the torus. */
static bool moved(const struct ca_lattice *now, const struct ca_lattice *before, struct ca_at by)
{
    struct ca_size s = now->size;
    const uint8_t *a = before->plane[0], *b = now->plane[0];

    for (int64_t z = 0; z < s.d; z++)
        for (int64_t y = 0; y < s.h; y++)
            for (int64_t x = 0; x < s.w; x++)
                if (a[(z * s.h + y) * s.w + x] !=
                    b[((z + by.z) % s.d * s.h + (y + by.y) % s.h) * s.w + (x + by.x) % s.w])
                    return false;
    return true;
}

/* --- what each is ----------------------------------------------------------------------------- */

START_TEST(all_are_looked_at)
{
    int with_period = 0;

    for (int i = 0; i < count; i++)
        with_period += patterns[i].period > 0;
    ck_assert_int_ge(with_period, 24);
    ck_assert_int_ge(count, 40);
    ck_assert_int_le(count, PATTERNS_MAX);
}
END_TEST

START_TEST(each_opens)
{
    const struct ca_shipped *pattern = &patterns[_i];
    struct ca_simulation *simulation;
    struct ca_experiment experiment;

    if (_i >= count)
        return;
    ck_assert_msg(pattern->model != NULL, "%s: %s", pattern->name, pattern->error.text);
    ck_assert_str_ne(pattern->title, "");
    ck_assert_str_ne(pattern->origin, "");
    ck_assert(ca_shipped_is_first(patterns, pattern)); /* names are unique */
    experiment = experiment_of(pattern);
    simulation = opened(&experiment, pattern->name);
    steps(simulation, 3);
    ca_simulation_close(simulation);
}
END_TEST

/* A glider is a period later what it was, moved, and not before; an oscillator the same in its
 * place; a still life at once. In the middle of its lattice or round the far corner. */
static void is_what_it_says(const struct ca_shipped *pattern, bool round)
{
    struct ca_experiment experiment = experiment_of(pattern);
    struct ca_lattice before, now;
    struct ca_simulation *simulation;
    int64_t live = 0;
    char at[64];

    if (round) {
        struct ca_size s = experiment.size;

        ca_at_format(at, (struct ca_at){true, s.w - 1, s.h - 1, s.d - 1},
                     experiment.model->dimensions);
        test_experiment_set(&experiment, "at", at);
    }
    simulation = opened(&experiment, pattern->name);
    before = cells_of(simulation);
    for (int64_t i = 0; i < ca_cells(before.size); i++)
        live += ((uint8_t *)before.plane[0])[i];
    ck_assert_int_ge(live, 4);
    for (int t = 1; t <= pattern->period; t++) {
        bool last = t == pattern->period;

        steps(simulation, 1);
        now = cells_of(simulation);
        ck_assert_msg(moved(&now, &before, last ? pattern->moves : (struct ca_at){0}) == last,
                      "%s, round the corner %d, generation %d", pattern->name, round, t);
        ca_lattice_free(&now);
    }
    ca_lattice_free(&before);
    ca_simulation_close(simulation);
}

START_TEST(each_comes_back)
{
    const struct ca_shipped *pattern = &patterns[_i];
    const char *glider, *still;
    char period[16];

    if (_i >= count || pattern->period == 0) {
        ck_assert(_i >= count || pattern->model != test_model("life3d"));
        return;
    }
    glider = strstr(pattern->title, "glider");
    still = strstr(pattern->title, "still life");
    snprintf(period, sizeof period, "period %d", pattern->period);
    ck_assert_int_eq(pattern->moves.given, glider != NULL);
    ck_assert_int_eq(pattern->period == 1, still != NULL);
    ck_assert_int_eq(strstr(pattern->title, period) != NULL, !still);
    is_what_it_says(pattern, false);
    is_what_it_says(pattern, true);
}
END_TEST

/* --- domains ---------------------------------------------------------------------------------- */

/* An observable of anneal, live cells or pairs that differ, after so many generations. */
static double observed(const char *name, int observable, uint64_t generation)
{
    struct ca_experiment experiment = experiment_of(pattern_of(name));
    struct ca_simulation *simulation;
    double values[CA_OBSERVABLES_MAX];

    test_experiment_set(&experiment, "backend", "bitslice");
    simulation = opened(&experiment, name);
    steps(simulation, generation);
    ck_assert_ok(ca_simulation_observe(simulation, values, &error));
    ca_simulation_close(simulation);
    return values[observable];
}

enum { LIVE, WALLS };

START_TEST(domains)
{
    static const uint64_t at[] = {0, 100, 400, 800, 1600};

    for (size_t i = 1; i < COUNT(at); i++)
        ck_assert_double_lt(observed("disc", LIVE, at[i]), observed("disc", LIVE, at[i - 1]) - 100);
    ck_assert_double_lt(observed("disc", LIVE, 1600), 40);
    ck_assert_double_gt(observed("ring", WALLS, 10), 650); /* of two edges */
    ck_assert_double_lt(observed("ring", WALLS, 1600), 400);
    ck_assert_double_eq(observed("ring", LIVE, 6400), 0);
    ck_assert_double_lt(observed("stripe", WALLS, 1600), observed("stripe", WALLS, 10) - 50);
    ck_assert_double_eq(observed("stripe", LIVE, 1600), observed("stripe", LIVE, 0));
    ck_assert_double_lt(observed("half-planes", WALLS, 1600),
                        observed("half-planes", WALLS, 0) - 100);
    ck_assert_double_ge(observed("half-planes", WALLS, 1600), 256);
}
END_TEST

/* --- patterns of Life ------------------------------------------------------------------------- */

START_TEST(life)
{
    static const uint64_t gliders[] = {0, 30, 60, 90};

    ck_assert_double_gt(observed("diehard", LIVE, 129), 0);
    ck_assert_double_eq(observed("diehard", LIVE, 130), 0);
    for (size_t i = 0; i < COUNT(gliders); i++)
        ck_assert_double_eq(observed("gosper-gun", LIVE, gliders[i]), 36 + 5 * (double)i);
    ck_assert_double_eq(observed("eater", LIVE, 60), 7); /* the fishhook alone */
    ck_assert_double_gt(observed("acorn", LIVE, 1000), 300);
    ck_assert_double_gt(observed("r-pentomino", LIVE, 500), 100);
    ck_assert_double_gt(observed("line", LIVE, 1000), observed("line", LIVE, 500) + 100);
    ck_assert_double_eq(observed("replicator-highlife", LIVE, 12),
                        2 * observed("replicator-highlife", LIVE, 0));
}
END_TEST

/* --- obstacles -------------------------------------------------------------------------------- */

static uint8_t *solid_of(const char *name, struct ca_size *size)
{
    struct ca_experiment experiment = experiment_of(pattern_of(name));
    uint8_t *solid;

    ck_assert_ok(test_pbm_read(ca_text(&experiment.params, "geometry_file"), &solid, size, &error));
    return solid;
}

/* The formula of NACA Report 460 for 2412, in its own words: x and y in chords. */
static bool in_naca2412(double x, double y)
{
    const double m = 0.02, p = 0.4, t = 0.12;
    double thickness = t / 0.20 *
                       (0.29690 * sqrt(x) - 0.12600 * x - 0.35160 * x * x + 0.28430 * x * x * x -
                        0.10150 * x * x * x * x);
    double camber = x < p ? m / (p * p) * (2 * p * x - x * x)
                          : m / ((1 - p) * (1 - p)) * ((1 - 2 * p) + 2 * p * x - x * x);

    return x >= 0 && x <= 1 && fabs(y - camber) <= thickness;
}

/* Cells of an edge may go either way by rounding. */
START_TEST(airfoil)
{
    const double angle = 12 * 3.14159265358979323846 / 180, row = sqrt(3) / 2;
    struct ca_size size;
    uint8_t *solid = solid_of("airfoil", &size);
    int wrong = 0, inside = 0;

    for (int64_t y = 1; y + 1 < size.h; y++)
        for (int64_t x = 0; x < size.w; x++) {
            double dx = ((double)x + (y % 2 ? 0.5 : 0) - 130) / 160,
                   dy = (100 - (double)y * row) / 160;
            bool is =
                in_naca2412(dx * cos(angle) - dy * sin(angle), dx * sin(angle) + dy * cos(angle));

            inside += is;
            wrong += is != (solid[y * size.w + x] != 0);
        }
    for (int64_t x = 0; x < size.w; x++)
        ck_assert(solid[x] && solid[(size.h - 1) * size.w + x]);
    ck_assert_int_gt(inside, 2000); /* 0.68 t of the chord's square, in columns by rows: 2409 */
    ck_assert_int_le(wrong, 2);
    free(solid);
}
END_TEST

START_TEST(grid_and_porous)
{
    struct ca_size size;
    uint8_t *solid = solid_of("grid", &size);
    int64_t bars = 0, nodes = 0;

    for (int64_t y = 2; y + 1 < size.h; y++) /* of the first the wall is a part */
        bars += solid[y * size.w + 100] && !solid[(y + 1) * size.w + 100];
    ck_assert_int_eq(bars, 8);
    free(solid);
    solid = solid_of("porous", &size);
    ck_assert_int_eq(size.h % 2, 0);
    for (int64_t i = 0; i < ca_cells(size); i++)
        nodes += solid[i] != 0;
    ck_assert_int_gt(nodes, ca_cells(size) / 5); /* 1 - exp(-120 pi 52 / 256^2) = 26 % */
    ck_assert_int_lt(nodes, ca_cells(size) / 3);
    free(solid);
}
END_TEST

/* --- terrains --------------------------------------------------------------------------------- */

START_TEST(valley)
{
    struct ca_experiment experiment = experiment_of(pattern_of("valley"));
    struct ca_simulation *simulation = opened(&experiment, "valley");
    struct ca_lattice cells = cells_of(simulation);
    int64_t w = cells.size.w, h = cells.size.h, springs = 0;
    const float *ground = cells.plane[0], *source = cells.plane[2];
    double west = 0, east = 0, floor = 0, sides = 0;

    for (int64_t y = 0; y < h; y++) {
        west += ground[y * w + 2];
        east += ground[y * w + w - 3];
    }
    for (int64_t x = 0; x < w; x++) {
        floor += ground[h / 2 * w + x];
        sides += (ground[x] + ground[(h - 1) * w + x]) / 2;
    }
    ck_assert_double_gt(west, east + 10.0 * (double)h);
    ck_assert_double_gt(sides, floor + 30.0 * (double)w);
    for (int64_t i = 0; i < w * h; i++)
        if (source[i] != 0) {
            springs++;
            for (int64_t y = 0; y < h; y++) /* it rises where the head of the valley is lowest */
                ck_assert(ground[y * w + i % w] >= ground[i]);
        }
    ck_assert_int_eq(springs, 1);
    ca_lattice_free(&cells);
    ca_simulation_close(simulation);
}
END_TEST

START_TEST(dam_break)
{
    struct ca_experiment experiment = experiment_of(pattern_of("dam-break"));
    struct ca_simulation *simulation = opened(&experiment, "dam-break");
    double before[CA_OBSERVABLES_MAX], after[CA_OBSERVABLES_MAX];
    struct ca_lattice cells;

    ck_assert_ok(ca_simulation_observe(simulation, before, &error));
    ck_assert_double_eq(before[0], 40 * 64 * 10);
    steps(simulation, 300);
    cells = cells_of(simulation);
    for (int y = 0; y < 64;
         y++) { /* the dam stands but for its breach; behind the house it is wet */
        const float *ground = cells.plane[0], *level = cells.plane[1];

        ck_assert_int_eq(ground[y * 160 + 40] > 0, y < 26 || y >= 38);
        ck_assert(level[y * 160 + 41] > ground[y * 160 + 41] || y < 26 || y >= 38);
    }
    ck_assert_ok(ca_simulation_observe(simulation, after, &error));
    ck_assert_double_gt(after[1], before[1] + 1000);
    ck_assert_double_le(fabs(after[0] - before[0]), 1);
    ca_lattice_free(&cells);
    ca_simulation_close(simulation);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

/* Each file is one that a pattern names, is small, and says where it is from, if its format can. */
START_TEST(files)
{
    static const char *const folders[] = {"life3d", "anneal", "fhp", "water"};
    char folder[600], path[1200];

    for (size_t f = 0; f < COUNT(folders); f++) {
        const struct dirent *entry;
        DIR *dir;

        snprintf(folder, sizeof folder, "configs/patterns/%s", folders[f]);
        dir = opendir(folder);
        ck_assert_ptr_nonnull(dir);
        while ((entry = readdir(dir)) != NULL) {
            bool named = false;
            char *bytes;
            size_t size;

            if (entry->d_name[0] == '.')
                continue;
            for (int i = 0; i < count; i++) {
                struct ca_experiment e = experiment_of(&patterns[i]);
                const char *name = strrchr(e.init, '/');

                named |= name && strcmp(name + 1, entry->d_name) == 0;
                for (int p = 0; p < e.params.count; p++) {
                    name = e.params.table[p].kind == CA_FILE ? strrchr(e.params.value[p].text, '/')
                                                             : NULL;
                    named |= name && strcmp(name + 1, entry->d_name) == 0;
                }
            }
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            ck_assert_msg(named, "%s: no pattern has it", path);
            bytes = test_read(path, &size);
            ck_assert_msg(size < 100 * 1024, "%s: %zu bytes", path, size);
            ck_assert_msg(strstr(path, ".asc") || strstr(bytes, "\n# "), "%s: no comment", path);
        }
        closedir(dir);
    }
}
END_TEST

/* --- by name ---------------------------------------------------------------------------------- */

static const struct {
    const char *variable, *arguments, *part[3];
} named[] = {
    {NULL,
     "run life3d --init glider-4555 -s 20x20x20 --at 19,19,19 -n 1 -q",
     {"/configs/patterns/life3d/glider-4555.rle3\nat: 19,19,19\n", "parameters.rule: 3D4,5/5",
      "size: 20x20x20"}},
    {NULL, "run -c glider-4555 -n 1 -q", {"glider-4555.rle3", "size: 24x24x24", "live: 10\n"}},
    {NULL, "run -c water-dam -n 1 -q -s 32x32", {"init: dam", "size: 32x32", ""}},
    {NULL, "run -c water-dam.cfg -n 1 -q -s 32x32", {"init: dam", "size: 32x32", ""}},
    {NULL,
     "run fhp --set density=0.25 --init airfoil -n 1 -q",
     {"init: random", "parameters.geometry: file\n", "parameters.density: 0.25\n"}},
    {NULL,
     "run water --init dam-break -n 1 -q",
     {"init: file", "/configs/patterns/water/dam-break.asc", "dam-break-depth.asc"}},
    {"CALAB_INIT=disc", "run anneal -n 1 -q", {"anneal/disc.pbm", "size: 128x128", ""}},
    {NULL,
     "bench anneal -b reference --init disc --time 0.01 -q --json",
     {"anneal/disc.pbm", "", ""}},
};

START_TEST(found_by_name)
{
    const char *variables[] = {named[_i].variable, NULL};
    struct surroundings s = {.variable = named[_i].variable ? variables : NULL};
    struct outcome o = calab_good_in(&s, "%s", named[_i].arguments);

    for (int i = 0; i < 3; i++)
        ck_assert_contains(o.out, named[_i].part[i]);
}
END_TEST

static const struct refusal refusals[] = {
    {"run life3d --init glidr-4555", 2, "did you mean the pattern 'glider-4555'?", ""},
    {"run life3d --init qqqqqq", 2, "neither an initial state of life3d", "calab list patterns"},
    {"run fhp --init glider-4555", 2, "'glider-4555' is a pattern of life3d, not of fhp", ""},
    {"run anneal -c glider-4555", 2,
     "is an experiment of life3d, but the model anneal is asked for", ""},
    {"run fhp --init airfoil --at 2,2", 2, "at 2,2: the start 'random' fills the lattice", ""},
    {"run fhp --init airfoil -s 64x64", 2, "size is 64x64", "fhp/airfoil.pbm is 512x256"},
    {"run -c no-such-thing", 8, "cannot read no-such-thing", ""},
    {"bench -c no-such-thing", 8, "cannot read no-such-thing", ""},
};

START_TEST(listed)
{
    struct outcome o = calab("list patterns");

    ck_assert_contains(o.out, "glider-4555    life3d   glider of 10 cells in Bays' rule 4555",
                       "\n    from: found by search for calab");
    o = calab("list patterns --json");
    ck_assert_contains(o.out, "\"moves\": \"2,0,0\"", "\"name\": \"ship-5766\"", "\"period\": 8");
    for (int i = 0; i < 2; i++) {
        o = calab("list %s", i == 0 ? "experiments" : "configs");
        ck_assert_contains(o.out, "configs/water-dam.cfg");
        ck_assert_ptr_null(strstr(o.out, "glider-4555 "));
        o = calab("list %s --json", i == 0 ? "experiments" : "configs");
        ck_assert_contains(o.out, "\"configs\": [");
    }
    o = calab("--complete run life3d --init gli");
    ck_assert_str_eq(o.out, "glider-4555\nglider-5766\n");
    o = calab("--complete -c por");
    ck_assert_str_eq(o.out, "porous\n");
}
END_TEST

/* An experiment file of one's own begins with a pattern, and writes as what it was read to. */
START_TEST(in_an_experiment)
{
    static const char text[] =
        "model = \"fhp\"; init = \"airfoil\"; parameters : { density = 0.3; };";
    struct ca_experiment a, b;

    test_put("a.cfg", text);
    ca_experiment_default(&a, test_model("anneal"));
    ck_assert_ok(ca_experiment_read(&a, NULL, test_path("a.cfg"), &error));
    ck_assert_double_eq(ca_real(&a.params, "density"), 0.3);
    ck_assert_contains(ca_text(&a.params, "geometry_file"), "/airfoil.pbm");
    ck_assert_ok(ca_experiment_write(&a, NULL, test_path("b.cfg"), &error));
    b = a;
    ck_assert_ok(ca_experiment_read(&b, NULL, test_path("b.cfg"), &error));
    experiment_same(&a, &b);
}
END_TEST

/* --- lists that are wrong --------------------------------------------------------------------- */

#define GOOD "name = \"a\"; title = \"b\"; origin = \"c\"; model = \"anneal\";"

static const struct {
    const char *bytes, *part;
} lists[] = {
    {"patterns = (\n{ title = \"b\"; origin = \"c\"; model = \"anneal\"; });",
     ":2: the text 'name' is missing"},
    {"patterns = (\n{ name = \"a\"; origin = \"c\"; model = \"anneal\"; });",
     ":2: the text 'title' is missing"},
    {"patterns = ({ name = \"a\"; title = \"b\"; model = \"anneal\"; });",
     ":1: the text 'origin' is missing"},
    {"patterns = ({ name = \"a\"; title = \"b\"; origin = \"c\"; });",
     ":1: the key 'model' is missing"},
    {"patterns = ({ " GOOD "\nfrom = \"d\"; });", ":2: from: "},
    {"patterns = ({ " GOOD " moves = \"1,2,3\"; });", ":1: moves: '1,2,3' is not a cell in 2D"},
    {"patterns = ({ " GOOD " size = \"0x4\"; });", ":1: size: "},
    {"patterns = ({ " GOOD " init = \"a\"; });", ":1: init: 'a' is neither an initial state"},
    {"patterns = ( 7 );", ":1: a number where a group"},
    {"patterns = 7;", "the list 'patterns' is missing"},
    {"models = ();", "the list 'patterns' is missing"},
    {"patterns = (", ":1: syntax error"},
};

START_TEST(wrong_lists)
{
    struct ca_shipped *list = NULL;
    int n = 0;

    test_put("patterns.cfg", lists[_i].bytes);
    ck_assert_ok(ca_pattern_list_add(&list, &n, test_path("patterns.cfg"), &error));
    ck_assert_int_eq(n, 1);
    ck_assert_ptr_null(list->model);
    ck_assert_contains(list->error.text, lists[_i].part);
    ca_shipped_free(list, n);
}
END_TEST

/* No list is no mistake; a name that is not in one is. Files are beside the list. */
START_TEST(other_lists)
{
    static const char text[] = "patterns = ({ " GOOD " init = \"x/y.pbm\"; });";
    struct ca_experiment experiment;
    struct ca_shipped *list = NULL;
    char deep[700], folder[700] = "";
    int n = 0;

    ck_assert_ok(ca_pattern_list_add(&list, &n, test_path("none.cfg"), &error));
    ck_assert_int_eq(n, 0);
    test_put("patterns.cfg", text);
    ca_experiment_default(&experiment, ca_models[0]);
    ck_assert_int_eq(
        ca_pattern_list_read(&experiment, NULL, test_path("patterns.cfg"), "b", &error),
        CA_SETTINGS);
    ck_assert_contains(error.text, "there is no pattern 'b'");
    ck_assert_ok(ca_pattern_list_read(&experiment, NULL, test_path("patterns.cfg"), "a", &error));
    snprintf(deep, sizeof deep, "%s/x/y.pbm", test_folder());
    ck_assert_str_eq(experiment.init, deep);
    /* A folder so deep that its file has no place in an experiment. */
    snprintf(deep, sizeof deep, "%s", test_folder());
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(deep);

        snprintf(deep + used, sizeof deep - used, "/%0*d", 180, i);
        ck_assert_int_eq(mkdir(deep, 0700), 0);
    }
    snprintf(folder, sizeof folder, "%s", deep);
    strcat(deep, "/l");
    test_write(deep, text, strlen(text));
    ck_assert_int_eq(ca_pattern_list_read(&experiment, NULL, deep, "a", &error), CA_SETTINGS);
    ck_assert_contains(error.text, "is longer than");
    unlink(deep);
    for (int i = 0; i < 3; i++) {
        rmdir(folder);
        *strrchr(folder, '/') = '\0';
    }
}
END_TEST

/* A pattern of one's own, in ./configs/patterns, goes before what was installed; one that is wrong
 * is refused with its mistake, by each way to it. */
START_TEST(a_list_of_ones_own)
{
    static const char list[] =
        "patterns = ({ name = \"mine\"; title = \"b\"; origin = \"c\"; model = \"anneal\";\n"
        "init = \"mine.pbm\"; },\n{ name = \"bad\"; title = \"b\"; origin = \"c\";\n"
        "model = \"anneal\"; seed = -1; });";
    struct ca_experiment experiment;
    char path[700];

    ck_assert_int_eq(chdir(test_folder()), 0);
    ck_assert_int_eq(mkdir("configs", 0700), 0);
    ck_assert_int_eq(mkdir("configs/patterns", 0700), 0);
    test_write("configs/patterns/patterns.cfg", list, strlen(list));
    test_write("configs/patterns/mine.pbm", "P1\n1 1\n1\n", 9);
    ca_experiment_default(&experiment, test_model("anneal"));
    ck_assert_ok(
        ca_experiment_set(&experiment, "init", "mine", CA_FROM_COMMAND_LINE, "--init", &error));
    snprintf(path, sizeof path, "%s/configs/patterns/mine.pbm", test_folder());
    ck_assert_str_eq(experiment.init, path);
    ck_assert_int_eq(
        ca_experiment_set(&experiment, "init", "bad", CA_FROM_COMMAND_LINE, "--init", &error),
        CA_USAGE);
    ck_assert_contains(error.text, "--init: configs/patterns/patterns.cfg:4: seed: '-1' is not");
    ck_assert_int_eq(ca_shipped_open(&experiment, NULL, "bad", &error), CA_SETTINGS);
    ck_assert_contains(error.text, "patterns.cfg:4: seed: '-1' is not");
    ck_assert_str_eq(experiment.init, path);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = find_patterns, .teardown = forget_patterns,
                     .test = {all_are_looked_at, domains, life, airfoil, grid_and_porous, valley,
                              dam_break, files, listed, in_an_experiment, other_lists,
                              a_list_of_ones_own},
                     .table = {{each_opens, PATTERNS_MAX},
                               {each_comes_back, PATTERNS_MAX},
                               {found_by_name, COUNT(named)},
                               {refusals_test(refusals), COUNT(refusals)},
                               {wrong_lists, COUNT(lists)}});
}
