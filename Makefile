# The two commands a newcomer needs are `make demo` and `make test`; everything else is for working on Transom.
# Each target sets itself up: a virtual environment in .venv, the dependencies, a browser; `make test` also what a
# desktop without a screen needs.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
export PIP_ROOT_USER_ACTION := ignore

.PHONY: help demo test unit lint format bench bench-desktop soak reqs reference licences wheel ci clean

help:
	@echo "make demo    set up and watch an agent work through web tasks"
	@echo "make test    set up and run every test"
	@echo "make lint    formatting, types, import rule, licences, generated docs"
	@echo "make bench   time per step, printed as a table"
	@echo "make bench-desktop   a desktop's steps and marks beside peers, in one run"
	@echo "make soak    the long forms of the tests"
	@echo "make reqs    required behaviours without a test"
	@echo "make ci      what runs for every change: lint, then test"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Transom needs Python 3.11 or newer; none was found. Set PYTHON=/path/to/python3."; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing Transom"
	@$(PIP) install --constraint requirements.lock --editable '.[web,evals]'
	@$(BIN)/transom doctor --fix --quiet
	@touch $@

$(VENV)/.dev: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing Transom for development"
	@$(PIP) install --constraint requirements.lock --editable '.[dev]'
	@# pyautogui brings python3-xlib, whose files have the same names: the real one has to be installed last.
	@$(PIP) install --constraint requirements.lock --force-reinstall --no-deps python-xlib
	@$(BIN)/transom doctor --fix --quiet
	@touch $@ $(VENV)/.run

demo: $(VENV)/.run
	@$(BIN)/transom demo

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -q -m "not soak"

unit: $(VENV)/.dev
	@$(BIN)/python -m pytest -q tests/unit

soak: $(VENV)/.dev
	@$(BIN)/python -m pytest -q -m soak

bench: $(VENV)/.dev
	@$(BIN)/python -m tests.bench

bench-desktop: $(VENV)/.dev
	@$(BIN)/python -m tests.bench.desktop

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-timings 2>/dev/null || $(BIN)/lint-imports
	@$(BIN)/python scripts/check_licences.py
	@$(BIN)/python scripts/generate_reference.py --check

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

reqs: $(VENV)/.dev
	@$(BIN)/python scripts/list_requirements.py

reference: $(VENV)/.dev
	@$(BIN)/python scripts/generate_reference.py

ci: lint test

clean:
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
