# SPDX-License-Identifier: MIT
# Debian's packages, and the libraries that calab is linked with. `make deps` installs what is missing,
# and so do `make run` and `make check`, unless DEPS=0; all others say what to type.

PACKAGES      := hdf5 ncursesw libconfig jansson libpng zlib libseccomp
MPI_PACKAGE   ?= mpi-c
TEST_PACKAGES := check vterm
DEBIAN        := gcc g++ make pkg-config libncurses-dev libconfig-dev libhdf5-dev libjansson-dev \
                 libpng-dev libseccomp-dev librandom123-dev check libvterm-dev ncurses-term \
                 $(if $(filter 1,$(MPI)),libopenmpi-dev openmpi-bin)
DEBIAN_LINT   := clang libclang-rt-dev clang-format clang-tidy cppcheck groff-base mandoc
DEPS          ?= $(if $(filter run check,$(MAKECMDGOALS)),1,0)
ifeq ($(filter $(DEPS),0 1),)
$(error DEPS is '$(DEPS)': allowed are 1, to install the Debian packages that are missing, and 0)
endif
package_version = $(shell pkg-config --modversion $(1) 2>/dev/null || echo missing)

# What is missing is found before anything is built: this file is included, so make starts over once it
# is there. HDF5 is linked statically where it can be: Debian's shared library brings libcurl and
# thirty more, which take longer to load than calab to start. The library of the tests takes the
# shared one, since the static one has no place in it.
PACKAGES_FILE := build/packages$(if $(filter 1,$(MPI)),-mpi).mk
NEEDS_NONE := help info clean uninstall deps lint-deps format coverage cross dist dist-check reproducible install-%
ifneq ($(filter-out $(NEEDS_NONE),$(or $(MAKECMDGOALS),all)),)
include $(PACKAGES_FILE)
endif

ALL_PACKAGES := $(PACKAGES) $(TEST_PACKAGES) $(if $(filter 1,$(MPI)),$(MPI_PACKAGE))
$(PACKAGES_FILE): .packaging/packages.mk
	@mkdir -p build
	@command -v $(CXX) >/dev/null && pkg-config --exists $(ALL_PACKAGES) 2>/dev/null && \
	    echo '#include <Random123/philox.h>' | $(CC) -E -xc - >/dev/null 2>&1 && \
	    { ! command -v apt-get || infocmp putty; } >/dev/null 2>&1 || { \
	    $(if $(filter 1,$(DEPS)),$(call install_packages,$(DEBIAN)),$(call name_packages,$(DEBIAN),deps)); }
	@folder=$$(pkg-config --libs-only-L hdf5 | tr -d ' '); hdf5=$$(pkg-config --libs hdf5); \
	[ ! -e "$${folder#-L}/libhdf5.a" ] || hdf5="$$folder -l:libhdf5.a -lsz"; \
	{ echo "PACKAGE_CFLAGS := $$(pkg-config --cflags $(PACKAGES))"; \
	   echo "PACKAGE_LIBS := $$hdf5 $$(pkg-config --libs $(filter-out hdf5,$(PACKAGES)))"; \
	   echo "SHARED_LIBS := $$(pkg-config --libs $(PACKAGES))"; \
	   $(if $(filter 1,$(MPI)),echo "MPI_CFLAGS := $$(pkg-config --cflags $(MPI_PACKAGE))"; \
	       echo "MPI_LIBS := $$(pkg-config --libs $(MPI_PACKAGE))";) \
	   echo "TEST_CFLAGS := $$(pkg-config --cflags $(TEST_PACKAGES))"; \
	   echo "CHECK_LIBS := $$(pkg-config --libs check)"; \
	   echo "TEST_LIBS := $$(pkg-config --libs $(filter-out check,$(TEST_PACKAGES)))"; } > $@

.PHONY: deps lint-deps
deps: ## install the Debian packages that building and testing need
	@$(call install_packages,$(DEBIAN))

lint-deps: ## install those that lint, format and fuzz need
	@$(call install_packages,$(DEBIAN_LINT))

absent_packages = absent=$$(for p in $(1); do dpkg -s $$p >/dev/null 2>&1 || printf ' %s' $$p; done)

# One line says what is installed; what apt-get itself says is in a file, and shown where it fails.
define install_packages
$(call absent_packages,$(1)); [ -n "$$absent" ] || exit 0; \
	if [ "$$(id -u)" = 0 ]; then as_root=env; else as_root="sudo -n env"; fi; \
	if command -v apt-get >/dev/null && { [ "$$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then \
	    echo "installing Debian packages with apt-get:$$absent"; mkdir -p build; \
	    { $$as_root apt-get update -qq && \
	        $$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$absent; } \
	        </dev/null >build/packages.log 2>&1 || { cat build/packages.log >&2; exit 1; }; \
	else \
	    echo "packages are missing; type: sudo apt-get install $(strip $(1))" >&2; exit 1; \
	fi
endef

# The packages that are missing, and the target that installs them.
define name_packages
$(call absent_packages,$(1)); \
	echo "packages are missing:$${absent:- $(strip $(1))}; type: make $(2)" >&2; exit 1
endef
