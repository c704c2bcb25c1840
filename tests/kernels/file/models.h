/* SPDX-License-Identifier: MIT */
/* Models in files, as tests write them. */
#ifndef CALAB_TESTS_KERNELS_FILE_MODELS_H
#define CALAB_TESTS_KERNELS_FILE_MODELS_H

#define TWO_STATES                                                                                 \
    "CA_STATE(EMPTY, 0, '.', CA_QUIET, \"empty\")\n"                                               \
    "CA_STATE(LIVE, 1, 'O', CA_STRONG, \"live\")\n"

#define INCLUDE "#include \"calab_model.h\"\n"

/* B36/S23 on a lattice whose edges `edges` says. */
#define HIGHLIFE(name, edges)                                                                      \
    edges INCLUDE "CA_MODEL(" name ", \"HighLife\")\n" TWO_STATES                                  \
                  "CA_COUNT(live, LIVE, \"live cells\")\n"                                         \
                  "CA_RANDOM_START(random, \"half\", SHARE(LIVE, 0.5))\n"                          \
                  "CA_CELL cell(CA_NB nb)\n"                                                       \
                  "{\n"                                                                            \
                  "    ca_cell n = COUNT8(LIVE);\n"                                                \
                  "\n"                                                                             \
                  "    return AT(0, 0) == LIVE ? n == 2 || n == 3 : n == 3 || n == 6;\n"           \
                  "}\n"

/* Four states, two draws: what burns leaves ash, which turns to soil by chance. */
#define FOREST                                                                                     \
    "#define CA_DRAWS 2\n" INCLUDE "CA_MODEL(embers, \"forest fire with ash\")\n"                  \
    "CA_STATE(SOIL, 0, '.', CA_QUIET, \"soil\")\n"                                                 \
    "CA_STATE(TREE, 1, '#', CA_GREEN, \"tree\")\n"                                                 \
    "CA_STATE(FIRE, 2, '*', CA_WARM, \"fire\")\n"                                                  \
    "CA_STATE(ASH, 3, '-', CA_COLD, \"ash\")\n"                                                    \
    "CA_PARAM(spark, 0.01, 0, 1, \"chance of a spark\")\n"                                         \
    "CA_PARAM(change, 0.3, 0, 1, \"chance that ash or soil changes\")\n"                           \
    "CA_PARAM(wood, 0.6, 0, 1, \"share of trees at the start\")\n"                                 \
    "CA_COUNT(trees, TREE, \"trees\")\n"                                                           \
    "CA_COUNT(fires, FIRE, \"fires\")\n"                                                           \
    "CA_SUM(codes, 0, \"sum of all codes\")\n"                                                     \
    "CA_RANDOM_START(random, \"trees and some fires\", SHARE_OF(TREE, wood), SHARE(FIRE, 0.1))\n"  \
    "CA_START(stripes, \"columns of trees\")\n"                                                    \
    "{\n"                                                                                          \
    "    return nb.x % 2 ? TREE : CHANCE(0, wood) ? FIRE : SOIL;\n"                                \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    int c = AT(0, 0);\n"                                                                      \
    "\n"                                                                                           \
    "    if (c == FIRE)\n"                                                                         \
    "        return ASH;\n"                                                                        \
    "    if (c == TREE)\n"                                                                         \
    "        return ANY4(FIRE) || CHANCE(0, spark) ? FIRE : TREE;\n"                               \
    "    return CHANCE(1, change) ? (c == ASH ? SOIL : TREE) : c;\n"                               \
    "}\n"

/* A rule of nine cells that knows its directions, with dead edges and a parameter. */
#define SLANTED                                                                                    \
    "#define CA_EDGES CA_DEAD\n" INCLUDE "CA_MODEL(slanted, \"slanted\")\n" TWO_STATES             \
    "CA_COUNT(empty, EMPTY, \"empty cells\")\n"                                                    \
    "CA_COUNT(live, LIVE, \"live cells\")\n"                                                       \
    "CA_PARAM_INT(least, 2, 0, 9, \"of cells\")\n"                                                 \
    "CA_START(dots, \"by place\")\n"                                                               \
    "{\n"                                                                                          \
    "    return (nb.x * 7 + nb.y * nb.x) % 5 < 2;\n"                                               \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    if (AT(-1, -1) && !AT(1, 0))\n"                                                           \
    "        return AT(0, 1) ^ AT(1, -1);\n"                                                       \
    "    return SUM9() >= PARAM_INT(least) ? AT(-1, 0) : !AT(0, -1);\n"                            \
    "}\n"

