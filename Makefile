# The checks. `make test` on a fresh machine makes its own .venv first.
#   make test     lint, types, the tests without the slow ones, one session of the newest client
#   make check    lint, types, the documentation's site, all tests with the newest client
#   make nightly  the oldest client, many examples for each property, trials, fuzz, soak, coverage, mutants
.PHONY: site prefixes pictures printed test check nightly lint types quick rest all coverage bench fuzz soak continuity mutants format clean venv

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -o cache_dir=.venv/cache/pytest
OLDEST_CLIENT := 2.1.197
TESTS ?=
MINUTES ?= 2
TARGETS ?=
OPTIONS ?=

# Caches go where .venv leads: what lies in a clone is copied when the plugin is installed from it.
export RUFF_CACHE_DIR := $(CURDIR)/.venv/cache/ruff
export MYPY_CACHE_DIR := $(CURDIR)/.venv/cache/mypy
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.venv/cache/hypothesis

test: lint types quick

check: lint types site all

# Where the client cannot be downloaded, its one test is skipped and says so.
quick: venv
	$(PYTEST) -m 'not slow and not nightly and (smoke or not client)' --hypothesis-profile quick \
		--client-may-be-missing $(TESTS)

# What `quick` leaves of `all`.
rest: venv
	$(PYTEST) -m '(slow or client) and not smoke and not nightly' $(TESTS)

all: venv
	$(PYTEST) -m 'not nightly' $(TESTS)

nightly: venv
	HOLDFAST_TEST_CLIENTS=$(OLDEST_CLIENT) $(PYTEST) -m client $(TESTS)
	$(PYTEST) -m 'hypothesis or nightly' --hypothesis-profile long --timeout 3600 $(TESTS)
	$(MAKE) fuzz soak coverage mutants

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

# What hooks and commands run in processes of their own counts too. Some lines only run in a process that is killed.
# The figure is printed also if a test fails.
coverage: venv
	rm -rf .venv/coverage && mkdir .venv/coverage
	COVERAGE_FILE=$(CURDIR)/.venv/coverage/data MEASURED_INTO=$(CURDIR)/.venv/coverage/data \
		$(BIN)/coverage run -m $(subst $(BIN)/python -m ,,$(PYTEST)) -m 'not nightly' $(TESTS); code=$$?; \
	(cd .venv/coverage && ../bin/coverage combine --quiet --data-file=data --rcfile=$(CURDIR)/pyproject.toml) && \
	$(BIN)/coverage report --data-file=.venv/coverage/data && exit $$code

bench: venv
	@$(BIN)/python -c 'import matplotlib' 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.benches

# Each target for some minutes, by what each input leads to; by chance alone where there is no wheel of atheris.
fuzz: venv
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --editable '.[fuzz]' || \
	    echo 'There is no atheris for this Python: inputs are made by chance alone.'
	nice $(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(TARGETS)

# SAMPLES=40 MODULES="context cli.show" TARGETS=tests/context: so many faults, in these parts, against these tests.
mutants: venv
	nice $(BIN)/python -m tests.mutants

# OPTIONS="--client" plays through the real client, "--transcripts DIR" plays yours: docs/explanation/continuity.md.
continuity: venv
	nice $(BIN)/python -m tests.continuity $(OPTIONS)

# SEEDS="1 2 3" plays these, MINUTES=20 is what all of them may take to begin their work.
soak: venv
	nice $(BIN)/python -m tests.soak

# In an environment of its own, because only this needs it. The site is in .venv/site.
site: venv
	@test -x .venv/docs/bin/mkdocs || { $(BIN)/python -m venv .venv/docs && \
	    .venv/docs/bin/python -m pip install --quiet --disable-pip-version-check '.[docs]'; }
	NO_MKDOCS_2_WARNING=1 .venv/docs/bin/mkdocs build --quiet --strict --site-dir $(CURDIR)/.venv/site

# Records the session with the real client anew. `make check` only compares the text.
pictures: venv
	WRITE_PICTURES=yes $(BIN)/python -m pytest -o cache_dir=.venv/cache/pytest tests/documents/test_pictures.py

# What commands and hooks print, written anew. Read the change before you commit it.
printed: venv
	WRITE_PRINTED=yes $(PYTEST) tests/printed

# RULES=gitleaks.toml (or a gitleaks program) VERSION=8.30.1: the beginnings of keys from these rules.
prefixes: venv
	$(BIN)/python -m tests.prefixes $(RULES) $(VERSION) $$(date +%F)

format: venv
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean:
	rm -rf "$$(readlink .venv)" .venv build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@.ci/venv
