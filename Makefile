# `make demo` plays, scores and reports consultations; `make test` runs the tests and all checks in a few minutes;
# `make test-web` opens the pages in a browser; `make web` builds them, `make types` writes what they are told;
# `make test-slow` kills and shares runs many times and drives a real model server (it downloads about 1 GB, once);
# `make test-train` trains and serves tiny models (it installs about 2 GB, once): docs/training-models.md;
# `make train-gpu BASE=FOLDER` times a base's training on a GPU, in at most ten minutes: docs/training-models.md;
# `make test-models` plays every seat with a small language model (it downloads about 130 MB, once);
# `make test-adapters` tests each adapter with its tool, in an environment of its own (it installs them, once);
# `make wheel` builds the distributions, `make test-wheel` tries them where nothing else is installed;
# `make test-deployment` tries the container's recipe and the proxies (Debian: apt install nginx-light caddy);
# `make site` builds the documentation as a site in build/site, `make test-site` checks it;
# `make test-all` runs all of them, with twelve times as many examples per property and every look of every screen;
# `make smoke` runs what CI does after `make test`: of each heavier suite the tests that are marked `smoke`.
PYTHON ?= python3
CASES ?= library
BIN := .venv/bin
# `make test-web SMOKE=1` runs the smoke of one suite; one of which nothing ran is red (tests/conftest.py).
ONLY = $(if $(SMOKE),-m smoke)

# Processes that tests start would else compile the sources again, each of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-web test-train train-gpu test-models test-adapters test-slow test-all smoke test-wheel test-deployment test-site wheel site web types checks ruff format mypy imports clean

demo: .venv/demo
	@$(BIN)/python -m osler.cli.demo $(CASES)

# The checks run in parallel with the tests; their output is shown when both are done.
test: .venv/dev
	@said=$$(mktemp); $(MAKE) --no-print-directory --keep-going checks >$$said 2>&1 & checks=$$!; \
	$(BIN)/pytest -n auto --dist worksteal --durations=15; tests=$$?; \
	wait $$checks; checks=$$?; cat $$said; rm $$said; \
	exit $$((tests ? tests : checks))

checks: ruff format mypy imports

ruff format mypy imports: .venv/dev

ruff:
	$(BIN)/ruff check src tests benchmarks docs

format:
	$(BIN)/ruff format --check src tests benchmarks docs

mypy:
	$(BIN)/mypy

imports:
	$(BIN)/lint-imports

test-slow: .venv/dev
	$(BIN)/pytest -n auto --dist worksteal $(or $(ONLY),-m slow)
	$(BIN)/pytest -rs $(ONLY) tests/slow

# The source distribution, and the wheel that is built from it.
wheel: .venv/dev
	@rm -rf build/wheel
	$(BIN)/python -m build --outdir build/wheel .

test-wheel: wheel
	$(BIN)/pytest -n 0 tests/release/test_wheel.py

# The recipe of the container, step by step without one, and the proxies of docs/deployment.md where installed.
test-deployment: .venv/dev
	$(BIN)/pytest -rs -n 0 tests/release/test_deployment.py

# The site's builder has an environment of its own.
site: .venv-docs/ready
	.venv-docs/bin/python -m docs.site.build

test-site: .venv/dev site
	$(BIN)/pytest -rs -n 0 tests/release/test_site.py

.venv-docs/ready: pyproject.toml
	@$(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

# Builds the front end into src/osler/web/dist; needs node 20 or newer. The built files are committed.
web: web/node_modules/.package-lock.json
	cd web && npm run build
	@$(PYTHON) web/seal.py
	@$(PYTHON) web/notices.py

# Writes the contract of server and pages, and generates the pages' types from it.
types: .venv/dev web/node_modules/.package-lock.json
	$(BIN)/python -m osler.web.contract
	cd web && npm run types

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --include=dev --no-fund --no-audit
	@touch $@

# What is missing (Debian: apt install chromium-headless-shell nodejs npm) is said, and its tests are skipped.
test-web: .venv/dev
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web/node_modules/.package-lock.json; fi
	$(BIN)/pytest -rs -n auto --dist worksteal $(ONLY) tests/web_browser

# A file to one process, so that its models are made once; one thread, so that sums are the same.
test-train: export OMP_NUM_THREADS = 1
test-train: .venv/train
	$(BIN)/pytest -rs -n auto --dist loadfile $(ONLY) tests/training_models

# Without BASE it shows the form of the table, with a tiny base.
train-gpu: .venv/train
	$(BIN)/python benchmarks/train_gpu.py $(if $(BASE),--base $(BASE) --out train-gpu.json,--dry-run)

# The weights go to the user's cache folder; OSLER_TEST_MODEL names another file.
test-models: .venv/dev
	@$(MAKE) --no-print-directory .venv/models || echo "xllamacpp could not be installed: its tests are skipped"
	$(BIN)/pytest -rs -n 0 $(ONLY) tests/real_models

# Each adapter in an environment of its own, .venv-NAME; one that cannot be installed is skipped.
ADAPTERS ?= mcp inspect openenv ray
test-adapters:
	@$(PYTHON) tests/adapter_tools/run.py $(ONLY) $(ADAPTERS)

test-all: export HYPOTHESIS_PROFILE = thorough
test-all: export OSLER_AXE = all
test-all: test test-wheel test-deployment test-site test-web test-train test-models test-adapters test-slow

smoke: export SMOKE = 1
smoke: ADAPTERS = mcp inspect
smoke: test-wheel test-site test-web test-train test-models test-adapters test-slow

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml
	@echo "Installing Osler into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[web]'
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	@echo "Installing Osler and what its tests need into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/demo

# torchvision alone, without the torch that its index would bring along.
.venv/train: .venv/dev train-constraints.txt
	@echo "Installing what training needs into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c train-constraints.txt -e '.[dev,train]'
	@$(BIN)/pip install --quiet --disable-pip-version-check -c train-constraints.txt --no-deps torchvision
	@touch $@

.venv/models: .venv/dev
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,local]'
	@touch $@

clean:
	rm -rf build .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