/* Three areas, of which one reaches as far as any may. */
#define FAR(name, edges)                                                                           \
    "#define CA_REACH 8\n#define CA_AREAS 3\n" edges INCLUDE "CA_MODEL(" name                      \
    ", \"far\")\n" TWO_STATES "CA_STATE(OLD, 2, 'o', CA_COLD, \"old\")\n"                          \
    "CA_AREA(square, 0, CA_SQUARE, 4, LIVE, \"within 4\")\n"                                       \
    "CA_AREA(steps, 1, CA_DIAMOND, 3, OLD, \"3 steps\")\n"                                         \
    "CA_AREA(disc, 2, CA_DISC, 8, EMPTY, \"a disc\")\n"                                            \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    uint16_t n = AREA(square) + AREA(disc);\n"                                                \
    "\n"                                                                                           \
    "    if (AREA(steps) % 3 == 1)\n"                                                              \
    "        return AT(1, 0);\n"                                                                   \
    "    return n % 5 == 0 ? LIVE : n % 5 == 1 ? OLD : AT(0, 0);\n"                                \
    "}\n"

/* A lattice gas without laws: a draw of 32 bits and three of 16, of which one always happens and
 * one never. */
#define SPARKS                                                                                     \
    "#define CA_DRAWS 1\n#define CA_DRAWS_16 3\n" INCLUDE "CA_MODEL(sparks, \"sparks\")\n"         \
    "CA_STATE(DARK, 0, '.', CA_QUIET, \"dark\")\n"                                                 \
    "CA_STATE(GLOW, 1, 'o', CA_WARM, \"glows\")\n"                                                 \
    "CA_STATE(HOT, 2, '*', CA_STRONG, \"hot\")\n"                                                  \
    "CA_PARAM(spark, 0.3, 0, 1, \"chance of a spark\")\n"                                          \
    "CA_PARAM_16(fade, 0.40625, 0, 1, \"chance to fade\")\n"                                       \
    "CA_PARAM_16(always, 1, 0, 1, \"1\")\n"                                                        \
    "CA_PARAM_16(never, 0, 0, 1, \"0\")\n"                                                         \
    "CA_START(drawn, \"by draws\")\n"                                                              \
    "{\n"                                                                                          \
    "    return CHANCE_16(1, fade) ? HOT : DRAWN_16(2) & 1;\n"                                     \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell c = AT(0, 0);\n"                                                                  \
    "\n"                                                                                           \
    "    if (CHANCE_16(2, never) || !CHANCE_16(1, always))\n"                                      \
    "        return HOT;\n"                                                                        \
    "    if (c == HOT)\n"                                                                          \
    "        return CHANCE_16(0, fade) ? GLOW : DRAWN_16(1) > 60000 ? DARK : HOT;\n"               \
    "    return ANY4(HOT) && CHANCE(0, spark) ? HOT : c;\n"                                        \
    "}\n"

/* Two planes of floats; the left and right edges are constant, the others closed. */
#define REACTION                                                                                   \
    "#define CA_FLOATS 2\n#define CA_EDGE_X CA_CONSTANT\n#define CA_BEYOND 1, 0.25f\n" INCLUDE     \
    "CA_MODEL(reaction, \"reaction and diffusion\")\n"                                             \
    "CA_PLANE(U, 0, \"mol\", 0, 1, \"u\")\n"                                                       \
    "CA_PLANE(V, 1, \"mol\", 0, 1, \"v\")\n"                                                       \
    "CA_PARAM(feed, 0.037, 0, 0.1, \"feed rate\")\n"                                               \
    "CA_SUM(all_u, U, \"sum of u\")\n"                                                             \
    "CA_START(ramp, \"a ramp\")\n"                                                                 \
    "{\n"                                                                                          \
    "    return NEXT((float)nb.x / (float)nb.w, (float)(nb.y % 5) / 7);\n"                         \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    float u = VALUE(U, 0, 0), v = VALUE(V, 0, 0), uvv = u * v * v;\n"                         \
    "\n"                                                                                           \
    "    return NEXT(u + 0.2f * LAPLACE(U) - uvv + PARAM(feed) * (1 - u),\n"                       \
    "                v + 0.1f * LAPLACE(V) + uvv - (PARAM(feed) + 0.06f) * v);\n"                  \
    "}\n"

