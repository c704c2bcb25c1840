/* SPDX-License-Identifier: MIT */
/*
 * A rule as a program of functions of three inputs, for rules that do not go by counts: found when
 * an instance opens, and run for many words of cells at once (bitslice.c).
 *
 * The rule's table is a decision diagram of the nine cells with shared nodes, whose order of cells
 * is searched: a node selects by its cell among two others, which is a function of three inputs,
 * and so is any part of the diagram that three cells decide. Hensel's rules take some 35 functions,
 * and a random table 110.
 */
#ifndef CALAB_KERNELS_LIFE_PROGRAM_H
#define CALAB_KERNELS_LIFE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* A diagram has no more: 63 parts of the table above three cells, and 64 of three. */
#define LIFE_FUNCTIONS_MAX 128
#define LIFE_CELLS 9

/*
 * slot[to] = table of slots a, b and c: bit 4 a + 2 b + c. Slots 0 ... 8 are the cells, slot i the
 * one that counts 2^i in a square's number.
 */
struct life_function {
    uint8_t table, a, b, c, to;
};

struct life_program {
    int count, slots;
    struct life_function function[LIFE_FUNCTIONS_MAX];
    /* The result: this slot, or, with slot < 0, 0; and where `inverted`, the complement. */
    int result;
    bool inverted;
};

/* The tables that functions have: those of two or three inputs that are 0 where these are, one of
 * each that exchanging inputs makes of another. */
#define LIFE_FUNCTION_TABLES(X)                                                                    \
    X(2)                                                                                           \
    X(6)                                                                                           \
    X(8)                                                                                           \
    X(10)                                                                                          \
    X(14)                                                                                          \
    X(22)                                                                                          \
    X(24)                                                                                          \
    X(26)                                                                                          \
    X(30)                                                                                          \
    X(40)                                                                                          \
    X(42)                                                                                          \
    X(44)                                                                                          \
    X(46)                                                                                          \
    X(60)                                                                                          \
    X(62)                                                                                          \
    X(104)                                                                                         \
    X(106)                                                                                         \
    X(110)                                                                                         \
    X(126)                                                                                         \
    X(128)                                                                                         \
    X(130)                                                                                         \
    X(134)                                                                                         \
    X(136)                                                                                         \
    X(138)                                                                                         \
    X(142)                                                                                         \
    X(150)                                                                                         \
    X(152)                                                                                         \
    X(154)                                                                                         \
    X(158)                                                                                         \
    X(168)                                                                                         \
    X(172)                                                                                         \
    X(174)                                                                                         \
    X(188)                                                                                         \
    X(190)                                                                                         \
    X(232)                                                                                         \
    X(234)                                                                                         \
    X(238)                                                                                         \
    X(254)

void life_program_make(struct life_program *program, const uint64_t table[8]);

#endif
