# Every target does its own set-up: Python 3.11 or later, make and git are all that a machine needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# The tests start many a Python: each would compile soid anew where the environment asks for no bytecode files.
unexport PYTHONDONTWRITEBYTECODE
# Install soid with an extra. uv needs a quarter of pip's time; but it does not read pip's settings, so where these lead
# to packages that uv does not find, pip installs them.
pip     = $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check -c constraints.txt
uv      = $(BIN)/uv pip install -q --system-certs --python $(BIN)/python -c constraints.txt
comma  := ,
install = { $(pip) uv && $(uv) -e '.[$(1)]'; } || { \
	  echo "uv could not install what is needed; pip tries, and takes longer ..." >&2; $(pip) -e '.[$(1)]'; }
# One test process a core, but not many: a test may race solvers in processes of its own, against the clock.
JOBS   ?= -n auto --maxprocesses 4 --dist worksteal
# Programs of a fuzz run, and how far they are optimised; LANG=c++ makes them C++.
N      ?= 5000
OPT    ?= 0

.DEFAULT_GOAL := help
.PHONY: help setup demo test fuzz csmith soak check format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv and install soid into it (the other targets do this themselves)

demo: $(READY) ## put three cars on the stand
	@$(BIN)/soid demo crash

test: $(READY) ## run the tests (without the fuzz and soak runs)
	@$(BIN)/pytest -q $(JOBS) -m "not fuzz and not soak"

fuzz: $(READY) ## random programs against the compiled ones: make fuzz N=5000, LANG=c++, OPT=2 (goes on where it was stopped)
	@$(BIN)/python -m tests.differential.fuzz $(N) --language $(if $(filter c++,$(LANG)),c++,c) --level=-O$(OPT)

csmith: $(READY) ## programs that csmith writes against the compiled ones: make csmith N=1000 (Debian: csmith, libcsmith-dev)
	@$(BIN)/python -m tests.differential.csmith $(N)

soak: $(READY) ## the long tests: a full training of each driver and of the risk tree, every recipe on 300 programs, the server under siege
	@$(call install,soak$(comma)train)
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

clean: ## remove .venv, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so a set-up that was interrupted starts again.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "soid needs Python 3.11 or later, and '$(PYTHON)' is older or missing." >&2; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Setting up $(VENV) (once; a download of about 250 MB, most of it compilers and solvers) ..."
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Could not make $(VENV): on Debian and Ubuntu, install the package python3-venv." >&2; exit 1; }
	@$(call install,dev)
	@touch $@
