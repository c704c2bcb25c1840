/* SPDX-License-Identifier: MIT */
/* Lists the instructions, types and special registers of PTX that the emulator has. */
#include "core/emulator/asm_table.h"

#include <string.h>

static const struct ptx_instruction instructions[] = {
    {"abs", "", "ftz"},
    {"activemask", "", ""},
    {"add", "cc", "rn ftz"},
    {"addc", "cc", ""},
    {"and", "", ""},
    {"atom", "add min max and or xor exch cas inc dec", "global gpu relaxed", .shared = true},
    {"bar", "sync", "", true},
    {"barrier", "sync", "", true},
    {"bfe", "", ""},
    {"bfi", "", ""},
    {"bfind", "", ""},
    {"brev", "", ""},
    {"clz", "", ""},
    {"cos", "", "approx ftz"},
    {"cvt", "rn rz rni rzi rmi rpi", "ftz"},
    {"cp", "async ca cg commit_group wait_group wait_all",
     "shared shared::cta global L2::64B L2::128B L2::256B", true},
    {"cvta", "to global shared", ""},
    {"div", "", "rn approx full ftz"},
    {"dp4a", "", ""},
    {"ex2", "", "approx ftz"},
    {"fence", "", "acq_rel sc gpu cta sys", true},
    {"fma", "", "rn ftz"},
    {"ld", "", "global volatile relaxed ca cg cs lu cv nc gpu L1::no_allocate L1::evict_last",
     .shared = true},
    {"ldu", "", "global"},
    {"lg2", "", "approx ftz"},
    {"lop3", "", ""},
    {"mad", "lo hi wide cc", "rn ftz"},
    {"madc", "lo hi cc", ""},
    {"max", "", "ftz"},
    {"membar", "", "gl cta sys", true},
    {"min", "", "ftz"},
    {"mov", "", ""},
    {"mul", "lo hi wide", "rn ftz"},
    {"nanosleep", "", "", true},
    {"neg", "", "ftz"},
    {"not", "", ""},
    {"or", "", ""},
    {"popc", "", ""},
    {"prefetch", "", "global L1 L2", true},
    {"prefetchu", "", "L1", true},
    {"prmt", "", ""},
    {"rcp", "", "rn approx ftz"},
    {"red", "add min max and or xor inc dec", "global gpu relaxed", true, .shared = true},
    {"rem", "", ""},
    {"rsqrt", "", "approx ftz"},
    {"sad", "", ""},
    {"selp", "", ""},
    {"setp", "eq ne lt le gt ge lo ls hi hs and or xor", "ftz"},
    {"shfl", "sync idx up down bfly", ""},
    {"shl", "", ""},
    {"shr", "", ""},
    {"sin", "", "approx ftz"},
    {"sqrt", "", "rn approx ftz"},
    {"st", "", "global volatile relaxed wb cg cs wt gpu", true, .shared = true},
    {"sub", "cc", "rn ftz"},
    {"subc", "cc", ""},
    {"tanh", "", "approx"},
    {"trap", "", "", true},
    {"vabsdiff4", "", ""},
    {"vadd2", "", ""},
    {"vadd4", "", ""},
    {"vmax", "", ""},
    {"vmax2", "", ""},
    {"vmax4", "", ""},
    {"vmin", "", ""},
    {"vmin2", "", ""},
    {"vmin4", "", ""},
    {"vote", "sync all any ballot", ""},
    {"vsub2", "", ""},
    {"vsub4", "", ""},
    {"xor", "", ""},
};

static const char *const specials[] = {
    "laneid",      "warpid",      "smid",        "nsmid",    "tid.x",       "tid.y",
    "tid.z",       "ntid.x",      "ntid.y",      "ntid.z",   "ctaid.x",     "ctaid.y",
    "ctaid.z",     "nctaid.x",    "nctaid.y",    "nctaid.z", "lanemask_eq", "lanemask_lt",
    "lanemask_le", "lanemask_gt", "lanemask_ge", "clock",    "clock64",     "globaltimer",
};

static const struct {
    const char *name, *type;
} types[] = {
    {"u8", "uint8_t"}, {"u16", "uint16_t"}, {"u32", "uint32_t"}, {"u64", "uint64_t"},
    {"s8", "int8_t"},  {"s16", "int16_t"},  {"s32", "int32_t"},  {"s64", "int64_t"},
    {"b8", "uint8_t"}, {"b16", "uint16_t"}, {"b32", "uint32_t"}, {"b64", "uint64_t"},
    {"f32", "float"},  {"f64", "double"},   {"pred", "bool"},
};

bool ptx_is_among(const char *words, const char *word, size_t length)
{
    for (; *words; words += strspn(words, " ")) {
        size_t n = strcspn(words, " ");

        if (n == length && memcmp(words, word, n) == 0)
            return true;
        words += n;
    }
    return false;
}

const char *ptx_type_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return types[i].type;
    return NULL;
}

const struct ptx_instruction *ptx_instruction_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (strlen(instructions[i].root) == length &&
            memcmp(instructions[i].root, name, length) == 0)
            return &instructions[i];
    return NULL;
}

bool ptx_is_special(const char *name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(specials[i], name) == 0)
            return true;
    return false;
}
