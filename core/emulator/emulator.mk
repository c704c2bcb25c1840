# SPDX-License-Identifier: MIT
# CUDA on the CPU: CUDA sources by g++ for VARIANT=emulated, emulated-release and races, and what
# `calab emulate` compiles a program with.

EMULATOR_SOURCES := $(wildcard core/emulator/runtime/*.cc)
EMULATOR_HEADERS := $(wildcard core/emulator/runtime/*.h core/emulator/runtime/*/*.h core/emulator/runtime/*/*.cuh)
EMULATOR_HEADERS += $(wildcard core/emulator/runtime/*/*/*.h core/emulator/runtime/*/*/*.cuh) \
                    core/emulator/runtime/nv/target
EMULATOR_HEADERS += $(filter-out %.h %/std,$(wildcard core/emulator/runtime/cuda/* core/emulator/runtime/cuda/std/*))
EMULATOR_FIXTURES = $(patsubst %,$(BUILD)/%.o,$(wildcard tests/core/emulator/fixtures/*.cu))
RACES_FIXTURES = $(BUILD)/tests/core/emulator/races/fixtures.cu.o
EMULATOR_LIBRARY := $(BUILD)/libcalab-emulated.a
EMULATOR_LANGUAGE := -std=c++20 -D_GNU_SOURCE -D__CUDACC__ -ffp-contract=off -fno-strict-aliasing -pthread \
                     -Wno-unknown-pragmas

# Each access of a kernel calls a function of core/emulator/runtime/hooks.cc, which libtsan is not
# linked for.
WATCHED_CALLS := memcpy memmove memset memcmp strlen strcmp strncmp strcpy strncpy fread fwrite puts fputs qsort
WATCH_NAMES := $(foreach f,$(WATCHED_CALLS),--redefine-sym $(f)=watch_$(f)) \
               --redefine-sym __ubsan_handle_type_mismatch_v1=watch_misaligned_pointer \
               --redefine-sym __ubsan_handle_out_of_bounds=watch_out_of_bounds
# strlen stays built in, since it may be in constant expressions, and is a call elsewhere.
WATCH_CALLS := -U_FORTIFY_SOURCE $(foreach f,$(filter mem% strc% strn%,$(WATCHED_CALLS)),-fno-builtin-$(f))
CLANG       := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
WATCH_GCC   := -fsanitize=thread,alignment,bounds --param tsan-instrument-func-entry-exit=0 \
               --param tsan-distinguish-volatile=1 $(WATCH_CALLS)
WATCH_CLANG := -fsanitize=thread,alignment,bounds -mllvm -tsan-instrument-func-entry-exit=0 \
               -mllvm -tsan-instrument-read-before-write=1 -mllvm -tsan-distinguish-volatile=1 $(WATCH_CALLS)
# COUNT=FILE.cu, some of them or 1 for all: so that what a GPU would do for the accesses of this file's
# kernels can be counted, too: basic blocks call a function as well, and vectors stay whole, as a GPU
# loads them.
COUNT_GCC   := -fsanitize-coverage=trace-pc -fno-tree-sra
COUNT_CLANG := -fsanitize-coverage=trace-pc
WATCH       := $(if $(CLANG),$(WATCH_CLANG),$(WATCH_GCC))
COUNTABLE   := $(CU_SOURCES) $(wildcard tests/core/emulator/*/*.cu)
ifneq ($(if $(filter mutate,$(MAKECMDGOALS)),,$(filter-out 1 $(COUNTABLE),$(COUNT))),)
$(error COUNT is '$(COUNT)': allowed are 1, and CUDA sources such as $(firstword $(COUNTABLE)))
endif

# What `calab emulate` compiles a program with, as it stands above.
as_words  = $(subst $() ,$(comma),$(foreach word,$(1),"$(word)"))
EMULATE_FLAGS = $(foreach set,EMULATOR_LANGUAGE WATCH_GCC WATCH_CLANG COUNT_GCC COUNT_CLANG WATCH_NAMES,\
                -DCALAB_$(set)='$(call as_words,$($(set)))')
$(OBJ)/core/emulator/emulate.c.o: ISA = $(EMULATE_FLAGS)
$(OBJ)/core/emulator/emulate.c.o: core/emulator/emulator.mk

ifeq ($(USE_CUDA),emulated)
# The rewriter alone, without sanitizers, by a compiler for the machine that builds: $(CC) where it is one.
HOST_CC  ?= $(if $(filter $(shell uname -m)-%,$(shell $(CC) -dumpmachine)),$(CC),gcc)
REWRITER := build/host/rewrite-cuda
REWRITER_SOURCES := core/base/error.c $(addprefix core/emulator/,\
                    host_rewrite.c rewrite.c tokens.c launches.c shared.c variables.c asm.c asm_table.c)
