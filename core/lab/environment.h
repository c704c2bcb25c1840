/* SPDX-License-Identifier: MIT */
/* The environment of processes of labs: a list, since a teacher's has more than others should know.
 */
#ifndef CALAB_CORE_LAB_ENVIRONMENT_H
#define CALAB_CORE_LAB_ENVIRONMENT_H

/*
 * PATH, LANG, TMPDIR, LD_LIBRARY_PATH, CUDA_* and OMP_* of this process and those that `inherits`
 * names, separated by blanks, then `variables` in their place (NAME=VALUE, ends with NULL); both
 * may be NULL. A name that ends with an underscore is the beginning of names. Returns NULL where
 * there is no memory. The texts stay the callers'; free the list.
 */
char **lab_environment(const char *inherits, const char *const *variables);

#endif