/* Four planes of floats. */
#define FOUR                                                                                       \
    "#define CA_FLOATS 4\n#define CA_EDGES CA_CONSTANT\n#define CA_BEYOND 1, 2, 3, 0.5f\n" INCLUDE \
    "CA_MODEL(four, \"four planes\")\n"                                                            \
    "CA_PLANE(A, 0, \"\", 0, 9, \"a\")\n"                                                          \
    "CA_PLANE(B, 1, \"\", 0, 9, \"b\")\n"                                                          \
    "CA_PLANE(C, 2, \"\", 0, 9, \"c\")\n"                                                          \
    "CA_PLANE(D, 3, \"\", 0, 9, \"d\")\n"                                                          \
    "CA_SUM(all_d, D, \"sum of d\")\n"                                                             \
    "CA_START(ramps, \"ramps\")\n"                                                                 \
    "{\n"                                                                                          \
    "    return NEXT((float)nb.x, (float)nb.y, (float)(nb.x * nb.y), 3);\n"                        \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    return NEXT(VALUE(B, 1, 0), VALUE(C, 0, 1), VALUE(D, -1, 0), VALUE(A, 0, -1) / 2);\n"     \
    "}\n"

/* 3D, closed along x, dead along y, constant along z; reads y, z and the generation. */
#define CLOUDS                                                                                     \
    "#define CA_DIMENSIONS 3\n#define CA_EDGE_Y CA_DEAD\n#define CA_EDGE_Z CA_CONSTANT\n"          \
    "#define CA_BEYOND 1\n" INCLUDE "CA_MODEL(clouds, \"a rule in 3D\")\n" TWO_STATES              \
    "CA_COUNT(live, LIVE, \"live cells\")\n"                                                       \
    "CA_RANDOM_START(random, \"a third\", SHARE(LIVE, 0.3))\n"                                     \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell n = COUNT26(LIVE);\n"                                                             \
    "\n"                                                                                           \
    "    if (AT3(0, 0, 0) == LIVE)\n"                                                              \
    "        return n >= 5 && n <= 10;\n"                                                          \
    "    return (n >= 7 && n <= 9) || ((nb.y + nb.z + (int)nb.t) % 7 == 0 && COUNT6(LIVE) == "     \
    "2);\n"                                                                                        \
    "}\n"

/* Hexagons of radius 2 with constant edges. */
#define HEXAGONS                                                                                   \
    "#define CA_HEXAGONAL\n#define CA_RADIUS 2\n#define CA_EDGES CA_CONSTANT\n"                    \
    "#define CA_BEYOND 2\n" INCLUDE "CA_MODEL(hexagons, \"six neighbours\")\n" TWO_STATES          \
    "CA_STATE(OLD, 2, 'o', CA_COLD, \"old\")\n"                                                    \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell n = HEX_COUNT(LIVE), far = SQUARE_COUNT(2, OLD);\n"                               \
    "\n"                                                                                           \
    "    if (AT(0, 0) == LIVE)\n"                                                                  \
    "        return OLD;\n"                                                                        \
    "    return HEX(0) == OLD && HEX(4) == LIVE ? LIVE : n == 2 || far > 11 ? LIVE : EMPTY;\n"     \
    "}\n"

/* Three planes of states in a byte, of which one has no names; constant along x. */
#define LANES                                                                                      \
    "#define CA_STATE_PLANES 3, 6, 2\n"                                                            \
    "#define CA_DRAWS 1\n"                                                                         \
    "#define CA_EDGE_X CA_CONSTANT\n"                                                              \
    "#define CA_BEYOND 2, 5, 1\n"                                                                  \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(lanes, \"three planes of states\")\n"                                                \
    "CA_PLANE(KIND, 0, \"what a cell is\")\n"                                                      \
    "CA_STATE(EMPTY, 0, '.', CA_QUIET, \"empty\")\n"                                               \
    "CA_STATE(LIVE, 1, 'O', CA_STRONG, \"live\")\n"                                                \
    "CA_STATE(OLD, 2, 'o', CA_COLD, \"old\")\n"                                                    \
    "CA_PLANE(SPEED, 1, \"a number\")\n"                                                           \
    "CA_PLANE(LIT, 2, \"whether it is lit\")\n"                                                    \
    "CA_STATE(DARK, 0, ' ', CA_QUIET, \"dark\")\n"                                                 \
    "CA_STATE(LIGHT, 1, '*', CA_WARM, \"lit\")\n"                                                  \
    "CA_PARAM(spark, 0.3, 0, 1, \"chance of a spark\")\n"                                          \
    "CA_PARAM(old, 0.25, 0, 1, \"share of old cells\")\n"                                          \
    "CA_COUNT(olds, OLD, \"old cells\")\n"                                                         \
    "CA_COUNT(lights, LIGHT, \"lit cells\")\n"                                                     \
    "CA_SUM(speeds, SPEED, \"all speeds\")\n"                                                      \
    "CA_RANDOM_START(random, \"by chance\", SHARE(LIVE, 0.5), SHARE_OF(OLD, old), SHARE(LIGHT, "   \
    "0.2))\n"                                                                                      \
    "CA_START(rows, \"by place\")\n"                                                               \
    "{\n"                                                                                          \
    "    return NEXT(nb.y % 3, (nb.x + nb.y) % 6, nb.x % 2);\n"                                    \
    "}\n"                                                                                          \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell kind = VALUE(KIND, 0, 0), n = COUNT8(KIND, LIVE), all = SUM4(SPEED) + SUM9();\n"  \
    "\n"                                                                                           \
    "    return NEXT(n == 3 ? LIVE : n > 4 ? OLD : kind,\n"                                        \
    "                (all + VALUE(SPEED, 1, -1)) % 6,\n"                                           \
    "                CHANCE(0, spark) ? ANY4(LIT, LIGHT) : SQUARE_COUNT(1, SPEED, 4) > 2);\n"      \
    "}\n"