$(REWRITER): $(REWRITER_SOURCES) $(wildcard core/emulator/*.h) core/base/error.h
	@mkdir -p $(@D)
	$(Q)$(HOST_CC) -std=c11 -D_GNU_SOURCE -I. -O2 $(WARN) $(filter %.c,$^) -o $@

# What nobody wrote holds a pattern, so that it is not right by chance.
EMULATOR_SANITIZE := $(if $(filter races,$(VARIANT)),$(WATCH),$(SANITIZE))
# With what a finding's place is looked up in.
EMULATOR_FLAGS  = $(CFLAGS) -g $(EMULATOR_SANITIZE) $(EMULATOR_LANGUAGE) $(SHARABLE) -I. -Icore/emulator/runtime \
             -DCALAB_CUDA=1 -DCALAB_VERSION='"$(VERSION)"' \
             $(if $(filter-out emulated-release,$(VARIANT)),-ftrivial-auto-var-init=pattern) \
             -Wall -Wextra -Wno-unknown-pragmas -Wno-missing-field-initializers
CU_OBJECTS := $(CU_UNITS:%=$(BUILD)/%.o) $(EMULATOR_SOURCES:%=$(BUILD)/%.o)
LIBS      += -lstdc++
WATCHED   = $(filter -fsanitize=thread%,$(EMULATOR_FLAGS))
COUNTED   = $(if $(filter 1 $(basename $*).cu,$(COUNT)),$(if $(CLANG),$(COUNT_CLANG),$(COUNT_GCC)))

$(BUILD)/emulator-flags: FORCE
	$(call stamp,$(CXX) $(EMULATOR_FLAGS) $(CFLAGS_MAP))
# CUDA's own syntax is rewritten between the preprocessor and the compiler, as in programs of users.
$(BUILD)/%.cu.o: $$(basename $$*).cu $(REWRITER) $(BUILD)/emulator-flags $(BUILD)/%.cu.counted
	@mkdir -p $(@D)
	$(Q)$(CXX) $(EMULATOR_FLAGS) $(RULE_VARIANT) -include cuda_runtime.h -E -MMD -MP -MT $@ -MF $(@:.o=.d) \
	        -x c++ $< -o $@.read.ii && \
	    $(REWRITER) <$@.read.ii >$@.ii && \
	    $(CXX) $(EMULATOR_FLAGS) $(CFLAGS_MAP) $(if $(WATCHED),$(COUNTED)) -c $@.ii -o $@ \
	        $(if $(WATCHED),&& objcopy $(WATCH_NAMES) $@) && rm $@.read.ii $@.ii

# Each file's own stamp, so that COUNT compiles nothing else again.
$(BUILD)/%.cu.counted: FORCE
	$(call stamp,$(COUNTED))

$(BUILD)/%.cc.o: %.cc $(BUILD)/emulator-flags
	@mkdir -p $(@D)
	$(Q)$(CXX) $(EMULATOR_FLAGS) $(CFLAGS_MAP) -O2 -fno-sanitize=all $(if $(CLANG),,-fno-gnu-unique) \
	        -MMD -MP -c $< -o $@

# Alike in every variant: what stands in the source is what is watched, and named by its path.
$(RACES_FIXTURES): EMULATOR_SANITIZE := $(WATCH)
$(RACES_FIXTURES): CFLAGS := -O1 -g1
$(RACES_FIXTURES): CFLAGS_MAP :=
-include $(EMULATOR_FIXTURES:.o=.d) $(RACES_FIXTURES:.o=.d)
endif

# calab-emulated, and what `calab emulate` compiles a program with, lie beside calab.
# Templates that it shares with a program are its own: those that the program was compiled with are
# watched, and would be taken for what a kernel does.
PRIVATE := $(foreach name,_ZNSt _ZNKSt _ZSt _ZZNSt _ZZNKSt _ZZSt _ZN9__gnu_cxx _ZNK9__gnu_cxx,\
             --localize-symbol='$(name)*')
$(EMULATOR_LIBRARY): $(EMULATOR_SOURCES:%=$(BUILD)/%.o)
	@rm -f $@
	@ld -r --force-group-allocation -o $@.o $^
	@objcopy --wildcard $(PRIVATE) $@.o
	@$(AR) rcsD $@ $@.o && rm $@.o

$(BUILD)/include/%: %
	@install -Dm644 $< $@

EMULATED_HEADERS := $(EMULATOR_HEADERS:%=$(BUILD)/include/%)
# A header that is no longer there would be found in place of an installed one of its name.
drop_former_headers = rm -f $(filter-out $(EMULATED_HEADERS),$(shell find $(BUILD)/include -type f 2>/dev/null))
.PHONY: emulated emulated-files emulated-support emulated-check
# What `calab emulate` finds beside the program.
emulated-support: $(EMULATOR_LIBRARY) $(EMULATED_HEADERS)
	@$(drop_former_headers)

# The objects that it shares with the program are made before, so that one make alone makes them.
emulated: $(EMULATED_HEADERS) $$(SHARED_OBJECTS) ## build calab-emulated: all CUDA backends on the CPU, right but slow
	@$(drop_former_headers)
	@$(MAKE) --no-print-directory VARIANT=emulated-release emulated-files
	@mkdir -p $(BUILD)
	@for f in calab-emulated libcalab-emulated.a; do ln -f build/emulated-release/$$f $(BUILD)/$$f || exit 1; done
	@echo "$(BUILD)/calab-emulated"

emulated-files: $(PROGRAM) $(EMULATOR_LIBRARY)

emulated-check: ## all CUDA backends, and tests/emulated, on this CPU with each access watched; minutes
	@$(MAKE) --no-print-directory VARIANT=races all emulated-support
	@ls kernels/*/ladder.c | cut -d / -f 2 | CALAB_EMULATED_STATUS=1 xargs -P $$(nproc) -I MODEL \
	    build/races/calab verify MODEL -b 'cuda-*' --small
	@ls tests/emulated/*.cu | xargs -P $$(nproc) -n 12 sh tests/emulated/check "build/races/calab emulate --limit 60"
