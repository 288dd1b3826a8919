# One command each. Every target makes what it needs: a virtual environment in .venv with the
# package installed editable, so edits to Python files count at once and edits to C++ files are
# compiled by the next `make`.

PYTHON ?= python3
WORKERS ?= 2

SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
CHECKED := .venv-sanitize/$(SCRIPTS)

CPP := $(wildcard core/*.?pp core/*/*.?pp core/*/*/*.?pp bindings/*.?pp)
SOURCES := pyproject.toml CMakeLists.txt $(CPP)
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
BUILD := install --quiet --no-build-isolation

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench tables sanitize docs wheel clean python-is-new-enough

help: ## Print this list
	@echo "usage: make TARGET [PYTHON=python3.12] [WORKERS=4]"
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' Makefile | expand -t 14

demo: .venv/ready ## Train, evaluate and explain on built-in data; compare all learners
	$(BIN)/linnet demo

test: .venv/ready ## Run the tests, the docstring examples and the snippets of the docs
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

lint: .venv/ready ## Check style, format, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/ready ## Put all files into the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

bench: .venv/bench ## Compare speed with other programs in one run
	$(BIN)/python benchmarks/solvers.py
	$(BIN)/python benchmarks/text.py
	$(BIN)/python benchmarks/sequences.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/claims.py

tables: .venv/ready ## Measure again and write the tables of docs/label_bias.md (a quarter of an hour)
	$(BIN)/python benchmarks/label_bias.py --write

docs: .venv/docs ## Write the generated pages and build the site in site/
	$(BIN)/python docs/build_learners.py
	$(BIN)/python docs/build_plots.py
	$(BIN)/python docs/build_spec_coverage.py
	$(BIN)/mkdocs build --strict --quiet

wheel: .venv/ready ## Build a wheel for this machine in dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# The address sanitizer must be loaded before Python, and before the C++ library whose exceptions
# it watches. Python itself leaks at exit by design, so leaks are not looked for.
sanitize: .venv-sanitize/ready ## Run the tests of the C++ core under ASan and UBSan (Linux, GCC)
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	$(CHECKED)/python -m pytest -n $(WORKERS) -m "not slow" --hypothesis-profile=ci \
	  tests/learn tests/text $(ARGS)
	@echo "sanitize: no memory error and no undefined behaviour found"

clean: ## Remove everything that was built
	rm -rf .venv .venv-sanitize build dist site wheelhouse demo_output docs/plots
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -f src/linnet/_core.pyi src/linnet/_core*.so

python-is-new-enough:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "linnet needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.12 ..."; exit 1; }

.venv/ready: $(SOURCES) | python-is-new-enough
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	$(BIN)/python -m pip $(BUILD) --editable ".[dev,plot]"
	@touch $@

.venv/bench .venv/docs: .venv/ready
	$(BIN)/python -m pip $(BUILD) --editable ".[$(@F)]"
	@touch $@

.venv-sanitize/ready: $(SOURCES) | python-is-new-enough
	@g++ -print-file-name=libasan.so | grep -q / || { \
	  echo "make sanitize needs GCC with its sanitizer libraries on Linux."; exit 1; }
	$(PYTHON) -m venv .venv-sanitize
	$(CHECKED)/python -m pip install --quiet $(BUILD_TOOLS)
	CXX=g++ $(CHECKED)/python -m pip $(BUILD) --editable ".[test]" \
	  --config-settings=build-dir=build/sanitize --config-settings=cmake.build-type=Debug \
	  --config-settings=cmake.define.LINNET_SANITIZE=ON
	@touch $@
