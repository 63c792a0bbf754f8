# Every target sets up .venv first, and again when what it is made from has changed.
PYTEST_ARGS ?=
BENCH_ARGS ?=
PEERS ?=
FAULTS_ARGS ?=
PORT ?= 8320
# What `make run` shows beside the installed applications.
DEMOS := leasehold.demo leasehold_documents.demo leasehold_links.demo leasehold_memory.demo leasehold_sync.demo
# Three for two cores, since a third of a test's time is waiting; a PostgreSQL runs beside each.
PYTEST_WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN || echo 2); echo $$((n < 6 ? (3 * n + 1) / 2 : 8)))

BIN := .venv/bin
CHECKS := check-types check-security check-style check-layers check-lock
# Each one's output stays together, where make can do that (from 4.0).
IN_TURN := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
READY := .venv/.ready
PLOTS_READY := .venv/.ready-plots
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help run test check bench bench-peers bench-plots screenshots faults lock $(CHECKS) format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: export LEASEHOLD_URL := $(or $(LEASEHOLD_URL),sqlite:///var/leasehold.db)
run: export LEASEHOLD_KEYS := $(or $(LEASEHOLD_KEYS),var/keys.json)
run: export LEASEHOLD_DOCUMENTS_VAULT := $(or $(LEASEHOLD_DOCUMENTS_VAULT),var/documents)
run: export LEASEHOLD_MEMORY_HOME := $(or $(LEASEHOLD_MEMORY_HOME),var/memory)
run: $(READY) ## Start the service with sample tasks and applications on http://127.0.0.1:8320 (PORT=, LEASEHOLD_URL=)
	@mkdir -p var
	@[ -e var/keys.json ] || $(BIN)/leasehold keyring init var/keys.json >/dev/null
	@$(BIN)/leasehold serve $(DEMOS:%=--app %:application) --migrate --log-level error --port $(PORT)

test: export PYTHONDONTWRITEBYTECODE := # tests start hundreds of processes: compile once for all
test: $(READY) ## Run all tests (PYTEST_ARGS="-k claim" narrows, PYTEST_WORKERS=0 runs in one process)
	@$(BIN)/python -m compileall -q src apps bench tests
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal $(PYTEST_ARGS)

check: $(READY) ## Lint, format check, types, layers, security, lock
	@$(MAKE) --no-print-directory --keep-going --jobs=2 $(IN_TURN) $(CHECKS)

# The longest first, beside which all others end.
check-types: $(READY)
	$(BIN)/mypy

check-security: $(READY)
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml src apps

check-style: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

check-layers: $(READY)
	$(BIN)/lint-imports

format: $(READY) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

bench: $(READY) ## Run the benchmarks (BENCH_ARGS=)
	$(BIN)/python -m bench $(BENCH_ARGS)

bench-peers: $(READY) ## Measure other job queues beside ours, installing them first (PEERS="pgqueuer huey", BENCH_ARGS=)
	tools/peers.sh $(PEERS)
	$(BIN)/python -m bench.peers $(if $(PEERS),--peers $(PEERS)) $(BENCH_ARGS)

bench-plots: $(PLOTS_READY) ## Draw what bench and bench-peers measured into docs/images
	$(BIN)/python -m bench.plots

screenshots: $(READY) ## Take the pictures of pages in docs/images anew (needs Chromium)
	$(BIN)/python -m tests.browser.screenshots
	$(BIN)/python -m tests.documents.screenshots
	$(BIN)/python -m tests.links.screenshots
	$(BIN)/python -m tests.memory.screenshots
	$(BIN)/python -m tests.sync.screenshots

faults: $(READY) ## Run the fault campaign: kill workers and databases (FAULTS_ARGS=)
	$(BIN)/python -m tests.faults $(FAULTS_ARGS)

lock: ## Write requirements.lock and requirements-plots.lock anew (LOCK_ARGS=--upgrade takes newer versions)
	tools/lock.sh $(LOCK_ARGS)

check-lock: $(READY) ## Say whether requirements.lock satisfies pyproject.toml
	$(BIN)/python tools/check_lock.py

clean: ## Remove everything that these targets made, .venv too
	rm -rf .venv .venv-tools var build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools bench apps -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(READY): requirements.lock pyproject.toml $(wildcard apps/*/pyproject.toml) tools/bootstrap.sh
	@tools/bootstrap.sh

# No test and no check needs it, so it is not in requirements.lock.
$(PLOTS_READY): $(READY) requirements-plots.lock
	@if command -v uv >/dev/null; then uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-plots.lock; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-plots.lock; fi
	@touch $@
