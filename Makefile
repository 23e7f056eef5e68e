# make simulate    install into .venv and play one million deals
# make test        install what the tests need, then lint, types and tests
# make bench       how fast this machine is
# make clean       remove .venv and everything generated
#
# Python 3.11, 3.12 or 3.13. If `python3` is another one:  make simulate PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := results/first-million
KERNEL_TESTS := tests/test_kernels.py tests/test_cases_games.py tests/test_cases_strategies.py
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help simulate test lint check-kernels bench clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

simulate: $(VENV)/.installed
	@rm -rf $(RUN)
	$(BIN)/cribsim simulate --players expectimax+greedy greedy --deals 1M --seed 1 --out $(RUN)

test: lint check-kernels
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

lint: $(VENV)/.installed-for-tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The kernels stay valid plain Python, and read nothing outside their arrays (numba's cache doesn't know whether it
# checks bounds, hence the folder of its own).
check-kernels: $(VENV)/.installed-for-tests
	NUMBA_DISABLE_JIT=1 $(BIN)/python -W "ignore:overflow encountered:RuntimeWarning" -m pytest -q $(KERNEL_TESTS)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.cache/bounds-checked $(BIN)/python -m pytest -q $(KERNEL_TESTS)

bench: $(VENV)/.installed
	$(BIN)/cribsim bench

clean:
	rm -rf $(VENV) build dist .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis $(RUN)
	find cribsim tests examples -name __pycache__ -type d -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "cribsim needs Python 3.11, 3.12 or 3.13, not $$($(PYTHON) --version 2>&1); name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing cribsim into $(VENV) (once)"
	$(PIP) install --editable .
	@$(BIN)/python -m compileall -q cribsim
	@touch $@

$(VENV)/.installed-for-tests: pyproject.toml | $(BIN)/python
	@echo "installing cribsim and its test tools into $(VENV) (once)"
	$(PIP) install --editable '.[test,dev]'
	@$(BIN)/python -m compileall -q cribsim
	@touch $@ $(VENV)/.installed
