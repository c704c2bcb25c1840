/* SPDX-License-Identifier: MIT */
/*
 * The rule of Life in three dimensions, once, for C and CUDA (Bays, "Candidates for the Game of
 * Life in Three Dimensions", Complex Systems 1, 1987), and its notation.
 */
#ifndef CALAB_KERNELS_LIFE3D_RULE_H
#define CALAB_KERNELS_LIFE3D_RULE_H

#include <stdint.h>

#include "core/model/model.h"
#include "kernels/cpu/rule.h"

#define LIFE3D_NEIGHBOURS 26

/* Bit n of a mask: what happens to a cell with n live cells among its 26 neighbours. */
struct life3d_rule {
    uint32_t survive, born;
};

/*
 * With n the number of live cells among the 26 neighbours of a cell:
 *
 *     cell' = survive[n]  if the cell is live
 *             born[n]     if it is empty
 */
RULE int life3d_next(struct life3d_rule rule, int live, int n)
{
    return (live ? rule.survive : rule.born) >> n & 1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* An empty cell is born if r1 <= n <= r2; a live cell dies if n > r3 or n < r4. */
struct life3d_rule life3d_rule_of_ranges(int r1, int r2, int r3, int r4);
/*
 * Golly's form: "3D", the numbers of survival, "/", the numbers of birth; numbers with commas and
 * ranges, as in 3D5..7/6 or 3D4,7/5,8. CA_USAGE with the place and what is allowed there.
 */
enum ca_status life3d_rule_parse(struct life3d_rule *rule, const char *text,
                                 struct ca_error *error);
/* The rule of a setup: parameter `rule` where it is not empty, else r1 ... r4. */
enum ca_status life3d_rule_of_setup(struct life3d_rule *rule, const struct ca_setup *setup,
                                    struct ca_error *error);

/* Golly's form of a setup's rule, and whether a text is that rule: hooks of the model. */
void life3d_rule_text(const struct ca_setup *setup, char text[CA_TEXT_MAX]);
bool life3d_is_rule(const struct ca_setup *setup, const char *text);

#ifdef __cplusplus
}
#endif
#endif
