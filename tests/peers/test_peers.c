/* SPDX-License-Identifier: MIT */
/*
 * The scripts of tests/peers on a machine where some of calab's backends cannot run: they are left
 * out, with calab's reason. What is not installed (python3, numpy, Golly) is not tested.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/support.h"

static char said[8192]; /* by the last script, on both streams */

/* Runs a line of shell in tests/peers; its status. On this CPU there is no AVX. */
static int script(const char *line)
{
    char command[4096];
    FILE *out;
    size_t count;
    int status;

    snprintf(command, sizeof command,
             "cd '%s' && PYTHONDONTWRITEBYTECODE=1 CALAB_CPU=baseline CALAB='%s' && "
             "export PYTHONDONTWRITEBYTECODE CALAB_CPU CALAB && {\n%s\n} 2>&1 </dev/null",
             test_source("tests/peers"), test_program(), line);
    out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    count = fread(said, 1, sizeof said - 1, out);
    said[count] = '\0';
    status = pclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool has(const char *line)
{
    if (script(line) == 0)
        return true;
    printf("not tested without: %s\n", line);
    return false;
}

#define ASKED "python3 -c 'import peer; print(peer.runnable([%s], \"anneal\"))'"

START_TEST(what_cannot_run_is_left_out)
{
    char line[400];

    if (!has("python3 -c 'import json'"))
        return;
    snprintf(line, sizeof line, ASKED,
             "\"reference\", \"bitslice-avx512\", \"bitslice-avx2/threads=1\", \"bit*\"");
    ck_assert_int_eq(script(line), 0);
    ck_assert_contains(said, "calab's bitslice-avx512 is left out: ",
                       "calab's bitslice-avx2/threads=1 is left out: ", "['reference', 'bit*']");
    snprintf(line, sizeof line, ASKED, "\"bitslice-avx512\"");
    ck_assert_int_eq(script(line), 1);
    ck_assert_contains(said, "none of these backends of anneal can run here");
    ck_assert_ptr_null(strstr(said, "Traceback"));
    ck_assert_int_eq(script("CALAB=/none python3 -c 'import peer; peer.calab(\"list\")'"), 1);
    ck_assert_contains(said, "/none: No such file or directory; `make` builds it");
    ck_assert_int_eq(script("python3 -c 'import peer; peer.calab(\"run\", \"aneal\")'"), 1);
    ck_assert_contains(said, "calab run: ");
}
END_TEST

START_TEST(golly)
{
    if (!has("command -v python3 && command -v bgolly"))
        return;
    ck_assert_msg(script("python3 golly.py 64 8 1") == 0, "%s", said);
    ck_assert_contains(said, "calab's bitslice-avx512 is left out: ", "golly QuickLife",
                       "\nbitslice  ");
    ck_assert_ptr_null(strstr(said, "\nbitslice-avx512"));
}
END_TEST

START_TEST(golly_on_life)
{
    if (!has("command -v python3 && command -v bgolly"))
        return;
    test_put("block.rle", "x = 2, y = 2, rule = B3/S23\n2o$2o!\n");
    test_put("wire.rle", "x = 1, y = 1, rule = WireWorld\nA!\n");
    ck_assert_msg(script(test_text("python3 golly_rules.py 3 8 '%s'", test_path("."))) == 0, "%s",
                  said);
    ck_assert_contains(said, "of 9 compared, all equal", "patterns: 1 of 2 compared, all equal",
                       "1 left out: several states");
}
END_TEST

START_TEST(golly_on_wireworld)
{
    if (!has("command -v python3 && command -v bgolly"))
        return;
    test_put("loop.rle", "x = 5, y = 3, rule = WireWorld\n.BA$C2.C$.2C!\n");
    ck_assert_msg(
        script(test_text("python3 golly_wireworld.py '%s' 50 1", test_path("loop.rle"))) == 0, "%s",
        said);
    ck_assert_contains(said, "Wireworld, loop.rle, 4x3, 50 generations",
                       "all cells equal at the end", "\nthreads ");
    test_put("torus.rle", "x = 1, y = 1, rule = WireWorld:T9,9\nC!\n");
    ck_assert_int_eq(script(test_text("python3 golly_wireworld.py '%s'", test_path("torus.rle"))),
                     1);
    ck_assert_contains(said, "not a pattern of WireWorld without edges");
}
END_TEST

START_TEST(model_in_a_file)
{
    if (!has("python3 -c 'import numpy'"))
        return;
    ck_assert_msg(script("python3 model_file.py 64 8 16 3") == 0, "%s", said);
    ck_assert_contains(said, "Wireworld 64x64, 8 generations, one thread: all cells equal",
                       "\nNumPy ", "\ncalab threads ");
}
END_TEST

START_TEST(without_golly)
{
    if (!has("command -v python3"))
        return;
    ck_assert_int_eq(script("python3 -c 'import os, sys; os.environ[\"PATH\"] = \"/none\"; "
                            "sys.argv = [\"golly.py\", \"64\", \"8\", \"1\"]; "
                            "import golly; golly.main()'"),
                     1);
    ck_assert_contains(said, "bgolly: No such file or directory (Debian package golly)");
    ck_assert_ptr_null(strstr(said, "Traceback"));
}
END_TEST

/* A checkout that is none, and rows that the kernel cannot take, are refused before it is built. */
START_TEST(fast_life)
{
    if (!has("command -v python3"))
        return;
    ck_assert_int_eq(script("python3 fast_life.py /none"), 2);
    ck_assert_contains(said, "/none: not a checkout of fast-game-of-life");
    test_put("settings.toml", "[opencl]\nstep-size = 3\n[cuda]\nwork-per-thread = 16\n"
                              "step-size = 16\n");
    ck_assert_int_eq(script(test_text("mkdir -p '%s' && touch '%s' && "
                                      "python3 fast_life.py '%s' --rows 6",
                                      test_path("src/kernels"), test_path("src/kernels/gol.cu"),
                                      test_path("."))),
                     2);
    ck_assert_contains(said, "--rows: a multiple of 4, more than 1");
    ck_assert_int_eq(script(test_text("python3 fast_life.py '%s' --steps 40", test_path("."))), 2);
    ck_assert_contains(said, "--steps: a multiple of 16");
}
END_TEST

/* An array library in a few words, as jax_roll.py and torch_roll.py bring theirs. */
static const char rolled[] =
    "python3 - anneal 32x32 3 %s <<'EOF'\n"
    "import numpy\nimport roll\n"
    "def step(cells):\n"
    "    for axis in range(2):\n"
    "        cells = cells + numpy.roll(cells, 1, axis) + numpy.roll(cells, -1, axis)\n"
    "    return ((cells == 4) | (cells >= 6)).astype(numpy.uint8)\n"
    "def ways(model, rule, steps, load):\n"
    "    yield 'rolled', lambda cells: step(step(step(cells)))\n"
    "roll.main(roll.Peer('numpy', 'cpu', False, lambda a: a.copy(), lambda a: a, ways))\n"
    "EOF\n";

START_TEST(array_libraries)
{
    char line[2000];

    if (!has("python3 -c 'import numpy'"))
        return;
    snprintf(line, sizeof line, rolled, "--backend bitslice,bitslice-avx512");
    ck_assert_msg(script(line) == 0, "%s", said);
    ck_assert_contains(said,
                       "calab's bitslice-avx512 is left out: ", "last states equal cell for cell",
                       "\nbitslice  ");
    snprintf(line, sizeof line, rolled, "--backend bitslice-avx2");
    ck_assert_int_eq(script(line), 1);
    ck_assert_contains(said, "none of these backends of anneal can run here");
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {what_cannot_run_is_left_out, golly, golly_on_life, golly_on_wireworld,
                              model_in_a_file, without_golly, array_libraries, fast_life});
}
