# Builds, tests, checks and measures histctl.
#
# `make` alone lists the targets. Every target first installs the system packages that it needs and
# that are missing: a machine with a Swift toolchain and a package manager is enough.
# Compatible with GNU make 3.81, which macOS has.

SHELL := /bin/bash
.DEFAULT_GOAL := help
ifndef BESIDE_EACH_OTHER
.NOTPARALLEL:
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules

# With a path, as in SWIFT=/opt/swift/usr/bin/swift, the other tools of that toolchain are used as well.
SWIFT ?= swift
ifneq ($(dir $(SWIFT)),./)
export PATH := $(abspath $(dir $(SWIFT))):$(PATH)
endif
PYTHON ?= python3
# What `make docc` does with the committed public interface: check or write.
INTERFACE ?= check
# The listings of these documents use package declarations.
INNER = Sources/StoreFormat/% Sources/StoreTransactions/% Sources/StoreEditing/% Sources/StoreWriting/%
# Passed to every build, and to release builds and test runs only.
BUILD_FLAGS ?=
RELEASE_FLAGS ?=
TEST_FLAGS ?=
BENCHMARK_FLAGS ?=
ANALYSIS_FLAGS ?=
FUZZ_FLAGS ?=
# How long `make soak` runs.
SOAK_MINUTES ?= 1
SOAK_FLAGS ?=
MUTATION_FLAGS ?=
# Where `make install` installs; DESTDIR is the root folder while a package is made.
PREFIX ?= /usr/local
DESTDIR ?=
# The program to install or to package (default: the one that `make release` builds).
INSTALL_BINARY ?=
# VERBOSE=1 shows what the quiet steps hide.
QUIET := $(if $(VERBOSE),,--quiet)
# The build of all checks. It is optimized like the program that people get: the suite takes half of the
# time that a debug build takes. The tests see internal declarations, which makes it another build than
# that of `make release`.
CHECKED_FOLDER := .build/checked
CHECKED := --configuration release --scratch-path $(CHECKED_FOLDER) -Xswiftc -enable-testing
PROGRAMS = $$($(SWIFT) build $(CHECKED) --show-bin-path $(BUILD_FLAGS))
# The build of `make demo` and `make quick-test`: not optimized, and a few files at a time, so that an edit compiles
# what depends on it. It is no build for debugging, in which the parser of arguments checks the declarations of all
# options whenever a command starts: that took more than half of the time of the tests.
UNOPTIMIZED_FOLDER := .build/unoptimized
UNOPTIMIZED := --configuration release --scratch-path $(UNOPTIMIZED_FOLDER) $(addprefix -Xswiftc ,\
  -Onone -enable-testing -no-whole-module-optimization -enable-batch-mode -incremental)
# The release program contains the Swift and C++ runtimes and starts three times as fast for it. lld
# lays it out so that fewer pages are touched at the start, and packs its relocations where the C
# library understands that. It searches no library beside itself: anyone who can write to its folder
# could plant one. macOS brings the runtime.
RUNTIME := $(CURDIR)/.build/static-runtime
STATIC := $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld \
  $(if $(filter yes,$(shell .ci/static-runtime packs-addresses)),-Xlinker -z -Xlinker pack-relative-relocs) \
  -Xlinker -L$(RUNTIME) -Xlinker --no-export-dynamic,)

# Macros run while tests are compiled, and only they use swift-syntax: compiled without optimization it costs a quarter
# of the processor time, and what it does takes no longer than one notices. SwiftPM has no flags for one dependency, but
# the driver takes another program for its frontend.
FRONTEND := .build/frontend/bin/swift-frontend
COMPILER := $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))swift-frontend)
ifneq ($(and $(filter Linux,$(shell uname -s)),$(COMPILER)),)
export SWIFT_DRIVER_SWIFT_FRONTEND_EXEC := $(CURDIR)/$(FRONTEND)
define FRONTEND_SCRIPT
#!/usr/bin/env bash
arguments=("$$@")
case " $$* " in
  *' -package-name swift_syntax '*)
    for index in "$${!arguments[@]}"; do
      if [ "$${arguments[index]}" = -O ]; then arguments[index]=-Onone; fi
    done ;;
esac
exec $(COMPILER) "$${arguments[@]}"
endef
export FRONTEND_SCRIPT
setup setup-test setup-package setup-analysis setup-browser setup-ci: | $(FRONTEND)
endif

