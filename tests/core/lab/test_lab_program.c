/* SPDX-License-Identifier: MIT */
/* calab lab check on whole programs in C: what is said of right and wrong ones, and of files that
 * are not there or not what they should be. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* A program for anneal with two threads, which reads and writes plain PBM. `body` is behind it. */
static const char head[] =
    "#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <sys/prctl.h>\n#include <sys/stat.h>\n#include "
    "<time.h>\n#include <unistd.h>\n"
    "static int w, h, five = 4;\nstatic unsigned char *a, *b;\n"
    "static void get(const char *path)\n{\n    FILE *f = fopen(path, \"r\");\n    int cell;\n"
    "    if (!f || fscanf(f, \"P1 %d %d\", &w, &h) != 2) exit(9);\n"
    "    a = calloc(w * h, 1), b = calloc(w * h, 1);\n"
    "    for (int i = 0; i < w * h && fscanf(f, \"%d\", &cell) == 1; i++) a[i] = cell;\n"
    "    fclose(f);\n}\n"
    "static void *rows(void *first)\n{\n"
    "    for (int y = *(int *)first; y < h; y += 2)\n        for (int x = 0; x < w; x++) {\n"
    "            int s = 0;\n"
    "            for (int k = 0; k < 9; k++)\n"
    "                s += a[(y + k / 3 - 1 + h) % h * w + (x + k % 3 - 1 + w) % w];\n"
    "            b[y * w + x] = s == five || s >= 6;\n        }\n    return NULL;\n}\n"
    "static void step(void)\n{\n    pthread_t other;\n    int first[2] = {0, 1};\n"
    "    pthread_create(&other, NULL, rows, &first[1]);\n    rows(&first[0]);\n"
    "    pthread_join(other, NULL);\n"
    "    unsigned char *swap = a;\n    a = b, b = swap;\n}\n"
    "static void steps(int n) { while (n-- > 0) step(); }\n"
    "static void put(const char *path)\n{\n    FILE *f = fopen(path, \"w\");\n"
    "    fprintf(f, \"P1\\n%d %d\\n\", w, h);\n"
    "    for (int i = 0; i < w * h; i++) fprintf(f, \"%d \", a[i]);\n    fclose(f);\n}\n"
    "int main(int argc, char **argv)\n{\n    int n = atoi(argv[1]);\n    get(argv[2]);\n    ";

#define COMMAND "program = \"./life {n} {input}\";\n"
#define BASIC COMMAND "output = \"out.plain.pbm\";\n"
#define FRAMES COMMAND "output = \"frame_*.plain.pbm\";\n"

static const char *make_lab(const char *keys, const char *body)
{
    static int number;
    const char *made = test_path(test_text("lab%d", number++));

    ck_assert_int_eq(mkdir(made, 0700), 0);
    lab_put(made, "lab.cfg",
            test_text("version = 1; model = \"anneal\"; seeds = [3]; repeats = 3;\n%s"
                      "%s %s\n"
                      "build = \"cc -O1 -g -pthread -o life life.c\";\n"
                      "limits : { seconds = %s; memory_mb = 256; output_mb = 4; };\n",
                      keys, strstr(keys, "sizes") ? "" : "sizes = [\"1x1\", \"5x3\", \"33x20\"];",
                      strstr(keys, "generations") ? "" : "generations = [1, 2, 4];",
                      strstr(body, "for (;;) pause") || strstr(body, "for (; w") ? "2.0" : "30.0"));
    lab_put(made, "life.c", test_text("%s%s\n    return 0;\n}\n", head, body));
    return made;
}

