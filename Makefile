# Two commands: `make demo` plays, scores and reports consultations; `make test` is everything CI runs.
PYTHON ?= python3
CASES ?= library
BIN := .venv/bin

.PHONY: demo test clean

demo: .venv/demo
	@$(BIN)/python -m osler.cli.demo $(CASES)

test: .venv/dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest
	$(BIN)/pytest -rs tests/slow

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml
	@echo "Installing Osler into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	@echo "Installing Osler and what its tests need into .venv (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/demo

clean:
	rm -rf .venv .venv-server .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
