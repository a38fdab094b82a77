# The checks. `make test` on a fresh machine makes its own .venv first.
.PHONY: test lint types coverage bench fuzz soak survival format clean venv

BIN := .venv/bin
TESTS ?=
MINUTES ?= 2
TARGETS ?=

# Caches go where .venv leads: what lies in a clone is copied when the plugin is installed from it.
export RUFF_CACHE_DIR := $(CURDIR)/.venv/cache/ruff
export MYPY_CACHE_DIR := $(CURDIR)/.venv/cache/mypy
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.venv/cache/hypothesis

test: lint types
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadgroup -o cache_dir=.venv/cache/pytest $(TESTS)

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv
	$(BIN)/mypy

# What hooks and commands run in processes of their own counts too. Some lines only run in a process that is killed.
coverage: venv
	rm -rf .venv/coverage && mkdir .venv/coverage
	COVERAGE_FILE=$(CURDIR)/.venv/coverage/data MEASURED_INTO=$(CURDIR)/.venv/coverage/data \
		$(BIN)/coverage run -m pytest -n auto --maxprocesses 4 --dist loadgroup -o cache_dir=.venv/cache/pytest $(TESTS)
	cd .venv/coverage && ../bin/coverage combine --quiet --data-file=data --rcfile=$(CURDIR)/pyproject.toml
	$(BIN)/coverage report --data-file=.venv/coverage/data

bench: venv
	$(BIN)/python -m tests.benches

# Each target for some minutes, by what each input leads to; by chance alone where there is no wheel of atheris.
fuzz: venv
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --editable '.[fuzz]' || \
	    echo 'There is no atheris for this Python: inputs are made by chance alone.'
	nice $(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(TARGETS)

survival: venv
	$(BIN)/python -m tests.benches.survival

# SEEDS="1 2 3" plays these, MINUTES=20 is what all of them may take to begin their work.
soak: venv
	nice $(BIN)/python -m tests.soak

format: venv
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean:
	rm -rf "$$(readlink .venv)" .venv build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@.ci/venv
