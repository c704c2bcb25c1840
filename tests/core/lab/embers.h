/* SPDX-License-Identifier: MIT */
/* A model in a file with random draws, and the same for kernels of labs. */
#ifndef CALAB_TESTS_LAB_EMBERS_H
#define CALAB_TESTS_LAB_EMBERS_H

#define FILE_OF(more)                                                                              \
    "#define CA_DRAWS 2\n#include \"calab_model.h\"\n" more "CA_MODEL(embers, \"fires\")\n"        \
    "CA_STATE(SOIL, 0, '.', CA_QUIET, \"soil\")\n"                                                 \
    "CA_STATE(TREE, 1, '#', CA_GREEN, \"tree\")\n"                                                 \
    "CA_STATE(FIRE, 2, '*', CA_WARM, \"fire\")\n"                                                  \
    "CA_PARAM(spark, 0.1, 0, 1, \"chance of a spark\")\n"                                          \
    "CA_RANDOM_START(random, \"some\", SHARE(TREE, 0.6), SHARE(FIRE, 0.1))\n"                      \
    "CA_CELL cell(CA_NB nb)\n{\n"                                                                  \
    "    if (AT(0, 0) == TREE)\n"                                                                  \
    "        return ANY4(FIRE) || CHANCE(0, spark) ? FIRE : TREE;\n"                               \
    "    return AT(0, 0) == FIRE ? SOIL : UNIFORM(1) < 0.25f;\n}\n"

/* The same for a lab, in C and in CUDA; SOUTH reads the neighbour below, STREAM is drawn. */
#define KERNEL(south, stream)                                                                      \
    "#include \"calab_lab.h\"\n#include \"calab_draw.h\"\n"                                        \
    "#ifdef __CUDACC__\n#define ON_DEVICE __device__\n#else\n#define ON_DEVICE\n#endif\n"          \
    "static ON_DEVICE int at(const struct lab *lab, lab_input *p, int64_t x, int64_t y)\n{\n"      \
    "    return p[LAB_AT(lab, (x + lab->w) % lab->w, (y + lab->h) % lab->h, 0)];\n}\n"             \
    "static ON_DEVICE uint32_t drawn(const struct lab *lab, int64_t x, int64_t y, int s)\n{\n"     \
    "    return lab_uniform(lab->seed, x, y, 0, lab->t, (uint32_t)(16 + s));\n}\n"                 \
    "static ON_DEVICE int next(const struct lab *lab, lab_input *p, int64_t x, int64_t y,\n"       \
    "                          uint32_t below)\n{\n"                                               \
    "    int c = at(lab, p, x, y);\n"                                                              \
    "    int fire = at(lab, p, x - 1, y) == 2 || at(lab, p, x + 1, y) == 2 ||\n"                   \
    "               at(lab, p, x, y - 1) == 2" south ";\n"                                         \
    "    if (c == 1)\n"                                                                            \
    "        return fire || drawn(lab, x, y, 0) >> 2 < below ? 2 : 1;\n"                           \
    "    return c == 0 && drawn(lab, x, y, " stream ") >> 8 < 1 << 22;\n}\n"
#define SOUTH " || at(lab, p, x, y + 1) == 2"

#endif