static const struct {
    const char *keys, *body;
    int status;
    const char *says, *too;
} programs[] = {
    {BASIC, "steps(n); put(\"out.plain.pbm\");", 0, "life: right: 3 cases", "by its files"},
    /* Each generation in a file of its own, also the start. */
    {FRAMES,
     "char name[50]; for (int i = 0; i <= n; i++, step()) {\n"
     "sprintf(name, \"frame_%04d.plain.pbm\", i); put(name); }",
     0, "life: right: 3 cases", ""},
    {COMMAND "output = \"frames/*.plain.pbm\";",
     "system(\"mkdir frames\"); steps(n); put(\"frames/last.plain.pbm\");", 0, "life: right", ""},
    {FRAMES,
     "char name[50]; for (int i = 0; i <= n; i++, step()) {\n"
     "if (i == 3) a[0] ^= 1; sprintf(name, \"frame_%d.plain.pbm\", i); put(name); }",
     1, "generation 3, x 0, y 0", "by the command: ./life 4 ../input.plain.pbm"},
    /* Wrong cells, and why. */
    {BASIC, "five = 5; steps(n); put(\"out.plain.pbm\");", 1, "4 and 5 are taken for each other",
     "by the command: ./life "},
    {BASIC, "steps(n); if (n > 2 && w > 5) a[w * h - 1] ^= 1; put(\"out.plain.pbm\");", 1,
     "generation 3, x 32, y 19, z 0, plane cell", "./life 3 ../input.plain.pbm"},
    {BASIC, "steps(n - 1); put(\"out.plain.pbm\");", 1, "The file is one generation late", ""},
    {BASIC, "steps(n + 1); put(\"out.plain.pbm\");", 1, "The file is one generation early", ""},
    {BASIC, "put(\"out.plain.pbm\");", 1, "The file holds the start, unchanged", ""},
    /* A lattice that is not square shows more, one of few cells too little, a large one too late.
     */
    {BASIC "sizes = [\"12x11\", \"16x16\"];", "steps(n - (w == 12)); put(\"out.plain.pbm\");", 1,
     "The file is one generation late", ""},
    {BASIC "sizes = [\"4x5\", \"160x130\", \"12x11\", \"16x16\"];",
     "steps(n - (w == 12)); put(\"out.plain.pbm\");", 1, "The file is one generation late", ""},
    {BASIC "sizes = [\"12x11\", \"30x30\"];", "steps(n - (w == 30)); put(\"out.plain.pbm\");", 1,
     "The file is one generation late", ""},
    {BASIC,
     "steps(n); for (int i = 0; i < w * h; i++) b[i % w * h + i / w] = a[i]; a = b;\n"
     "put(\"out.plain.pbm\");",
     1, "x and y exchanged", ""},
    {BASIC,
     "steps(n); for (int i = 0; i < w * h; i++) b[i] = a[(h - 1 - i / w) * w + i % w]; a = b;\n"
     "put(\"out.plain.pbm\");",
     1, "upside down", ""},
    {BASIC,
     "steps(n); for (int i = 0; i < w * h; i++) b[i] = a[i / w * w + w - 1 - i % w]; a = b;\n"
     "put(\"out.plain.pbm\");",
     1, "mirrored", ""},
    {BASIC,
     "steps(n); for (int i = 0; i < w * h; i++) b[i] = a[w * h - 1 - i]; a = b;\n"
     "put(\"out.plain.pbm\");",
     1, "turned by 180 degrees", ""},
    {BASIC, "steps(n); for (int i = 0; i < w * h; i++) a[i] = !a[i]; put(\"out.plain.pbm\");", 1,
     "dead and live exchanged", ""},
    /* Of which its files alone can be seen, as it has no {n}. */
    {"program = \"./life 4 {input}\"; output = \"out.plain.pbm\"; generations = [4];\n",
     "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); steps(n);\n"
     "if (w > 5) a[t.tv_nsec / 1000 % (w * h)] ^= 1; put(\"out.plain.pbm\");",
     1, "Two runs from the same start end differently: threads read cells", ""},
    /* Files. */
    {BASIC, "steps(n);", 1, "written no file that matches 'out.plain.pbm'", "./life 1"},
    /* What is printed and nowhere else may be the result. */
    {BASIC,
     "steps(n); printf(\"P1\\n%d %d\\n\", w, h); for (int i = 0; i < w * h; i++) printf(\"%d \", "
     "a[i]);",
     1,
     "matches 'out.plain.pbm', and prints its result to standard output: write '> out.plain.pbm' "
     "behind the command",
     ""},
    {BASIC, "puts(\"done\");", 1,
     "and prints something to standard output: if that is its result, write '> out.plain.pbm'",
     "done"},
    {FRAMES,
     "steps(n); printf(\"P1\\n%d %d\\n\", w, h); for (int i = 0; i < w * h; i++) printf(\"%d \", "
     "a[i]);",
     1, "and prints its result to standard output: write '> FILE' behind the command", ""},
    {COMMAND "output = \"*.plain.pbm\";", "steps(n); put(\"a.plain.pbm\"); put(\"b.plain.pbm\");",
     1, "2 files match '*.plain.pbm'",
     "a.plain.pbm and b.plain.pbm among them, and not all of their names end in a number"},
    {FRAMES, "steps(n); put(\"frame_1.plain.pbm\"); put(\"frame_01.plain.pbm\");", 1,
     "two of their names end in the same number", ""},
    {FRAMES, "steps(n); put(\"frame_7.plain.pbm\"); put(\"frame_8.plain.pbm\");", 1,
     "the last, frame_8.plain.pbm, is not of generation 1", ""},
    {BASIC, "steps(n); int s = w; w = h; h = s; put(\"out.plain.pbm\");", 1,
     "out.plain.pbm is 3x5, expected 5x3: width and height are exchanged", "on 5x3"},
    {BASIC, "steps(n); h--; put(\"out.plain.pbm\");", 1, "out.plain.pbm", "on 1x1"},
    {BASIC, "steps(n); if (w > 1) h--; put(\"out.plain.pbm\");", 1,
     "out.plain.pbm is 5x2, expected 5x3", ""},
    {BASIC, "steps(n); FILE *f = fopen(\"out.plain.pbm\", \"w\"); fputs(\"hello\", f); fclose(f);",
     1, "this is not a PBM picture", ""},
    {BASIC, "steps(n); a[0] = 7; put(\"out.plain.pbm\");", 1, "a cell, 0 or 1, is expected", ""},
    {"program = \"./life {n} {input.plain.pbm}\"; output = \"out.npy\";\n",
     "steps(n); FILE *f = fopen(\"out.npy\", \"w\"); char t[118]; memset(t, ' ', 118);\n"
     "t[sprintf(t, \"{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }\", h, w)] = ' "
     "';\n"
     "fwrite(\"\\x93NUMPY\\1\\0v\\0\", 1, 10, f); fwrite(t, 1, 118, f); a[0] += 4;\n"
     "fwrite(a, 1, w * h, f); fclose(f);",
     1, "of plane cell, allowed: 0 ... 1", ""},
    {BASIC,
     "for (int i = 0; i < 20; i++) { mkdir(\"d\", 0700); if (chdir(\"d\")) return 7; }\n"
     "for (int i = 0; i < 20; i++) if (chdir(\"..\")) return 7;\n"
     "steps(n); put(\"out.plain.pbm\");",
     1, "leaves more than a check looks at: 4096 files", ""},
    /* Processes. */
    {BASIC, "for (;;) pause();", 6, "life: too slow, by its files: no end after 2",
     "it waits, and computes nothing, in the first case; 2 s are allowed: limits.seconds and sizes "
     "in lab.cfg say how long\n    on 1x1"},
    {BASIC, "steps(n); put(\"out.plain.pbm\"); for (; w > 5;) ;", 6,
     "life: too slow, by its files: 2 cases were right, then no end after ", "on 33x20"},
    {BASIC, "steps(n); put(\"out.plain.pbm\"); puts(\"no luck\"); return 3;", 1,
     "ended with exit status 3\n", "no luck"},
    {BASIC, "raise(SIGSEGV);", 1, "the program crashed: Segmentation fault", ""},
    {BASIC, "for (long i = 0; i < 20000000; i++) puts(\"a gigabyte, more or less, of this line\");",
     1, "prints more than it may, 4 MB", "a gigabyte"},
    {BASIC, "for (;;) { char *m = malloc(1 << 24); if (m) memset(m, 1, 1 << 24); }", 1,
     "takes more memory than it may, 256 MB", ""},
    {"program = \"./lief {n} {input}\"; output = \"out.pbm\";\n", "", 1,
     "exit status 127: the shell does not find the command", "lief: not found"},
    {"program = \"./life.c {n} {input}\"; output = \"out.pbm\";\n", "", 1,
     "exit status 126: the shell cannot run the command", "life.c"},
    {BASIC, "return absent;", 4, "cc -O1 -g -pthread -o life life.c fails: life.c:", "absent"},
};

