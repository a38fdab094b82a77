# The checks. `make test` on a fresh machine makes its own .venv first.
.PHONY: test lint types bench survival format clean venv

BIN := .venv/bin
TESTS ?=

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

bench: venv
	$(BIN)/python -m tests.benches

survival: venv
	$(BIN)/python -m tests.benches.survival

format: venv
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean:
	rm -rf "$$(readlink .venv)" .venv build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@.ci/venv
