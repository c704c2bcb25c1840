# SPDX-License-Identifier: MIT
# CUDA sources: by nvcc, by g++ with CUDA on the CPU (core/emulator/emulator.mk), or not at all.

CU_SOURCES   := $(wildcard core/*/*.cu kernels/*/*.cu)
CU_HEADERS   := $(wildcard kernels/*/*.cuh)
# Kernels that are compiled once for each variant of a rule, since each takes minutes: FILE.cu with
# -DRULE_VARIANT=4576 becomes FILE.4576.cu.o, and so on.
CU_BY_RULE   := $(wildcard kernels/life3d/cuda_*_sweep.cu)
CU_UNITS     := $(foreach v,table intervals 4576 4555 5766,$(CU_BY_RULE:.cu=.$(v).cu)) \
                $(filter-out $(CU_BY_RULE),$(CU_SOURCES))
# From here on prerequisites are expanded twice, the second time with $* known: of FILE.4576 it is
# FILE.cu, of other files theirs.
.SECONDEXPANSION:
RULE_VARIANT = $(patsubst .%,-DRULE_VARIANT=%,$(suffix $*))

NVCC         ?= nvcc
HAVE_NVCC    := $(shell command -v $(NVCC) 2>/dev/null)
ifneq ($(filter emulated emulated-release races,$(VARIANT)),)
USE_CUDA     := emulated
CUDA_SAID    = on this CPU: $(CXX) for $(words $(CU_SOURCES)) files
else ifeq ($(CUDA),auto)
USE_CUDA     := $(if $(HAVE_NVCC),1,0)
CUDA_SAID    = no: no $(NVCC) on PATH
else ifneq ($(filter $(CUDA),0 1),)
USE_CUDA     := $(CUDA)
CUDA_SAID    = no: CUDA=0
ifeq ($(CUDA)$(HAVE_NVCC),1)
$(error CUDA=1, but '$(NVCC)' is not on PATH; install the CUDA Toolkit, set NVCC, or take CUDA=0)
endif
else
$(error CUDA is '$(CUDA)': allowed are auto, 1, 0)
endif

ifeq ($(USE_CUDA),1)
# CUDA_ARCH has compute capabilities, or is native or all-major: machine code for each, and for later
# ones what the driver translates. What goes out to other machines has all. What is built for this one
# has those of its GPUs and 90.
PACKED_ARCH  := 75 80 90
GPU_ARCH     := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                        grep -x '[0-9.]*' | tr -d .)
GOES_OUT     := $(filter portable% deb%,$(MAKECMDGOALS))
ifeq ($(strip $(CUDA_ARCH)),)
CUDA_ARCH    := $(if $(GOES_OUT),$(PACKED_ARCH),$(shell printf '%s\n' $(GPU_ARCH) 90 | sort -nu))
ARCH_REASON  := $(if $(GOES_OUT),for other machines,$(if $(GPU_ARCH),this machine has such a GPU,no GPU answers here))
ARCH_MORE    := $(if $(GOES_OUT),,; CUDA_ARCH="$(PACKED_ARCH)" for more)
else
ARCH_REASON  := by CUDA_ARCH
endif
CUDA_ARCH    := $(strip $(CUDA_ARCH))
CUDA_SAID    = yes: $(HAVE_NVCC) for $(CUDA_ARCH) ($(ARCH_REASON); $(words $(CU_SOURCES)) files)
CUDA_HOME    := $(patsubst %/bin/,%,$(dir $(realpath $(HAVE_NVCC))))
LAST_ARCH    := $(lastword $(CUDA_ARCH))
LEAST_ARCH   := $(firstword $(patsubst %a,%,$(filter-out native all%,$(CUDA_ARCH))))
NVFLAGS      := -O3 -g -std=c++20 -I. -fmad=false -DCALAB_CUDA=1 -DCALAB_VERSION='"$(VERSION)"' \
                $(LEAST_ARCH:%=-DCALAB_CUDA_LEAST=%) \
                $(if $(filter native all all-major,$(CUDA_ARCH)),-arch=$(CUDA_ARCH),\
                $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
                -gencode arch=compute_$(LAST_ARCH),code=compute_$(LAST_ARCH)) \
                $(patsubst %,-Xcompiler %,$(SHARABLE) -ffile-prefix-map=$(CURDIR)=.)
# The same for all variants, and a folder for each choice of CUDA_ARCH, so that a portable program
# between two builds for this machine compiles nothing of theirs again.
CU_BUILD     := build/cuda/$(subst $() ,-,$(CUDA_ARCH))
CU_OBJECTS   := $(CU_UNITS:%=$(CU_BUILD)/%.o)
# PTX of life's kernels without a circuit, for five sums and nine cells, with edges that are dead or not:
# a rule's own circuit is written into it where the driver is the only compiler. It is packed.
PTX_KINDS    := 5_false 5_true 9_false 9_true
PTX_OBJECTS  := $(PTX_KINDS:%=$(CU_BUILD)/kernels/life/ptx_%.o)
CU_OBJECTS   += $(PTX_OBJECTS)
PTX_FLAGS    := -O3 -std=c++17 -I. -fmad=false -w -arch=compute_$(or $(LEAST_ARCH),75)
LIBS         += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lstdc++

$(CU_BUILD)/flags: FORCE
	@$(call same,$(NVFLAGS)) || echo 'CUDA for compute capability $(CUDA_ARCH) and later ($(ARCH_REASON)$(ARCH_MORE))'
	$(call stamp,$(NVFLAGS))

$(CU_BUILD)/%.cu.o: $$(basename $$*).cu $(CU_BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) $(RULE_VARIANT) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(CU_BUILD)/kernels/life/ptx_%.gz: kernels/life/cuda_marked.cuh $(KERNEL_HEADERS) $(CU_BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(PTX_FLAGS) -DLIFE_INPUTS=$(firstword $(subst _, ,$*)) -DLIFE_DEAD=$(lastword $(subst _, ,$*)) \
	    -ptx -x cu $< -o $(@:.gz=.ptx)
	@gzip -9nc $(@:.gz=.ptx) > $@
$(PTX_OBJECTS): $(CU_BUILD)/kernels/life/ptx_%.o: $(CU_BUILD)/kernels/life/ptx_%.gz
	@printf '%s\n' '.section .rodata' '.global life_ptx_$*, life_ptx_$*_end' 'life_ptx_$*: .incbin "$<"' \
	    'life_ptx_$*_end:' '.section .note.GNU-stack,"",%progbits' | $(CC) -c -x assembler - -o $@
endif

include core/emulator/emulator.mk

# --- on a machine with a GPU -----------------------------------------------------------------
.PHONY: gpu-check gpu-sanitize physics
# Tests that are as good on a GPU as on an emulated one.
GPU_TESTS := $(BUILD)/test_cuda_view $(BUILD)/test_cuda_blocks $(BUILD)/test_cuda_differ
gpu-check: $(PROGRAM) $(GPU_TESTS) ## on a GPU: all CUDA backends against the reference, and a short benchmark
	@$(PROGRAM) verify -b 'cuda-*'
	@for m in configs/models/*.c; do $(PROGRAM) verify $$m -b 'cuda-*' --small || exit 1; done
	@for t in $(GPU_TESTS); do CK_FORK=no CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" $$t || exit 1; done
	@$(PROGRAM) bench -b 'cuda-*' --time 0.3 --check 2

# CASES=n and SEED=n choose other cases than these; racecheck takes an eighth of them, since it is slow.
# Models and tools run side by side; what each printed is in $(BUILD)/sanitize.
CASES ?= 24
SANITIZER ?= $(firstword $(wildcard $(CUDA_HOME)/bin/compute-sanitizer \
             $(CUDA_HOME)/compute-sanitizer/compute-sanitizer) $(shell command -v compute-sanitizer 2>/dev/null))
SANITIZED := $(foreach t,memcheck racecheck initcheck synccheck,\
             $(patsubst kernels/%/ladder.c,sanitize-$(t)-%,$(wildcard kernels/*/ladder.c)))