SWIFT_FILES := Package.swift Sources Tests Benchmarks/Models/Package.swift Benchmarks/Models/Sources
FORMAT := $(SWIFT) format
FORMAT_FLAGS := --configuration .swift-format --recursive --parallel $(SWIFT_FILES)
PAGES = $(wildcard man/*.[157])

.PHONY: help demo quick-test program setup setup-test setup-package setup-analysis setup-browser setup-ci build release install \
  uninstall deb deb-check test lint format warnings architecture docs docs-check docc interface man \
  completions schema browser-test packaging workflows contrib parity session-code \
  libraries fuzz soak mutation ci clean benchmark benchmark-models analysis

help: ## list the targets
	@echo "histctl: make TARGET"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-17s%s\n", $$1, $$2 }' Makefile
	@echo "variables: PREFIX=/usr/local DESTDIR INSTALL_BINARY"
	@echo "           BUILD_FLAGS RELEASE_FLAGS TEST_FLAGS BENCHMARK_FLAGS ANALYSIS_FLAGS"
	@echo "           FUZZ_FLAGS SOAK_MINUTES SOAK_FLAGS MUTATION_FLAGS VERBOSE=1"

# Not optimized, which takes a third of the time of `make release`. Shows the shorter of the program's two paths.
demo: setup ## build histctl without optimization and show it at work on a sample store
	@echo "demo: building histctl and the packages that it uses (a few minutes the first time; [done/all] steps below)"
	@$(SWIFT) build $(UNOPTIMIZED) --product histctl $(BUILD_FLAGS)
	@.ci/demo $(UNOPTIMIZED_FOLDER)/release/histctl .build/demo

# The driver looks for its libraries beside the frontend.
$(FRONTEND):
	@mkdir -p $(@D) && ln -sfn $(abspath $(dir $(COMPILER))../lib) $(@D)/../lib
	@printf '%s\n' "$$FRONTEND_SCRIPT" > $@.new && chmod +x $@.new && mv $@.new $@

setup: ## install the system packages that building needs, where they are missing
	@.ci/setup build

setup-test: ## the same for testing
	@.ci/setup test

setup-package: ## the same for making and checking a Debian package
	@.ci/setup package

setup-analysis: ## the same for analysing in DuckDB and Spark
	@.ci/setup analysis

setup-browser: ## the same for testing the page of a report in a browser
	@.ci/setup browser

setup-ci: ## the same for all that `make ci` checks
	@.ci/setup ci

build: setup ## build for debugging
	@echo "build: debug"
	@$(SWIFT) build $(BUILD_FLAGS)

# What `histctl --version` names beside the version: nothing for a tagged commit or without a checkout.
release: export HISTCTL_COMMIT ?= $(shell [ -e .git ] && ! git describe --exact-match --tags >/dev/null 2>&1 && \
  git describe --always --dirty --exclude '*' 2>/dev/null)
release: export PKG_CONFIG_PATH := $(RUNTIME)$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))
release: setup ## build .build/release/histctl for use
	@echo "release: histctl"
	@.ci/static-runtime $(RUNTIME)
	@$(SWIFT) build --configuration release --disable-index-store $(STATIC) --product histctl $(BUILD_FLAGS) $(RELEASE_FLAGS)

# These build nothing, so that `sudo make install` only copies files.
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
install uninstall deb deb-check: export BINARY := $(INSTALL_BINARY)

install: ## install what `make release` built, with pages and completions, below PREFIX
	@packaging/install install

uninstall: ## remove exactly what `make install` installs
	@packaging/install uninstall

deb: setup-package $(if $(INSTALL_BINARY),,release) ## make a Debian package in .build
	@package=$$(packaging/deb .build) && echo "deb: $$package"

# Not part of `make ci`, which would need a release build for it alone; `make packaging` checks there
# how packages are made, with a small program inside.
deb-check: setup-package $(if $(INSTALL_BINARY),,release) ## make it, and check it against Debian's policy
	@package=$$(packaging/deb .build) && echo "deb-check: $$package" && .ci/check-packages policy "$$package"

# All tests but those of OpenSwiftData, whose macros need swift-syntax. The package's product of tests needs
# nothing else; `--build-tests` would build every target.
TARGET ?= $(filter-out OpenSwiftDataTests SampleTripsTests,$(notdir $(wildcard Tests/*Tests)))
# The suites to run, as a regular expression; all by default.
ONLY ?=
quick-test: export HISTCTL_TESTS := $(TARGET)
# Tests that read every real store take as long as all the others.
quick-test: export HISTCTL_REAL_STORES :=
quick-test: setup-test ## run the tests that need no macros, not optimized, few cases of each kind (ONLY=LogTests TARGET=HistctlCommandsTests)
	@echo "quick-test: building (a few minutes the first time; shares what \`make demo\` has built)"
	@$(SWIFT) build $(UNOPTIMIZED) --product ManualGenerator $(QUIET) $(BUILD_FLAGS)
	@$(SWIFT) build $(UNOPTIMIZED) --product histctl $(QUIET) $(BUILD_FLAGS)
	@$(SWIFT) build $(UNOPTIMIZED) --product histctlPackageTests $(BUILD_FLAGS)
	@echo "quick-test: running"
	@HISTCTL_QUICK=1 .ci/run-tests $(SWIFT) test $(UNOPTIMIZED) --skip-build --parallel --disable-xctest $(QUIET) $(BUILD_FLAGS) $(TEST_FLAGS) \
	  $(if $(ONLY),--filter "$(ONLY)")

test: setup-test ## run the whole suite; HISTCTL_REAL_STORES=DIR adds real stores, HISTCTL_EVERY_FAULT=1 all faults
	@echo "test: building (some minutes the first time)"
	@$(SWIFT) build $(CHECKED) --build-tests $(QUIET) $(BUILD_FLAGS)
	@echo "test: running$(if $(HISTCTL_REAL_STORES), with the real stores of HISTCTL_REAL_STORES,)"
	@.ci/run-tests $(SWIFT) test $(CHECKED) --skip-build --parallel --disable-xctest $(QUIET) $(BUILD_FLAGS) $(TEST_FLAGS)

# What most checks run.
program: setup
	@$(SWIFT) build $(CHECKED) --product histctl $(QUIET) $(BUILD_FLAGS)

lint: ## check the style of all Swift code against .swift-format, and the wording
	@echo "lint: $(SWIFT_FILES)"
	@$(FORMAT) lint --strict $(FORMAT_FLAGS)
	@.ci/check-words

format: ## rewrite all Swift code in that style
	@echo "format: $(SWIFT_FILES)"
	@$(FORMAT) format --in-place $(FORMAT_FLAGS)

# Package.swift reads HISTCTL_STRICT and treats warnings as errors in its own targets only; the flag
# on the command line would fail on warnings of the dependencies as well.
warnings: setup ## build everything, tests included, with warnings as errors
	@echo "warnings: building with warnings as errors (some minutes the first time)"
	@HISTCTL_STRICT=1 $(SWIFT) build $(CHECKED) --build-tests $(QUIET) $(BUILD_FLAGS)

architecture: ## check that no target imports upward or sideways
	@echo "architecture: Sources Tests"
	@.ci/check-floors

docs: program ## write the manual pages and shell completions from the command line definitions
	@echo "docs: man completions"
	@$(SWIFT) build $(CHECKED) --product ManualGenerator $(QUIET) $(BUILD_FLAGS)
	@.ci/docs write "$(PROGRAMS)"

docs-check: program ## check that the committed pages and completions are what `make docs` writes
	@echo "docs-check: man completions"
	@$(SWIFT) build $(CHECKED) --product ManualGenerator $(QUIET) $(BUILD_FLAGS)
	@.ci/docs check "$(PROGRAMS)"

docc: setup-test ## build the documentation of the libraries, and check their public interface
	@echo "docc: $(wildcard Sources/*/*.docc)"
	@$(SWIFT) build $(CHECKED) $(QUIET) $(BUILD_FLAGS)
	@words=$$($(SWIFT) package $(CHECKED) $(BUILD_FLAGS) dump-symbol-graph --minimum-access-level package \
	  --skip-synthesized-members 2>&1) || { echo "$$words"; exit 1; }
	@programs=$(PROGRAMS) && \
	  .ci/docc listings public "$$programs" README.md $(filter-out $(INNER),$(wildcard Sources/*/*.docc/*.md)) && \
	  .ci/docc listings package "$$programs" $(filter $(INNER),$(wildcard Sources/*/*.docc/*.md)) && \
	  .ci/docc interface $(INTERFACE) "$$programs/../symbolgraph" && \
	  .ci/declarations $(INTERFACE) && \
	  .ci/docc pages "$$programs/../symbolgraph" .build/histctl.doccarchive
	@echo "docc: python3 -m http.server -d .build/histctl.doccarchive shows it"

interface: ## write .ci/interfaces and MissingDeclarations after an intended change of the public interface
	@$(MAKE) docc INTERFACE=write

man: setup-test ## check the manual pages with mandoc and man
	@echo "man: $(PAGES)"
	@.ci/docs pages
	@$(PYTHON) Benchmarks/analysis/page.py check

completions: setup-ci ## check the syntax of the shell completions
	@echo "completions: $(wildcard completions/*)"
	@.ci/docs completions

schema: setup-test ## check the JSON Schemas of lines, and their examples against them
	@for schema in man/*.schema.json; do echo "schema: $$schema"; \
	  $(PYTHON) Tests/Tools/validate_lines.py --check-schema --schema "$$schema" || exit 1; done

browser-test: setup-browser program ## test the page of a report in headless Chromium; HISTCTL_REAL_STORES=DIR adds real stores
	@echo "browser-test: Tests/Browser"
	@$(PYTHON) Tests/Browser/run "$(PROGRAMS)/histctl"

# Not part of `make ci`: it builds everything once more, for libFuzzer.
fuzz: setup-test program ## fuzz the decoders (FUZZ_FLAGS="--entry line --runs 1000000"); HISTCTL_REAL_STORES=DIR adds real stores
	@$(PYTHON) .ci/fuzz "$(PROGRAMS)/histctl" $(FUZZ_FLAGS)

soak: setup-test program ## run random commands on a store in use, with kills and damage, for SOAK_MINUTES=1
	@$(PYTHON) Tests/Soak/run "$(PROGRAMS)/histctl" --minutes $(SOAK_MINUTES) $(SOAK_FLAGS)

# Not part of `make ci`: it builds everything once more and runs thousands of tests.
mutation: setup-test ## test the tests of the rules with mutants (MUTATION_FLAGS="--only RetentionRule")
	@$(PYTHON) .ci/mutate $(MUTATION_FLAGS)

packaging: setup-ci program ## check installing, uninstalling and packaging, without a release build
	@echo "packaging: install uninstall deb tarball bundle formula rpm"
	@.ci/check-packages "$(PROGRAMS)/histctl"

workflows: setup-ci ## check workflows, forms, scripts and the Dockerfile with linters from PyPI
	@echo "workflows: .github .ci packaging contrib"
	@.ci/check-workflows

contrib: setup-ci program ## check the files for other programs in contrib against histctl
	@echo "contrib: grafana lnav pre-commit vector fluent-bit mcp"
	@.ci/check-contrib "$(PROGRAMS)/histctl"

# Both build packages of their own in the build folder of the tests, so that swift-syntax is compiled once. They
# come last, because they replace the plan of this package's build.
session-code: parity ## build the code of Apple's sessions and Tests/Parity against OpenSwiftData, and run them
	@echo "session-code: Tests/SessionCode"
	@[ ! -f Package.resolved ] || cp Package.resolved Tests/SessionCode/Package.resolved
	@$(SWIFT) run --package-path Tests/SessionCode $(CHECKED) $(QUIET) $(BUILD_FLAGS) SessionCode

parity: program ## compare what Tests/Parity sees with its transcript; on macOS it uses SwiftData
	@echo "parity: Tests/Parity"
	@rm -rf .build/parity
	@.ci/parity "$(PROGRAMS)/histctl" .build/parity $(CHECKED) $(QUIET) $(BUILD_FLAGS)

libraries: setup-test ## check that the libraries can be used without compiling swift-syntax
	@echo "libraries: PersistentHistory HistoryCoding HistoryArchive"
	@.ci/check-libraries $(CHECKED_FOLDER)/release.yaml $(CHECKED) $(BUILD_FLAGS)

# Nested makes, so that every step has HISTCTL_STRICT and the code is built once. A build leaves a core idle for most
# of its time, so what needs no build runs beside it; tests run alone. It keeps going, so that one run reports every
# failing check.
BESIDE = BESIDE_EACH_OTHER=1 --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
CHECKS = $(MAKE) --keep-going HISTCTL_STRICT=1
ci: setup-ci ## all checks and all tests, as the continuous integration runs them
	@failed=; \
	$(CHECKS) $(BESIDE) warnings architecture schema man completions workflows lint || failed=1; \
	$(CHECKS) $(BESIDE) docs-check docc packaging contrib || failed=1; \
	$(CHECKS) test browser-test session-code libraries || failed=1; \
	[ -z "$$failed" ]
	@echo "ci: all good"

benchmark: setup-test release ## measure histctl beside sqlite3 (BENCHMARK_FLAGS="--only log")
	@echo "benchmark: Benchmarks/run"
	@$(PYTHON) Benchmarks/run $(BENCHMARK_FLAGS)

benchmark-models: setup ## measure OpenSwiftData beside GRDB (the first time compiles swift-syntax for release)
	@echo "benchmark-models: Benchmarks/Models"
	@$(SWIFT) run --configuration release --package-path Benchmarks/Models $(BUILD_FLAGS) \
	  ModelBenchmark $(BENCHMARK_FLAGS)

# Not part of `make ci`: it downloads 450 MB from PyPI and needs Java.
analysis: setup-analysis release ## run the recipes in DuckDB and Spark, and compare with sqlite3
	@echo "analysis: Benchmarks/analyse"
	@$(PYTHON) Benchmarks/analyse $(ANALYSIS_FLAGS)

clean: ## remove everything that was built or measured
	@echo "clean: .build Benchmarks/.cache Benchmarks/Models/.build"
	@rm -rf .build Benchmarks/.cache Benchmarks/Models/.build
