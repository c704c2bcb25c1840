/* SPDX-License-Identifier: MIT */
/* The rules of the models as a kernel's marked place takes them, from README.md of a new folder
 * alone: the same text in C and in CUDA, and what README.md has to say for it. */
#ifndef CALAB_TESTS_LAB_SKELETONS_H
#define CALAB_TESTS_LAB_SKELETONS_H

#include <string.h>

#include "tests/support/lab_folder.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static const struct {
    const char *model, *sizes;
    int lines; /* of `body`, at most */
    const char *body;
    const char *told[15]; /* of README.md, ends with NULL */
} skeletons[] = {
    {"anneal",
     "1x1\", \"33x20",
     11,
     "int b = 0;\n"
     "for (int dy = -1; dy <= 1; dy++)\n"
     "    for (int dx = -1; dx <= 1; dx++)\n"
     "        b += in[LAB_CELL][LAB_AT(lab, (x + dx + lab->w) % lab->w, (y + dy + lab->h) % "
     "lab->h, 0)];\n"
     "out[LAB_CELL][LAB_AT(lab, x, y, 0)] = b == 4 || b >= 6;\n",
     {"B = 4 or B >= 6", "x-1   x  x+1", "torus"}},
    {"life",
     "1x1\", \"33x20",
     11,
     "int n = -in[LAB_CELL][LAB_AT(lab, x, y, 0)];\n"
     "for (int dy = -1; dy <= 1; dy++)\n"
     "    for (int dx = -1; dx <= 1; dx++)\n"
     "        n += in[LAB_CELL][LAB_AT(lab, (x + dx + lab->w) % lab->w, (y + dy + lab->h) % "
     "lab->h, 0)];\n"
     "out[LAB_CELL][LAB_AT(lab, x, y, 0)] = n == 3 || (n == 2 && in[LAB_CELL][LAB_AT(lab, x, y, "
     "0)]);\n",
     {"B3/S23", "256 NW + 128 N + 64 NE + 32 W + 16 C + 8 E + 4 SW + 2 S + SE", "lab->table[s / 8]",
      "boundary"}},
    {"life3d",
     "1x1x1\", \"17x9x5",
     17,
     "int cell = in[LAB_CELL][LAB_AT(lab, x, y, z)], n = -cell;\n"
     "for (int dz = -1; dz <= 1; dz++)\n"
     "    for (int dy = -1; dy <= 1; dy++)\n"
     "        for (int dx = -1; dx <= 1; dx++) {\n"
     "            int64_t u = (x + dx + lab->w) % lab->w;\n"
     "            int64_t v = (y + dy + lab->h) % lab->h;\n"
     "            int64_t q = (z + dz + lab->d) % lab->d;\n"
     "            n += in[LAB_CELL][LAB_AT(lab, u, v, q)];\n"
     "        }\n"
     "out[LAB_CELL][LAB_AT(lab, x, y, z)] = lab->table[27 * cell + n];\n",
     {"26 cells", "z-1             z             z+1", "lab->table[27 * cell + n]",
      "r1 = 4, r2 = 5, r3 = 7, r4 = 6", "boundary"}},
    {"cloud",
     "1x1x1\", \"17x9x5",
     16,
     "const int around[11][3] = {{-1, 0, 0}, {-2, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, -1, 0}, {0, -2, "
     "0},\n"
     "                           {0, 1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, -2}, {0, 0, 1}};\n"
     "int64_t at = LAB_AT(lab, x, y, z);\n"
     "int hum = in[LAB_HUM][at], act = in[LAB_ACT][at], f = 0;\n"
     "for (int i = 0; i < 11; i++) {\n"
     "    int64_t u = x + around[i][0], v = y + around[i][1], q = z + around[i][2];\n"
     "    if (u >= 0 && u < lab->w && v >= 0 && v < lab->h && q >= 0 && q < lab->d)\n"
     "        f |= in[LAB_ACT][LAB_AT(lab, u, v, q)];\n"
     "}\n"
     "out[LAB_HUM][at] = hum && !act;\n"
     "out[LAB_CLD][at] = in[LAB_CLD][at] || act;\n"
     "out[LAB_ACT][at] = !act && hum && f;\n",
     {"(x-1, y, z)", "(x-2, y, z)", "(x+1, y, z)", "(x+2, y, z)", "(x, y-1, z)", "(x, y-2, z)",
      "(x, y+1, z)", "(x, y+2, z)", "(x, y, z-1)", "(x, y, z-2)", "(x, y, z+1)", "event(64, p_ext)",
      "event(80, p_hum)", "event(96, p_act)"}},
    {"fhp",
     "2x2\", \"33x20",
     23,
     "const int even[6] = {-1, 0, 1, 0, -1, -1}, odd[6] = {0, 1, 1, 1, 0, -1}, row[6] = {-1, -1, "
     "0, 1, 1, 0};\n"
     "int node = in[LAB_NODE][LAB_AT(lab, x, y, 0)] & 192;\n"
     "for (int i = 0; i < 6; i++) {\n"
     "    int back = (i + 3) % 6;\n"
     "    int64_t u = (x + (y % 2 ? odd[back] : even[back]) + lab->w) % lab->w;\n"
     "    int64_t v = (y + row[back] + lab->h) % lab->h;\n"
     "    node |= in[LAB_NODE][LAB_AT(lab, u, v, 0)] & 1 << i;\n"
     "}\n"
     "if (node & 128)\n"
     "    node = (node & 192) | (node & 7) << 3 | (node >> 3 & 7);\n"
     "else\n"
     "    node = lab->table[128 * lab_bit(lab->seed, x, y, 0, lab->t, 16) + node];\n"
     "out[LAB_NODE][LAB_AT(lab, x, y, 0)] = (lab_cell)node;\n",
     {"0 NW        (x-1, y-1)      (x, y-1)", "1 NE        (x, y-1)        (x+1, y-1)",
      "2 E         (x+1, y)        (x+1, y)", "3 SE        (x, y+1)        (x+1, y+1)",
      "4 SW        (x-1, y+1)      (x, y+1)", "5 W         (x-1, y)        (x-1, y)",
      "lab_bit(lab->seed, x, y, 0, lab->t, 16)", "lab->table[128 * chirality + node]",
      "lab->t, 32, p)", "{i+1, i+4} with chirality 1", "{i-1, i+1}"}},
    {"water",
     "1x1\", \"33x20",
     40,
     "const int dx[4] = {0, -1, 1, 0}, dy[4] = {-1, 0, 0, 1};\n"
     "float g = in[LAB_TERRAIN][LAB_AT(lab, x, y, 0)], l = in[LAB_LEVEL][LAB_AT(lab, x, y, 0)];\n"
     "float change = in[LAB_SOURCE][LAB_AT(lab, x, y, 0)], best = 0;\n"
     "for (int i = 0; i < 5; i++) { /* the neighbours, then the cell itself */\n"
     "    int64_t cx = x + (i < 4 ? dx[i] : 0), cy = y + (i < 4 ? dy[i] : 0);\n"
     "    float q[5], sum;\n"
     "    int m = 1, n = 1;\n"
     "    if (cx < 0 || cx >= lab->w || cy < 0 || cy >= lab->h)\n"
     "        continue;\n"
     "    q[0] = in[LAB_TERRAIN][LAB_AT(lab, cx, cy, 0)];\n"
     "    sum = in[LAB_LEVEL][LAB_AT(lab, cx, cy, 0)] - q[0];\n"
     "    for (int k = 0; k < 4; k++) {\n"
     "        int64_t u = cx + dx[k], v = cy + dy[k];\n"
     "        int at = m;\n"
     "        if (u < 0 || u >= lab->w || v < 0 || v >= lab->h)\n"
     "            continue;\n"
     "        for (; at > 0 && q[at - 1] > in[LAB_LEVEL][LAB_AT(lab, u, v, 0)]; at--)\n"
     "            q[at] = q[at - 1];\n"
     "        q[at] = in[LAB_LEVEL][LAB_AT(lab, u, v, 0)];\n"
     "        m++;\n"
     "    }\n"
     "    sum = sum + q[0];\n"
     "    for (int k = 1; k < m && !(q[k] * (float)k > sum); k++) {\n"
     "        sum = sum + q[k];\n"
     "        n = k + 1;\n"
     "    }\n"
     "    best = sum / (float)n;\n"
     "    if (i < 4 && best - l > 0)\n"
     "        change = change + (best - l);\n"
     "}\n"
     "change = change + ((best > g ? best : g) - l);\n"
     "out[LAB_LEVEL][LAB_AT(lab, x, y, 0)] = l + change > g ? l + change : g;\n",
     {"(x, y-1)", "(x-1, y)", "(x+1, y)", "(x, y+1)", "for N, W, E, S, in this order",
      "q[i] * (float)i > sum", "sum = (l - g) + q[0]", "max(l + change, g)", "source_mode",
      "lab->scratch"}},
};

