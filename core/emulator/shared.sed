# SPDX-License-Identifier: MIT
# For GNU sed -z -E, over preprocessed CUDA sources: __shared__ declarations inside functions become
# pointers and references to memory of the running block (threads.h). What is not understood, such
# as two variables in one declaration, stays and does not compile.
s/\bextern\s+__shared__\s+([^;=[,]*[^A-Za-z0-9_;=[,])([A-Za-z_][A-Za-z0-9_]*)\s*\[\s*\]\s*;/\1 *const \2 = emulated_dynamic{};/g
# Between type and name: `(&`, which is closed before the first `[`, or `&` where there is none.
s/\b(static\s+)?__shared__\s+([^;=[,<]*(<[^;=[>]*>)?[^;=[,<]*[^A-Za-z0-9_;=[,<])([A-Za-z_][A-Za-z0-9_]*)\s*((\[[^];]*\]\s*)+);/\2 (\&\4)\5 = EMULATED_SLOT;/g
s/\b(static\s+)?__shared__\s+([^;=[,<]*(<[^;=[>]*>)?[^;=[,<]*[^A-Za-z0-9_;=[,<])([A-Za-z_][A-Za-z0-9_]*)\s*;/\2 \&\4 = EMULATED_SLOT;/g
s/EMULATED_SLOT/emulated_shared{[] { static emulated_slot slot = {__builtin_FILE(), __builtin_LINE(), 0, 0}; return \&slot; }()}/g
# Constant variables have a section of their own where accesses are watched; those that are const
# need none, and cannot be in one with others.
s/\b(const|constexpr)\s+__attribute__\(\(section\("calab_constant"\)\)\)/\1/g
s/__attribute__\(\(section\("calab_constant"\)\)\)(\s+(static|inline)\b)*\s+(const|constexpr)\b/\1 \3/g