gpu-sanitize: $(SANITIZED) ## the same on a few small cases under compute-sanitizer's four tools
sanitize-%: TOOL   = $(word 1,$(subst -, ,$*))
sanitize-%: MODEL  = $(word 2,$(subst -, ,$*))
sanitize-%: LOG    = $(BUILD)/sanitize/$*.log
sanitize-%: $(PROGRAM)
	@[ -n "$(SANITIZER)" ] || { echo "compute-sanitizer is not installed: it comes with the CUDA Toolkit" \
	    "(Debian package cuda-sanitizer-N-M of NVIDIA), or set SANITIZER to its path" >&2; exit 1; }
	@mkdir -p $(dir $(LOG))
	@"$(SANITIZER)" --tool $(TOOL) $(if $(filter memcheck,$(TOOL)),--leak-check full) --error-exitcode 99 \
	    $(PROGRAM) verify $(MODEL) -b 'cuda-*' --small --seed $(or $(SEED),1) \
	    --cases $(if $(filter racecheck,$(TOOL)),$$(($(CASES) / 8 + 1)),$(CASES)) >$(LOG) 2>&1 && \
	    echo "$(TOOL) $(MODEL): $$(grep -h 'SUMMARY' $(LOG) | tr -s '= ' ' ')" || { cat $(LOG); exit 1; }

physics: $(PROGRAM) ## measure that fhp is a fluid: viscosity, sound speed, vortices; minutes on a CPU
	$(PROGRAM) run -c configs/fhp-viscosity.cfg
	$(PROGRAM) run -c configs/fhp-vortices.cfg
