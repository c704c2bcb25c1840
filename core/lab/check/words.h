/* SPDX-License-Identifier: MIT */
/* Short words in reports and grades have a text for people: what ran a kernel, and what is wrong.
 */
#ifndef CALAB_CORE_LAB_CHECK_WORDS_H
#define CALAB_CORE_LAB_CHECK_WORDS_H

/* "on the CPU" of cc, "under the sanitizers"; "by calab" of none, NULL or "". What is not known is
 * returned as it is. */
const char *ca_lab_how_words(const char *how);
/* "wrong cells" of cell, "edges of tiles" of halo: a verdict, a cause, or what else is counted over
 * a class. What is not known, such as the kind of a finding, is returned as it is. */
const char *ca_lab_words(const char *name);

#endif
