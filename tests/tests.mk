# SPDX-License-Identifier: MIT
# The tests, and what else tries the program.

# A test lies where what it tests does: tests/core/sim/test_view.c is build/release/test_view.
tests_like   = $(wildcard $(addsuffix /$(1),tests tests/* tests/*/* tests/*/*/*))
name_of      = $(basename $(notdir $(1)))
TEST_SOURCES := $(filter-out $(if $(filter 0,$(MPI)),%/test_mpi.c),$(call tests_like,test_*.c))
TEST_SUPPORT := $(wildcard tests/support/*.c tests/students/*.c)
# With CUDA on the CPU alone. Those of test_emulator's faults are found by AddressSanitizer.
EMULATOR_TESTS := $(filter-out %/test_emulate.c,$(wildcard tests/core/emulator/*.c)) $(call tests_like,test_cuda*.c)
SANITIZED_TESTS := tests/core/emulator/test_emulator.c
# By targets of their own.
PACKED_TESTS := $(wildcard tests/packaging/*.c)
ifeq ($(VARIANT),races)
BUILD_TESTS  := tests/core/emulator/test_races.c
else ifeq ($(VARIANT),emulated-release)
BUILD_TESTS  := $(filter-out $(SANITIZED_TESTS),$(EMULATOR_TESTS))
else ifeq ($(USE_CUDA),emulated)
BUILD_TESTS  := $(EMULATOR_TESTS) $(filter %/test_mpi.c,$(TEST_SOURCES))
else
BUILD_TESTS  := $(filter-out $(EMULATOR_TESTS) $(PACKED_TESTS),$(TEST_SOURCES))
endif
TESTS        := $(addprefix $(BUILD)/,$(call name_of,$(BUILD_TESTS)))
# Fuzz targets, which a test runs, too; libFuzzer has a main of its own.
FUZZ_MAIN    := tests/fuzz/libfuzzer.c
FUZZ_SOURCES := $(filter-out $(FUZZ_MAIN) tests/fuzz/test_%,$(wildcard tests/fuzz/*.c))

# --- programs of tests -----------------------------------------------------------------------
$(BUILD)/tests/%: LESS = $(if $(filter -O3,$(CFLAGS)),-O1)
$(BUILD)/tests/%.c.o: tests/%.c $(OBJ)/flags $(BUILD)/with-cuda
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LESS) $(CODE) $(CUDA_IN) $(PACKAGE_CFLAGS) $(TEST_CFLAGS) \
	    -MMD -MP -c $< -o $@

# All of calab but main, once for all tests, of the objects that the program is linked of. A test may
# define a function of it anew, such as the clock's, or one of curses, which is then called in place of it.
TEST_LIBRARY := $(BUILD)/libcalab.so
TEST_OBJECTS := $(filter-out $(MAIN),$(OBJECTS)) $(TEST_SUPPORT:%=$(BUILD)/%.o)
$(TEST_LIBRARY): $(TEST_OBJECTS) $(BUILD)/linked
	$(Q)$(CC) $(CFLAGS) $(LINK) -shared -Wl,-soname,$(@F) $(TEST_OBJECTS) -o $@ \
	    -Wl,--whole-archive $(CHECK_LIBS) -Wl,--no-whole-archive $(TEST_LIBS) $(SHARED_LIBS) $(LIBS) $(MPI_LIBS)

$(foreach t,$(TEST_SOURCES),$(eval $(BUILD)/$(call name_of,$t): $(BUILD)/$t.o))
$(BUILD)/test_%: $(TEST_LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $(filter %.o,$^) $(TEST_LIBRARY) -o $@ -Wl,-rpath,'$$ORIGIN' \
	    -Wl,--as-needed,--allow-shlib-undefined $(TEST_LIBS) $(SHARED_LIBS) $(LIBS)

$(BUILD)/test_fuzz: $(FUZZ_SOURCES:%=$(BUILD)/%.o)
$(BUILD)/test_emulator: $(EMULATOR_FIXTURES)
$(BUILD)/test_races: $(RACES_FIXTURES)
# What is compiled while a test runs, kernels of some rules among them, needs what `calab emulate` does.
$(if $(filter emulated,$(USE_CUDA)),$(TESTS)): | emulated-support
-include $(patsubst %,$(BUILD)/%.d,$(TEST_SOURCES) $(TEST_SUPPORT) $(FUZZ_SOURCES) $(FUZZ_MAIN))

# --- libraries that stand in -----------------------------------------------------------------
STAND_IN := $(BUILD)/tests/stand_in
define stand_in
@mkdir -p $(@D)
$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -shared -fPIC -Wl,-soname,$(@F) $< -o $@
endef
$(STAND_IN)/%.so: tests/stand_in/%.c $(OBJ)/flags
	$(stand_in)
$(STAND_IN)/%.so.1: tests/stand_in/%.c $(OBJ)/flags
	$(stand_in)

# test_faults and test_faults_workbench preload it. It knows one processor, and cannot tell the
# allocations of CUDA's runtime, which does not look whether they succeed. Under AddressSanitizer it
# is part of a program of its own, whose leaks are found.
FAULTS_IN := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(VARIANT)$(USE_CUDA))
FAULTS := $(if $(filter release0,$(FAULTS_IN)),$(STAND_IN)/faults.so)
FAULTS += $(if $(filter asan0 coverage0,$(FAULTS_IN)),$(BUILD)/calab-faults)
$(BUILD)/test_faults $(BUILD)/test_faults_workbench: | $(FAULTS)

WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup
$(STAND_IN)/faults_wrapped.o: tests/stand_in/faults.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -DFAULTS_WRAPPED -c $< -o $@

$(BUILD)/calab-faults: $(MAIN) $(STAND_IN)/faults_wrapped.o $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $(WRAPPED:%=-Wl,--wrap=%) $^ -o $@ $(PACKAGE_LIBS) $(LIBS) $(MPI_LIBS)

# test_surroundings preloads a clock, and programs of tests a hurried one (test_hurry()); a sanitizer
# would have to come before them.
CLOCK := $(if $(filter release,$(VARIANT)),$(STAND_IN)/clock.so)
HURRIED := $(if $(filter release,$(VARIANT)),$(STAND_IN)/hurried.so)
$(BUILD)/test_surroundings: | $(CLOCK)

# test_driver finds it in place of NVIDIA's libraries, and so do two tests of emulated devices NVML.
$(BUILD)/test_driver $(BUILD)/test_driver_compiler: | $(STAND_IN)/libcuda.so.1
$(BUILD)/test_cuda_devices $(BUILD)/test_cuda_engine: | $(STAND_IN)/nvml.so
$(BUILD)/test_gpu_build: | $(STAND_IN)/nvrtc.so

# --- targets ---------------------------------------------------------------------------------
.PHONY: check test-names coverage fuzz mutate tour soak cross old-cpus benchmarks pictures
# Those that take longest begin first, so that no core waits for the last one.
LONG_TESTS := test_lab_cheats test_workbench_pixels test_start_in_place test_lab_submissions test_model_file \
              test_lab_new test_lab_program test_cuda_model_file test_cuda_kernels test_emulate_programs \
              test_cuda_ranks test_cuda_life test_cuda_lab test_cuda_own test_cuda_model_bits
# Of the tests that ONLY names, or all, without those that EXCEPT names: those of this build, and those
# with CUDA emulated, which follow after a release build's and share its objects. Twice as many run as
# there are cores, since most have one thread and often wait for a terminal or a process.
chosen = $(filter-out $(EXCEPT),$(filter $(or $(ONLY),%),$(1)))
long_first = $(filter $(LONG_TESTS),$(1)) $(filter-out $(LONG_TESTS),$(1))
CHOSEN := $(strip $(call long_first,$(call chosen,$(notdir $(TESTS)))))
EMULATOR_CHOSEN := $(if $(filter release,$(VARIANT)),$(call chosen,\
                   $(call name_of,$(filter-out $(SANITIZED_TESTS),$(EMULATOR_TESTS)))))
check: export ASAN_OPTIONS = allocator_may_return_null=1
check: export TSAN_OPTIONS = allocator_may_return_null=1
check: export GCOV_ERROR_FILE = /dev/null
check: export CK_DEFAULT_TIMEOUT = 60
check: export CALAB_FAULT_LIBRARY = $(addprefix $(CURDIR)/,$(FAULTS))
check: export CALAB_CLOCK_LIBRARY = $(addprefix $(CURDIR)/,$(CLOCK))
check: export CALAB_HURRIED_LIBRARY = $(addprefix $(CURDIR)/,$(HURRIED))
check tour soak pictures: export CALAB = $(CURDIR)/$(PROGRAM)
check tour soak pictures: export CALAB_SOURCE = $(CURDIR)
check tour soak pictures: export TZ = UTC
run_test = began=$$(date +%s); said=$$($(BUILD)/NAME 2>&1); code=$$?; \
           echo "NAME: $$said, $$(($$(date +%s) - began)) s"; [ $$code = 0 ] || { echo "FAILED: NAME"; exit 1; }
check: $(PROGRAM) $(HURRIED) $(CHOSEN:%=$(BUILD)/%) ## run the tests (ONLY= or EXCEPT=test_x; CALAB_SEED=N)
	@$(if $(CHOSEN)$(EMULATOR_CHOSEN),,echo "ONLY=$(ONLY): there is no such test" >&2; exit 1;) \
	printf '%s\n' $(CHOSEN) | xargs -r -P $$(($$(nproc) * 2)) -I NAME sh -c '$(run_test)' || exit 1; \
	echo "all tests passed$(if $(filter emulated,$(USE_CUDA)), with CUDA on the CPU)"
	@$(if $(EMULATOR_CHOSEN),$(MAKE) --no-print-directory VARIANT=emulated-release check)

# The tests of this build, for tests/mutation.
test-names:
	@echo $(notdir $(TESTS))

# Lines that the tests of a build without CUDA run, under the sanitizers of asan. Processes that are
# killed count for nothing.
COVERAGE_FLOOR ?= 90
coverage: ## as VARIANT=asan, and percent of lines of core and tui that the tests run; fails below COVERAGE_FLOOR=90
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory VARIANT=coverage CUDA=0 DEPS=$(DEPS) check
	@tests/coverage build/coverage $(COVERAGE_FLOOR)

# COUNT=12 takes that many of the list by chance, SEED=N those of an earlier run; by itself COUNT is
# what counts accesses of CUDA sources. RANDOM=60 breaks as many operators and numbers by chance, JOBS=N
# at once, of sources whose name matches MATCH; DRAW=FILE writes them for FROM=FILE on another machine.
mutate: ## break the sources, by tests/mutation/list (COUNT=N, SEED=N) or by chance (RANDOM=N): a test must fail
ifneq ($(RANDOM)$(FROM),)
	@tests/mutation/drawn $(if $(RANDOM),--count $(RANDOM)) $(if $(SEED),--seed $(SEED)) \
	    $(if $(JOBS),--jobs $(JOBS)) $(if $(MATCH),--match '$(MATCH)') \
	    $(if $(DRAW),--draw $(DRAW)) $(if $(FROM),--from $(FROM))
else
	@tests/mutation/mutate $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))
endif

# libFuzzer comes with clang, and is a package of its own. What finds new branches is kept beside the
# program, and begins the next run.
FUZZ_VARIANT := $(if $(filter fuzz-fast,$(VARIANT)),fuzz-fast,fuzz)
FUZZ_TARGETS := $(or $(TARGET),$(filter-out libfuzzer support,$(FUZZ_SOURCES:tests/fuzz/%.c=%)))
$(BUILD)/calab-fuzz: $(patsubst %,$(BUILD)/%.o,$(FUZZ_SOURCES) $(FUZZ_MAIN)) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -fsanitize=fuzzer $^ -o $@ $(PACKAGE_LIBS) $(LIBS)

FUZZ_FOLDER = $(CURDIR)/build/$(FUZZ_VARIANT)/fuzz
FUZZ_OPTIONS = -max_total_time=$(or $(SECONDS),60) -timeout=10 -rss_limit_mb=3000 -print_final_stats=1
define fuzz_target
mkdir -p "$(FUZZ_FOLDER)/found" "$(FUZZ_FOLDER)/corpus/TARGET"; cd "$(FUZZ_FOLDER)"; \
CALAB_FUZZ=TARGET ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 ../calab-fuzz \
    $(FUZZ_OPTIONS) -artifact_prefix="$(FUZZ_FOLDER)/found/TARGET-" "$(FUZZ_FOLDER)/corpus/TARGET" \
    "$(CURDIR)/tests/fuzz/corpus/TARGET" >TARGET.log 2>&1 </dev/null || { tail -n 60 TARGET.log; exit 1; }; \
echo "TARGET: $$(sed -n "s/.*number_of_executed_units: *//p" TARGET.log) runs," \
    "$$(grep -ao "cov: [0-9]*" TARGET.log | tail -n 1 | tr -d "cov: ") branches, no failure"
endef
fuzz: ## give what reads files, messages and keys random bytes (SECONDS=60 for each TARGET of tests/fuzz; clang)
	@ls "$$(clang -print-runtime-dir 2>/dev/null)"/libclang_rt.fuzzer-*.a >/dev/null 2>&1 || { \
	    $(call name_packages,clang libclang-rt-dev,lint-deps); }
	@$(MAKE) --no-print-directory VARIANT=$(FUZZ_VARIANT) CC=clang CUDA=0 MPI=0 build/$(FUZZ_VARIANT)/calab-fuzz
	@printf '%s\n' $(FUZZ_TARGETS) | xargs -P $$(nproc) -I TARGET sh -c '$(fuzz_target)'

tour: $(PROGRAM) $(BUILD)/test_tour ## every key in every screen at three sizes on nine terminals; minutes
	@CALAB_TOUR=all $(BUILD)/test_tour

soak: $(PROGRAM) $(BUILD)/test_soak ## use the workbench without a plan for SECONDS=3600: no state may be wrong
	@CALAB_SOAK=$(or $(SECONDS),3600) $(BUILD)/test_soak

cross: ## build for arm64, and run it and the tests of core and of the reference by qemu-user; minutes
	@tests/cross

# qemu-user's processors: without SSE3, without AVX, without AVX-512.
OLD_CPUS := qemu64 Westmere Haswell
old-cpus: $(PROGRAM) ## every backend of the CPU on processors without AVX, AVX2 or AVX-512, by qemu-user
	@command -v qemu-x86_64-static >/dev/null || { \
	    echo "there is no qemu-x86_64-static (Debian: qemu-user-static)" >&2; exit 1; }
	@for c in $(OLD_CPUS); do echo "# $$c"; \
	    said=$$(qemu-x86_64-static -cpu $$c $(PROGRAM) verify --small --cases 8 2>&1) || { echo "$$said"; exit 1; }; \
	    echo "$$said" | grep -v 'TCG\|not built\|^#'; done

pictures: $(PROGRAM) $(BUILD)/test_pictures ## man/pictures: the screens that README.md shows, of this program
	@CALAB_PICTURES="$(CURDIR)/man/pictures" $(BUILD)/test_pictures

benchmarks: ## make BENCHMARKS.md of tests/data/bench
	@tests/benchmarks/page --write
