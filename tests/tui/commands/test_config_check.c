/* SPDX-License-Identifier: MIT */
/* `config check FILE` and `run -c FILE` refuse the same files for the same reason, and take the
 * same ones. */
#include <stdio.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/support.h"

#define FHP_STATE "state.npy"

/* FOLDER stands for the folder of the test, in which there are a terrain, one with a word in it, a
 * state of fhp with 8x8 nodes, and one of another size. */
#define FOLDER "FOLDER"

static const struct {
    const char *text, *says; /* says NULL: it is right */
} files[] = {
    {"model = \"fhp\"; measure = \"x\";", "a list of groups is expected"},
    {"model = \"fhp\"; measure = ({ quantity = \"viscos\"; });", "'viscos' is not allowed"},
    {"model = \"fhp\"; measure = ({ quantity = \"viscosity\"; seeds = 0; });", "from 1 to 100"},
    {"model = \"fhp\"; measure = ({ quantity = \"viscosity\"; size = \"64x33\"; });",
     "the height must be even"},
    {"model = \"fhp\"; parameters : { geometry = \"none\"; p_force = 0; };"
     "measure = ({ quantity = \"viscosity\"; size = [\"8x8\", \"8x9\"]; });",
     "the height must be even"},
    {"model = \"fhp\"; measure = ({ quantity = \"strouhal\"; });", "geometry = cylinder"},
    {"model = \"fhp\"; size = \"64x32\"; steps = 90; parameters : { geometry = \"cylinder\"; "
     "p_force = 0.1; }; measure = ({ quantity = \"strouhal\"; });",
     "steps = 90 are too few"},
    {"model = \"anneal\"; measure = ({ quantity = \"viscosity\"; });", "nothing to measure"},
    {"model = \"life3d\"; parameters : { rule = \"3D5\"; };", "rule '3D5'"},
    {"model = \"fhp\"; size = \"8x7\";", "the height must be even"},
    {"model = \"fhp\"; size = \"8x7\"; backend = \"threads\";", "the height must be even"},
    {"model = \"anneal\"; generation = 5;", "generation is 5"},
    {"model = \"anneal\"; at = \"3,4\";", "at 3,4: the start 'random'"},
    {"model = \"anneal\"; init = \"FOLDER/no.npy\";", "cannot read FOLDER/no.npy"},
    {"model = \"fhp\"; init = \"FOLDER/" FHP_STATE "\"; size = \"16x8\";", "size is 16x8, but"},
    {"model = \"fhp\"; init = \"FOLDER/" FHP_STATE "\"; at = \"600,0\";", "at 600,0"},
    {"model = \"anneal\"; init = \"FOLDER/" FHP_STATE "\";", FHP_STATE},
    {"model = \"water\"; init = \"file\"; parameters : { terrain_file = \"FOLDER/no.asc\"; };",
     "FOLDER/no.asc"},
    {"model = \"water\"; init = \"file\";", "file"},
    {"model = \"water\"; init = \"file\"; parameters : { terrain_file = \"FOLDER/word.asc\"; };",
     "word.asc"},
    {"model = \"fhp\"; parameters : { geometry = \"file\"; geometry_file = \"FOLDER/no.pbm\"; };",
     "FOLDER/no.pbm"},
    {"model = \"anneal\"; output = \"FOLDER/no/x.npy\";", "cannot write FOLDER/no/x.npy"},
    {"model = \"anneal\"; output = \"picture,slice=z5:FOLDER/x.png\";", "slice = z5"},
    {"model = \"life3d\"; size = \"8x8x8\"; output = \"picture,slice=z8:FOLDER/x.png\";",
     "0 ... 7 are"},
    {"model = \"anneal\"; output = \"picture,project=max:FOLDER/x.png\";", "two dimensions"},
    {"model = \"fhp\"; steps = 100; output = \"speed,window=200:FOLDER/x.csv\";",
     "longer than the 100 of the run"},
    {"model = \"fhp\"; every = 50; output = \"speed,window=60:FOLDER/x%06d.csv\";",
     "longer than the 50 from one file to the next"},
    {"model = \"fhp\"; output = \"observables:FOLDER/x.csv\";", "'every'"},
    {"model = \"fhp\"; every = 5; output = \"observables:FOLDER/x%06d.csv\";", "into one file"},
    {"model = \"anneal\"; size = \"100000000x100000\";", "GiB of memory"},
    {"model = \"anneal\"; size = \"100000000x100000\"; backend = \"reference\";", "GiB of memory"},
    {"model = \"anneal\"; backend = \"bitslice\"; options : { threads = 2000; };", "0 ... 1024"},
    {"model = \"anneal\"; backend = \"threads\"; size = \"9x8\"; options : { ranks = 9; };",
     "ranks"},
    {"model = \"anneal\"; backend = \"cuda-nothing\";", "cuda-nothing"},
    {"model = \"anneal\"; steps = 1; size = \"16x16\";", NULL},
    {"model = \"water\"; steps = 1; init = \"file\"; parameters : { terrain_file = "
     "\"FOLDER/flat.asc\"; };",
     NULL},
    {"model = \"fhp\"; steps = 1; init = \"FOLDER/" FHP_STATE "\"; generation = 5;", NULL},
    {"model = \"fhp\"; steps = 1; size = \"16x16\"; init = \"FOLDER/" FHP_STATE "\"; at = \"3,4\";",
     NULL},
    {"model = \"fhp\"; steps = 4; size = \"16x16\"; output = \"speed,window=4:FOLDER/x.csv\";",
     NULL},
    {"model = \"life3d\"; size = \"8x8x8\"; steps = 1; output = \"picture,slice=z7:FOLDER/x.png\";",
     NULL},
};