/* A new folder of a model with these options, a few cases, and `body` and `ghost` (NULL: none) in
 * the marked places of its kernel, of which it returns the folder. */
static inline const char *skeleton_filled(int which, const char *options, const char *source,
                                          const char *body, const char *ghost)
{
    static char folder[4200];
    const char *text, *mark;

    snprintf(folder, sizeof folder, "%s",
             test_path(test_text("%s-%d", skeletons[which].model, (int)strlen(options))));
    calab_done("lab new %s %s %s", skeletons[which].model, folder, options);
    lab_put(folder, "lab.cfg",
            test_text("%s\nsizes = [\"%s\"]; seeds = [1]; repeats = 1;\n"
                      "limits : { seconds = 20.0; };\n",
                      lab_get(folder, "lab.cfg"), skeletons[which].sizes));
    for (int place = ghost ? 0 : 1; place < 2; place++) {
        text = lab_get(folder, source);
        mark = strstr(text, place == 0 ? "/* Write here what it holds" : "/* Write here what cell");
        ck_assert_msg(mark != NULL, "%s: %s has no marked place", folder, source);
        lab_put(folder, source,
                test_text("%.*s%s%s", (int)(mark - text), text, place == 0 ? ghost : body,
                          strstr(mark, "*/") + 2));
    }
    return folder;
}

#define SKELETON_GHOST                                                                             \
    "plane[LAB_AT(lab, x, y, z)] = plane[LAB_AT(lab, (x + LAB_GHOSTS * lab->w) % lab->w,\n"        \
    "(y + LAB_GHOSTS * lab->h) % lab->h, (z + LAB_GHOSTS_Z * lab->d) % lab->d)];\n"

#endif
