/* SPDX-License-Identifier: MIT */
/* The files of life share these declarations. */
#ifndef CALAB_KERNELS_LIFE_H
#define CALAB_KERNELS_LIFE_H

#include "core/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIFE_TORUS, LIFE_DEAD }; /* the choices of parameter boundary */
/* Whether it is LIFE_TORUS. With dead edges all outside stays empty, also where the rule has B0. */
bool life_torus(const struct ca_setup *setup);

/* Options of the backends of a GPU, which models in files with such a rule have, too. */
extern const struct ca_param life_bitslice_options[], life_temporal_options[],
    life_overlapped_options[];

/*
 * hensel.c: the squares with n live neighbours are classes under rotation and reflection, each of
 * which Hensel's notation gives a letter; those of 0 and 8 neighbours are one class without a
 * letter. Bit i of a set of classes is letter i of life_letters(n).
 */
const char *life_letters(int n); /* "" for 0 and 8 */
unsigned life_all_letters(int n);
/* Sets the squares of these classes with an empty or a live centre. */
void life_mark_classes(uint64_t table[8], int n, bool live, unsigned classes);
/* The classes all of whose squares are set; false where a class is set in part. */
bool life_find_classes(const uint64_t table[8], int n, bool live, unsigned *classes);

/* Whether a text is a rule, which is then read: life_rule_parse without a message. */
struct life_rule;
bool life_rule_reads(struct life_rule *rule, const char *text);
/* rule_hint.c: which other family of rules a text belongs to that is not a rule of life, or what it
 * could have been meant to be, for the middle of a message; "" where nothing is known. */
void life_rule_hint(const char *text, char hint[CA_TEXT_MAX]);

#ifdef __cplusplus
}
#endif
#endif