/* The text with the folder in it, in static storage: two of them. */
static const char *in_folder(const char *text, int which)
{
    static char made[2][4096];
    char *to = made[which];

    while (*text)
        if (strncmp(text, FOLDER, strlen(FOLDER)) == 0) {
            to += sprintf(to, "%s", test_folder());
            text += strlen(FOLDER);
        } else {
            *to++ = *text++;
        }
    *to = '\0';
    return made[which];
}

START_TEST(both)
{
    const char *path = test_path("e.cfg"), *text = in_folder(files[_i].text, 0);
    const char *says = files[_i].says ? in_folder(files[_i].says, 1) : "correct";
    struct outcome run, check;
    int before;

    test_put("flat.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n");
    test_put("word.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 x\n");
    test_put("e.cfg", text);
    calab_good("run fhp -s 8x8 -n 1 -o %s", test_path(FHP_STATE));
    before = test_files();
    check = calab("config check %s", path);
    ck_assert_int_eq(test_files(), before); /* it writes nothing */
    run = calab("run -q -c %s", path);
    ck_assert_msg((run.status == 0) == (files[_i].says == NULL), "%s: run: %d %s", text, run.status,
                  run.err);
    ck_assert_msg((check.status == 0) == (files[_i].says == NULL), "%s: check: %d %s", text,
                  check.status, check.err);
    if (files[_i].says) {
        ck_assert_contains(run.err, says);
        ck_assert_contains(check.err, says, "e.cfg");
        ck_assert_str_eq(check.out, "");
        ck_assert_msg(check.status == run.status || (run.status == 2 && check.status == 3),
                      "%s: %d and %d", text, run.status, check.status);
    } else {
        ck_assert_contains(check.out, "e.cfg: correct");
    }
}
END_TEST

/* Whatever stands behind -c of run: a state, the name of an experiment that ships, a pattern. */
START_TEST(names_and_states)
{
    static const char *const names[] = {"water-dam", "glider-4555", "configs/fhp-viscosity.cfg"};
    struct outcome o = calab("run anneal -s 8x8 -n 1 -o %s", test_path("s.h5"));

    for (size_t i = 0; i < COUNT(names); i++) {
        o = calab("config check %s", names[i]);
        ck_assert_msg(o.status == 0, "%s: %s", names[i], o.err);
        ck_assert_contains(o.out, ": correct");
    }
    o = calab_good("config check %s", test_path("s.h5"));
    test_put("bad.h5", "no state");
    o = calab_fails(8, "bad.h5", "config check %s", test_path("bad.h5"));
    o = calab_fails(8, "no-such-name", "config check no-such-name");
}
END_TEST

/* A lab's settings are checked as `lab check` reads them, not as an experiment. */
START_TEST(settings_of_labs)
{
    struct outcome o;

    test_put("lab.cfg",
             "version = 1; model = \"anneal\"; source = \"kernel.c\"; sizes = [\"8x8\"];");
    o = calab_good("config check %s", test_path("lab.cfg"));
    ck_assert_contains(o.out, "lab.cfg: correct, a lab of anneal");
    test_put("lab.cfg", "version = 1; model = \"anneal\"; source = \"kernel.c\";\nseed = 3;");
    o = calab_fails(3, "lab.cfg:2", "config check %s", test_path("lab.cfg"));
    ck_assert_contains(o.err, "seed: is not a key of a lab");
}
END_TEST

/* Cases of a benchmark, too, which `bench -c` ends with. */
START_TEST(cases)
{
    const char *path = test_path("b.cfg");
    struct outcome bench, check;

    test_put("b.cfg",
             "cases = ( { model = \"fhp\"; backend = \"reference\"; size = \"8x8, 8x7\"; } );");
    bench = calab("bench --time 0.1 -q -c %s", path);
    check = calab("config check %s", path);
    ck_assert_int_ne(bench.status, 0);
    ck_assert_int_eq(check.status, 3);
    ck_assert_contains(check.err, "b.cfg");
    test_put("b.cfg",
             "cases = ( { model = \"fhp\"; backend = \"reference\"; size = \"8x8,8x7\"; } );");
    bench = calab("bench --time 0.1 -q -c %s", path);
    check = calab("config check %s", path);
    ck_assert_contains(bench.err, "the height must be even");
    ck_assert_contains(check.err, "the height must be even");
    ck_assert_int_eq(check.status, 3);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {names_and_states, settings_of_labs, cases},
                     .table = {{both, COUNT(files)}});
}