START_TEST(program)
{
    const char *folder = make_lab(programs[_i].keys, programs[_i].body);
    struct outcome o = calab("lab check %s", folder);

    ck_assert_msg(o.status == programs[_i].status, "%s: status %d: %s%s", programs[_i].body,
                  o.status, o.out, o.err);
    if (!strstr(o.out, programs[_i].says) || !strstr(o.out, programs[_i].too))
        ck_abort_msg("%s: %s%s", programs[_i].body, o.out, o.err);
}
END_TEST

/* A run finds nothing of the runs before it, nor of the folder's outputs; what it removes is its
 * copy; what it starts ends with it. */
START_TEST(leaves_nothing)
{
    char path[400], name[16], body[600];
    const char *folder;
    struct outcome o;
    struct stat file;

    snprintf(name, sizeof name, "left%d", (int)getpid());
    snprintf(body, sizeof body,
             "if (access(\"mark\", F_OK) == 0) return 7; fclose(fopen(\"mark\", \"w\"));\n"
             "if (fork() == 0) { setsid(); prctl(PR_SET_NAME, \"%s\"); puts(\"deep\");\n"
             "fflush(stdout); for (;;) pause(); }\n"
             "if (w == 5) { sleep(1); return 5; }\n"
             "system(\"rm -rf ../source ./*\"); steps(n); put(\"out.plain.pbm\");",
             name);
    folder = make_lab(BASIC, body);
    lab_put(folder, "out.plain.pbm", "P1 1 1 0");
    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 1, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "exit status 5", "deep");
    ck_assert_int_eq(test_process(name), 0);
    snprintf(path, sizeof path, "%s/life.c", folder);
    ck_assert_int_eq(stat(path, &file), 0);
    snprintf(path, sizeof path, "%s/life", folder); /* it was built in the copy */
    ck_assert_int_ne(stat(path, &file), 0);
}
END_TEST

