# Every target sets up .venv first, and again when what it is made from has changed.
PYTEST_ARGS ?=
BENCH_ARGS ?=
FAULTS_ARGS ?=
# One PostgreSQL runs beside each of these; 2 keeps a 2-core machine busy without starving timings.
PYTEST_WORKERS ?= 2

BIN := .venv/bin
READY := .venv/.ready
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help run test check bench faults lock check-lock format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(READY) ## Start the demo
	$(BIN)/python -m leasehold.demo

test: $(READY) ## Run all tests (PYTEST_ARGS="-k claim" narrows, PYTEST_WORKERS=0 runs in one process)
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal $(PYTEST_ARGS)

check: $(READY) ## Lint, format check, types, layers, lock
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_lock.py

format: $(READY) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

bench: $(READY) ## Run the benchmarks (BENCH_ARGS=)
	$(BIN)/python -m bench $(BENCH_ARGS)

faults: $(READY) ## Run the fault campaign: kill workers and databases (FAULTS_ARGS=)
	$(BIN)/python -m tests.faults $(FAULTS_ARGS)

lock: ## Write requirements.lock anew from pyproject.toml (LOCK_ARGS=--upgrade takes newer versions)
	tools/lock.sh $(LOCK_ARGS)

check-lock: $(READY) ## Say whether requirements.lock satisfies pyproject.toml
	$(BIN)/python tools/check_lock.py

clean: ## Remove everything that these targets made, .venv too
	rm -rf .venv .venv-tools var build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(READY): requirements.lock pyproject.toml tools/bootstrap.sh
	@tools/bootstrap.sh
