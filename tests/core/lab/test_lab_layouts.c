/* SPDX-License-Identifier: MIT */
/* Whole programs that take a file for what it is not: bits, bytes, axes, a header's length. What
 * each has wrong is a macro of its compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/lab/check/layouts.h"
#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* anneal from bits to bits, without threads. */
static const char bits[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    "#ifndef RBIT\n#define RBIT 7 - x % 8\n#endif\n#ifndef WBIT\n#define WBIT 7 - x % 8\n#endif\n"
    "#ifndef RSKIP\n#define RSKIP 0\n#endif\n#ifndef WMOVE\n#define WMOVE 0\n#endif\n"
    "#ifndef RCELL\n#define RCELL y * w + x\n#endif\n#ifndef SPOIL\n#define SPOIL\n#endif\n"
    "#ifndef MORE\n#define MORE 0\n#endif\n"
    "int main(int argc, char **argv)\n{\n    int n = atoi(argv[1]), w, h, row;\n"
    "    FILE *f = fopen(argv[2], \"r\");\n    unsigned char *a, *b, *bytes;\n"
    "    if (!f || fscanf(f, \"P4 %d %d\", &w, &h) != 2) return 9;\n"
    "    row = (w + 7) / 8, a = calloc(w * h, 1), b = calloc(w * h, 1);\n"
    "    bytes = calloc(row * (h + 2), 1), bytes += row;\n"
    "    fgetc(f), fseek(f, RSKIP, SEEK_CUR), fread(bytes, 1, row * h, f), fclose(f);\n"
    "    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)\n"
    "        a[RCELL] = bytes[y * row + x / 8] >> (RBIT) & 1;\n"
    "    while (n-- > 0) {\n"
    "        for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {\n            int s = 0;\n"
    "            for (int k = 0; k < 9; k++)\n"
    "                s += a[(y + k / 3 - 1 + h) % h * w + (x + k % 3 - 1 + w) % w];\n"
    "            b[y * w + x] = s == 4 || s >= 6;\n        }\n"
    "        unsigned char *swap = a; a = b, b = swap;\n    }\n    SPOIL;\n"
    "    memset(bytes, 0, row * h);\n"
    "    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)\n"
    "        bytes[y * row + x / 8] |= a[y * w + x] << (WBIT);\n"
    "    f = fopen(\"out.pbm\", \"w\"), fprintf(f, \"P4\\n%d %d\\n%s\", w, h, &\"\\n\"[!MORE]);\n"
    "    fwrite(bytes + (WMOVE), 1, row * h, f), fclose(f);\n    return 0;\n}\n";

/* water from .npy to .npy. */
static const char floats[] =
    "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#ifndef RSKIP\n#define RSKIP 0\n#endif\n#ifndef WSKIP\n#define WSKIP 0\n#endif\n"
    "#ifndef RSWAP\n#define RSWAP 0\n#endif\n#ifndef WSWAP\n#define WSWAP 0\n#endif\n"
    "#ifndef SPOIL\n#define SPOIL\n#endif\n"
    "static int w, h;\nstatic float *g, *l, *s, *best, *next;\n"
    "static int there(int x, int y, int i)\n{\n"
    "    int u = x + (i == 2) - (i == 1), v = y + (i == 3) - (i == 0);\n"
    "    return u < 0 || u >= w || v < 0 || v >= h ? -1 : v * w + u;\n}\n"
    "static void swap(float *at, int yes)\n{\n    uint32_t *u = (uint32_t *)at;\n"
    "    for (int i = 0; yes && i < 3 * w * h; i++) u[i] = __builtin_bswap32(u[i]);\n}\n"
    "static void step(void)\n{\n"
    "    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {\n"
    "        int c = y * w + x, count = 1, n = 1;\n        float q[5] = {g[c]}, sum;\n"
    "        for (int i = 0; i < 4; i++) {\n            int o = there(x, y, i), at = count;\n"
    "            if (o < 0) continue;\n"
    "            for (; at > 0 && q[at - 1] > l[o]; at--) q[at] = q[at - 1];\n"
    "            q[at] = l[o], count++;\n        }\n"
    "        sum = (l[c] - g[c]) + q[0];\n"
    "        for (int i = 1; i < count; i++) {\n            if (q[i] * (float)i > sum) break;\n"
    "            sum = sum + q[i], n = i + 1;\n        }\n"
    "        best[c] = sum / (float)n;\n    }\n"
    "    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {\n"
    "        int c = y * w + x;\n        float change = s[c];\n"
    "        for (int i = 0; i < 4; i++) {\n            int o = there(x, y, i);\n"
    "            if (o >= 0 && best[o] - l[c] > 0) change = change + (best[o] - l[c]);\n        }\n"
    "        change = change + ((best[c] > g[c] ? best[c] : g[c]) - l[c]);\n"
    "        next[c] = l[c] + change > g[c] ? l[c] + change : g[c];\n    }\n"
    "    memcpy(l, next, 4 * w * h);\n}\n"
    "int main(int argc, char **argv)\n{\n    int n = atoi(argv[1]), length, cells;\n"
    "    FILE *f = fopen(argv[4], \"r\");\n    unsigned char start[10];\n    char *head;\n"
    "    w = atoi(argv[2]), h = atoi(argv[3]), cells = w * h;\n"
    "    fread(start, 1, 10, f), length = start[8] + 256 * start[9];\n"
    "    head = malloc(length + 1), fread(head, 1, length, f), fseek(f, RSKIP, SEEK_CUR);\n"
    "    g = calloc(8 * cells, 4), l = g + cells, s = l + cells, best = s + cells;\n"
    "    next = best + cells, fread(g, 4, 3 * cells, f), fclose(f), swap(g, RSWAP);\n"
    "    while (n-- > 0) step();\n    SPOIL;\n    swap(g, WSWAP), f = fopen(\"out.npy\", \"w\");\n"
    "    fwrite(start, 1, 10, f), fwrite(head, 1, length, f);\n"
    "    fwrite((char *)g + (WSKIP), 4, 3 * cells, f), fclose(f);\n    return 0;\n}\n";

static const struct {
    const char *source, *macros;
    int status;
    const char *says;
} programs[] = {
    {bits, "", 0, "life: right: 3 cases"},
    {bits, "-DWBIT=x%8", 1,
     "The file has the bits of each byte in the other order: it is written with the first of"},
    {bits, "-DRBIT=x%8", 1,
     "The start is taken with the bits of each byte in the other order: it is read with"},
    {bits, "-DRSKIP=-1", 1,
     "The start is taken with its bits moved on by a byte: it is read from one byte too early. "
     "Look at where the header ends."},
    {bits, "-DRSKIP=1", 1,
     "The start is taken with its bits moved back by a byte: it is read from one byte too late."},
    {bits, "-DRSKIP=row", 1,
     "The start is taken with its values moved back by a row: it is read from one row too late."},
    {bits, "-DWMOVE=-row", 1,
     "The file has its values moved on by a row: it is written behind one row too many, or the "
     "start "
     "is read from one row too early."},
    {bits, "-DWMOVE=1", 1,
     "The file has its bits moved back by a byte: it is written without its first byte."},
    {bits, "'-DRCELL=(y*w+x)%h*w+(y*w+x)/h'", 1,
     "The start is taken with x and y exchanged: it is read with y as the fastest."},
    {bits, "'-DSPOIL=for(int i=0;i<w*h;i++)a[i]=!a[i]'", 1, "The file has dead and live exchanged"},
    {bits, "-DMORE=1", 1,
     "2 bytes of cells, expected 1 for 1x1: that is a byte too many, or the header is as much "
     "longer"},
    {bits, "'-DSPOIL=srand(clock()+time(0)),a[rand()%(w*h)]^=1,a[clock()%(w*h)]^=1'", 1,
     "Two runs from the same start end differently: memory is read that was never written, or "
     "something else counts that is not the same in each run, as the time"},
    {floats, "", 0, "life: right: 3 cases"},
    {floats, "-DWSWAP=1", 1,
     "The file has the bytes of each value in the other order: it is written in another byte"},
    {floats, "-DRSWAP=1", 1, "The start is taken with the bytes of each value in the other order"},
    {floats, "-DRSKIP=4", 1,
     "The start is taken with its values moved back by one: it is read from one value too late."},
    {floats, "-DRSKIP=-1", 1,
     "The start is taken with its bytes moved on by one: it is read from one byte too early."},
    {floats, "'-DSPOIL=if(w>5)l[29]=NAN'", 1,
     "The file has NaN, which is no number: on 21x16 1 after 1 generation, the first in plane "
     "level "
     "at (8, 1)"},
};

/* Neither side is a multiple of 8, and they differ. */
static const char *make_lab(int i)
{
    const char *made = test_path(test_text("layout%d", i));
    const bool is_bits = programs[i].source == bits;

    ck_assert_int_eq(mkdir(made, 0700), 0);
    lab_put(made, "lab.cfg",
            test_text("version = 1; model = \"%s\"; seeds = [3]; repeats = 2;\n"
                      "program = \"./life {n} %s {input}\"; output = \"out.%s\";\n"
                      "sizes = [\"1x1\", \"12x11\", \"21x16\"]; generations = [1, 2, 4];\n"
                      "build = \"cc -O1 -ffp-contract=off -w %s -o life life.c\";\n"
                      "limits : { seconds = 60.0; };\n",
                      is_bits ? "anneal" : "water", is_bits ? "" : "{w} {h}",
                      is_bits ? "pbm" : "npy", programs[i].macros));
    lab_put(made, "life.c", programs[i].source);
    return made;
}

START_TEST(program)
{
    struct outcome o = calab("lab check %s", make_lab(_i));

    ck_assert_msg(o.status == programs[_i].status && strstr(o.out, programs[_i].says),
                  "%s: status %d: %s%s", programs[_i].macros, o.status, o.out, o.err);
    ck_assert_msg(!strstr(o.out, "thread") && !strstr(o.out, "race"), "%s", o.out);
}
END_TEST

/* Each layout is one of another: applied to a lattice of which all values differ none is the
 * lattice itself, and no two are the same. */
START_TEST(layouts_differ)
{
    const struct ca_model *model = test_model(_i ? "water" : "fhp");
    struct ca_lattice from, to[40];
    struct ca_error error;
    int count = 0;

    ck_assert_ok(
        ca_lattice_alloc(&from, (struct ca_size){5, 3, 1}, model->type, model->planes, &error));
    for (int p = 0; p < from.planes; p++)
        for (size_t k = 0; k < ca_lattice_plane_bytes(&from); k++)
            ((uint8_t *)from.plane[p])[k] = (uint8_t)(1 + k + 61 * (size_t)p);
    for (int i = 0; lab_layout_number(i); i++) {
        if (!lab_layout_fits(lab_layout_number(i), model, ".npy"))
            continue;
        ck_assert_ok(ca_lattice_alloc(&to[count], from.size, from.type, from.planes, &error));
        lab_layout_apply(lab_layout_number(i), model, false, &from, 0, &to[count]);
        ck_assert_int_gt(ca_lattice_compare(&from, &to[count]).count, 0);
        for (int k = 0; k < count; k++)
            ck_assert_int_gt(ca_lattice_compare(&to[k], &to[count]).count, 0);
        count++;
    }
    ck_assert_int_gt(count, 8);
    for (int k = 0; k < count; k++)
        ca_lattice_free(&to[k]);
    ca_lattice_free(&from);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{program, COUNT(programs)}, {layouts_differ, 2}}); }