/* What a folder may hold besides: links to nowhere and pipes are left out, links that lead back are
 * too much. */
START_TEST(odd_folder)
{
    const char *folder = make_lab(BASIC, "steps(n); put(\"out.plain.pbm\");");
    struct outcome o;

    ck_assert_int_eq(symlink("/no/such/file", test_text("%s/nowhere", folder)), 0);
    ck_assert_int_eq(mkfifo(test_text("%s/pipe", folder), 0600), 0);
    ck_assert_int_eq(mkdir(test_text("%s/data", folder), 0700), 0);
    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_int_eq(symlink("..", test_text("%s/data/back", folder)), 0);
    o = calab_fails(8, "has more than a check copies", "lab check %s", folder);
}
END_TEST

/* An output that was there before is none of the program's. */
START_TEST(old_output)
{
    const char *folder = make_lab(BASIC, "");
    struct outcome o;

    lab_put(folder, "out.plain.pbm", "P1 1 1 0");
    o = calab("lab check %s", folder);
    ck_assert_contains(o.out, "written no file");
}
END_TEST

/* The command line names the program of a folder whose lab.cfg names none. The words of a command
 * are divided by tabs here, as those of the test are by blanks. */
START_TEST(command_line)
{
    const char *folder = make_lab("", "steps(n); put(\"out.plain.pbm\");");
    char config[] = "version = 1; model = \"anneal\"; sizes = [\"5x3\"]; seeds = [3];\n"
                    "init = \"crand\";\n",
         makefile[] = "life: life.c\n\tcc -pthread -o $@ life.c\n";
    struct outcome o;

    lab_put(folder, "lab.cfg", config);
    lab_put(folder, "Makefile", makefile);
    for (int i = 0; i < 2; i++) {
        o = calab("lab check --program ./life\t{n}\t{input} %s ./out.plain.pbm %s",
                  i == 0 ? "-o" : "--output", folder);
        ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
        ck_assert_contains(o.out, "life: right: 1 cases");
    }
}
END_TEST

START_TEST(json)
{
    const char *folder = make_lab(BASIC, "steps(n - 1); put(\"out.plain.pbm\");");
    struct outcome o = calab("lab check --json %s", folder);
    json_t *root = outcome_json(&o), *why;
    const char *verdict = NULL, *command = NULL;

    ck_assert_int_eq(o.status, 1);
    ck_assert_int_eq(
        json_unpack(root, "{s:s, s:s, s:o}", "verdict", &verdict, "command", &command, "why", &why),
        0);
    ck_assert_str_eq(verdict, "cell");
    ck_assert_str_eq(command, "./life 1 ../input.plain.pbm");
    ck_assert_str_eq(json_text(why, "0.cause"), "generation");
    ck_assert(json_number(root, "seconds") > 0 && json_number(root, "seconds") < 600);
}
END_TEST

/* A start of the program's own, by its number: no {input}, and nothing that tells the seed. */
START_TEST(own_start)
{
    const char *folder = make_lab(
        "program = \"./life {n} ../x {w} {h}\"; output = \"out.plain.pbm\"; init = \"random\";\n",
        "");
    char *text, *at, *whole;
    struct outcome o;

    text = lab_get(folder, "life.c");
    at = strstr(text, "get(argv[2]);");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_gt(/* nothing is alive at its start */
                     asprintf(&whole, "%.*s%s", (int)(at - text), text,
                              "w = atoi(argv[3]), h = atoi(argv[4]);\n    a = calloc(w * h, 1), b "
                              "= calloc(w * "
                              "h, 1);\n    steps(n); put(\"out.plain.pbm\");\n}\n"),
                     0);
    lab_put(folder, "life.c", whole);
    free(whole);
    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 1, "%s%s", o.out, o.err); /* the random start is another one */
    ck_assert_contains(o.out, "expected 1, got 0");
}
END_TEST

