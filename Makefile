# `make demo` and `make test` work from a fresh clone with nothing but python3 and make: they create
# .venv and install what they need, and do neither again until pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
# setuptools warns about every editable install.
PIP := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test lint types unit bench large records docs clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    normalise a photograph, from IR text and from Python, checked against NumPy"
	@echo "make test    lint, types and all tests; what CI runs"
	@echo "make bench   opsir beside other libraries and the memory's limits: about 5 minutes"
	@echo "make large   the tests that need 5 GiB of memory"
	@echo "make records the long runs whose results are committed: an hour or two"
	@echo "make docs    write the generated documents again"

demo: $(VENV)/installed-demo
	@$(BIN)/python tools/demo.py

test: lint types unit

lint: $(VENV)/installed-test
	$(BIN)/ruff check opsir benchmarks tools tests
	$(BIN)/ruff format --check opsir benchmarks tools tests

types: $(VENV)/installed-test
	$(BIN)/pyright --project pyproject.toml

unit: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n $(JOBS) $(PYTEST_ARGS)

# BENCH_ARGS="--cases outer --sizes FL --threads 1"; BENCH_ARGS=--help tells all options.
bench: $(VENV)/installed-bench
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

large: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -m large_memory tests/numeric

records: $(VENV)/installed-test
	$(BIN)/python tools/golden_matrix.py --full --record --jobs $(JOBS)
	$(BIN)/python tools/fuzz_dags.py --count 50000 --record --jobs $(JOBS)


docs: $(VENV)/installed-test
	$(BIN)/python -m tools.gen_docs
	$(BIN)/python tools/deviations.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "opsir needs Python 3.11 or newer: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis
