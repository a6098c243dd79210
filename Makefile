# Every target does its own set-up: Python 3.11 or later, make and git are all that a machine needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# The tests start many a Python: each would compile soid anew where the environment asks for no bytecode files.
unexport PYTHONDONTWRITEBYTECODE
# Install what a file in locked/ lists, each package by its hash and none built here; then soid itself, from this folder.
# uv needs a quarter of pip's time; but it does not read pip's settings, so where these lead to packages that uv does not
# find, pip installs them.
pip     = $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check
by_pip  = $(pip) --only-binary :all: --require-hashes -r
by_uv   = $(BIN)/uv pip install -q --system-certs --python $(BIN)/python --only-binary :all: --require-hashes -r
install = { { $(by_pip) locked/uv.txt && $(by_uv) locked/$(1).txt; } || { \
	  echo "uv could not install what is needed; pip tries, and takes longer ..." >&2; $(by_pip) locked/$(1).txt; }; } && \
	  $(pip) --no-deps --no-build-isolation -e .
lock    = $(BIN)/uv pip compile -q --system-certs --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --custom-compile-command 'make lock' $(LOCK)
# Two test processes more than cores, for a quarter of the time tests wait; but not many: a test may race solvers against
# the clock.
JOBS   ?= -n $(shell echo $$(( $$(nproc) < 2 ? 3 : 4 ))) --dist worksteal
# Programs of a fuzz run, and how far they are optimised; LANG=c++ makes them C++.
N      ?= 5000
OPT    ?= 0

.DEFAULT_GOAL := help
.PHONY: help setup demo docs test fuzz csmith soak check format lock release clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv and install soid into it (the other targets do this themselves)

demo: $(READY) ## put three cars on the stand; build/crash.svg shows how it would have gone on
	@mkdir -p build
	@$(BIN)/soid demo crash --svg build/crash.svg

docs: $(READY) ## build the documentation as a site, and fail on a link that leads nowhere; `soid docs` opens it
	@.ci/docs $(CURDIR)/$(BIN)/python

test: $(READY) ## run the tests (without the fuzz and soak runs)
	@$(BIN)/pytest -q $(JOBS)

fuzz: $(READY) ## random programs against the compiled ones: make fuzz N=5000, LANG=c++, OPT=2 (goes on where it was stopped)
	@$(BIN)/python -m tests.differential.fuzz $(N) --language $(if $(filter c++,$(LANG)),c++,c) --level=-O$(OPT)

csmith: $(READY) ## programs that csmith writes against the compiled ones: make csmith N=1000 (Debian: csmith, libcsmith-dev)
	@$(BIN)/python -m tests.differential.csmith $(N)

soak: $(READY) ## the long tests: a full training of each driver and of the risk tree, every recipe on 300 programs, the server under siege
	@$(call install,soak)
	@$(BIN)/pytest -q $(JOBS) -m soak -o faulthandler_timeout=0 --ignore=tests/soak
	@$(BIN)/pytest -q -m soak -o faulthandler_timeout=0 tests/soak  # on their own: they measure how quick the server is

check: $(READY) ## ruff, mypy strict, and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

format: $(READY) ## let ruff fix and format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(READY) ## write locked/ anew from pyproject.toml; LOCK=--upgrade takes the newest versions that it allows
	@$(by_pip) locked/uv.txt
	@$(lock) pyproject.toml --extra dev --extra marabou --extra soak --extra train --group build --group installer -o locked/soak.txt
	@$(lock) pyproject.toml --extra dev --group build -c locked/soak.txt -o locked/dev.txt
	@$(lock) pyproject.toml --extra compiler --extra web --group build -c locked/soak.txt -o locked/user.txt
	@$(lock) --group pyproject.toml:installer -c locked/soak.txt -o locked/uv.txt

release: $(READY) ## build sdist and wheel twice, compare their bytes, and write them to dist/ with SHA256SUMS and an SBOM
	@.ci/release $(CURDIR)/$(BIN)/python dist

clean: ## remove .venv, caches and builds
	rm -rf $(VENV) build dist src/soid/manual .cache .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so a set-up that was interrupted starts again.
$(READY): pyproject.toml locked/dev.txt locked/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "soid needs Python 3.11 or later, and '$(PYTHON)' is older or missing." >&2; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a download of about 450 MB, most of it compilers, solvers and the libraries of learned models) ..."
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Could not make $(VENV): on Debian and Ubuntu, install the package python3-venv." >&2; exit 1; }
	@$(call install,dev)
	@touch $@