/* It has no calls that a backend could be made of. */
START_TEST(no_kernel)
{
    const char *folder = make_lab(BASIC, "steps(n); put(\"out.plain.pbm\");");
    const struct surroundings s = {.stdin_text = "a secret of some length"};
    struct outcome o = calab_in(&s, "lab grade %s --secret-seed -", folder);

    ck_assert_contains(o.out, "is a whole program");
    o = calab_in(&s, "lab grade --csv %s --secret-seed -", folder);
    ck_assert_str_eq(
        o.out, "name,square,uneven,oblong,speed,points,of,ratio,low,high,time,verdict,causes\n"
               "lab0,0,0,0,0,0,100,,,,,not graded,not graded\n");
    o = calab_fails(CA_USAGE, "is a whole program: calab lab check takes it", "engine --lab %s",
                    folder);
}
END_TEST

/* What `new --main` makes: it builds, and is wrong as long as nobody has written anything; with
 * the rule it is right. */
START_TEST(new_program)
{
    static const char mark[] = "/* Write here what cell (x, y, z) becomes. */";
    static const char rule[] =
        "int s = 0;\nfor (int k = 0; k < 9; k++)\n"
        "s += in->plane[0][AT(in, (x + k % 3 - 1 + in->w) % in->w, (y + k / 3 - 1 + in->h) % in->h,"
        " z)];\nout->plane[0][AT(out, x, y, z)] = s == 4 || s >= 6;\n";
    char *text, *at;
    const char *folder = test_path("new");
    struct outcome o = calab_good("lab new anneal %s --main", folder);

    ck_assert_contains(o.out, "write program.c");
    text = lab_get(folder, "lab.cfg");
    lab_put(folder, "lab.cfg", test_text("%s\nsizes = [\"2x2\", \"33x20\"];\n", text));
    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 1, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "do not depend on the start");
    text = lab_get(folder, "program.c");
    at = strstr(text, mark);
    ck_assert_ptr_nonnull(at);
    lab_put(folder, "program.c",
            test_text("%.*s%s%s", (int)(at - text), text, rule, at + strlen(mark)));
    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 0, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "program: right: 4 cases");
    lab_put(folder, "Makefile", "all:");
    o = calab("lab update %s", folder); /* the Makefile is the program's */
    ck_assert_int_eq(o.status, 0);
    text = lab_get(folder, "Makefile");
    ck_assert_str_eq(text, "all:");
}
END_TEST

/* Every model's new program builds, reads its start and writes a file that is read. */
START_TEST(new_of_model)
{
    const char *folder = test_path(ca_models[_i]->name);
    struct outcome o = calab_good("lab new %s %s --main", ca_models[_i]->name, folder);

    o = calab("lab check %s", folder);
    ck_assert_msg(o.status == 1, "%s%s", o.out, o.err);
    ck_assert_contains(o.out, "plane ", ": expected ");
}
END_TEST

static const struct refusal refusals[] = {
    {"lab new anneal x --main --own", 2, "--main", "--own"},
    {"lab new anneal x --main --cuda", 2, "--main", "--cuda"},
    {"lab new fhp x --task fhp-table --main", 2, "--task", "--main"},
    {"lab new anneal x --program ./life", 2, "--program", "lab check"},
    {"lab check configs/lab/anneal --program ./life\t{n}\t{w}\t{h}", 2, "--output",
     "output is missing"},
    {"lab check configs/lab/anneal --output out.pbm", 2, "--output", "--program"},
    {"lab check configs/lab/anneal -o out.pbm", 2, "--output", "--program"},
    {"lab check configs/lab/anneal --program ./life\t{m} --output out.pbm", 2, "{m} is not known",
     "{seed}"},
    {"lab check configs/lab/anneal --program ./life\t{n} --output out.pbm", 2,
     "neither {input} nor {w}, {h}", "512x512"},
    {"lab check configs/lab/anneal --program ./life\t{w}\t{h} --output out.pbm", 2, "no {n}",
     "generations = "},
    {"lab check configs/lab/anneal --program ./life\t{n}\t{input} --output out.txt", 2, "out.txt",
     ".pbm"},
    {"lab check configs/lab/life3d-tile --program ./life\t{n}\t{input} --output out.pbm", 2,
     "out.pbm", ".npy"},
};

int main(void)
{
    return RUN_TESTS(.test = {leaves_nothing, old_output, odd_folder, command_line, json, own_start,
                              no_kernel, new_program},
                     .table = {{program, COUNT(programs)},
                               {new_of_model, test_models()},
                               {refusals_test(refusals), COUNT(refusals)}});
}