/* Eight planes of a bit in 3D; dead along y, constant along z. */
#define LAYERS                                                                                     \
    "#define CA_DIMENSIONS 3\n"                                                                    \
    "#define CA_STATE_PLANES 2, 2, 2, 2, 2, 2, 2, 2\n"                                             \
    "#define CA_EDGE_Y CA_DEAD\n"                                                                  \
    "#define CA_EDGE_Z CA_CONSTANT\n"                                                              \
    "#define CA_BEYOND 1, 0, 1, 1, 0, 0, 1, 1\n"                                                   \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(layers, \"eight planes\")\n"                                                         \
    "CA_PLANE(A, 0, \"a\")\n"                                                                      \
    "CA_PLANE(B, 1, \"b\")\n"                                                                      \
    "CA_PLANE(C, 2, \"c\")\n"                                                                      \
    "CA_PLANE(D, 3, \"d\")\n"                                                                      \
    "CA_PLANE(E, 4, \"e\")\n"                                                                      \
    "CA_PLANE(F, 5, \"f\")\n"                                                                      \
    "CA_PLANE(G, 6, \"g\")\n"                                                                      \
    "CA_PLANE(H, 7, \"h\")\n"                                                                      \
    "CA_SUM(hs, H, \"all of h\")\n"                                                                \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell n = COUNT26(A, 1), s = SUM6(H);\n"                                                \
    "\n"                                                                                           \
    "    return NEXT(VALUE3(B, 1, 0, 0), VALUE3(C, 0, 1, 0), VALUE3(D, 0, 0, 1), VALUE3(E, -1, "   \
    "0, 0),\n"                                                                                     \
    "                VALUE3(F, 0, -1, 0), VALUE3(G, 0, 0, -1), n > 9 && n < 16, (s + VALUE3(A, "   \
    "0, 0, 0)) % 2);\n"                                                                            \
    "}\n"

/* Hexagons of two planes. */
#define COMBS                                                                                      \
    "#define CA_HEXAGONAL\n"                                                                       \
    "#define CA_STATE_PLANES 4, 5\n"                                                               \
    "#define CA_EDGES CA_CONSTANT\n"                                                               \
    "#define CA_BEYOND 3, 4\n"                                                                     \
    "#include \"calab_model.h\"\n"                                                                 \
    "CA_MODEL(combs, \"two planes of hexagons\")\n"                                                \
    "CA_PLANE(WAX, 0, \"wax\")\n"                                                                  \
    "CA_PLANE(BEE, 1, \"bees\")\n"                                                                 \
    "CA_SUM(bees, BEE, \"bees\")\n"                                                                \
    "CA_CELL cell(CA_NB nb)\n"                                                                     \
    "{\n"                                                                                          \
    "    ca_cell n = HEX_COUNT(BEE, 2), s = HEX_SUM(BEE);\n"                                       \
    "\n"                                                                                           \
    "    return NEXT((HEX(1) + HEX_VALUE(BEE, 3) + n) % 4, HEX_ANY(WAX, 3) ? s % 5 : VALUE(BEE, "  \
    "0, 0));\n"                                                                                    \
    "}\n"

#endif
