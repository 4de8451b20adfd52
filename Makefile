# `make quickstart` and `make test` work on a fresh clone: each sets up what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Test files that run side by side.
WORKERS ?= 2
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: quickstart test check bench format clean

# Sweeps the bundled handbook and says which configuration won.
quickstart: $(VENV)/.installed
	$(BIN)/sweep run search_spaces/quickstart.yaml
	@echo
	@echo "Look at it:   $(BIN)/sweep dashboard        (then open http://127.0.0.1:8080/)"
	@echo "Ship it:      $(BIN)/sweep export --out winner/quickstart && $(BIN)/sweep verify winner/quickstart"
	@echo "Ask it:       $(BIN)/sweep query winner/quickstart \"how many days of leave can I carry over?\""

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Measured by hand, as ratios within one run.
bench: $(VENV)/.installed-dev
	for script in tests/benchmarks/bench_*.py; do PYTHONPATH=. $(BIN)/python $$script || exit 1; done

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("sweep needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --config-settings editable_mode=compat -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(INSTALL) --config-settings editable_mode=compat -e ".[dev]"
	touch $@
