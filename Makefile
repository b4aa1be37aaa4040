# Two commands do everything, each with its own set-up: `make demo` and `make test`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
LOANS = examples/lending_club.csv
ASK = --target y --score grade_rank

.PHONY: demo test lint types wheel bundle bench clean

demo: $(VENV)/demo.stamp
	@mkdir -p demo
	@$(BIN)/capcurve plot $(LOANS) $(ASK) --at 0.1 -o demo/cap.png
	@$(BIN)/capcurve report $(LOANS) $(ASK) -o demo/report.html
	@echo "picture: $(CURDIR)/demo/cap.png"
	@echo "report:  $(CURDIR)/demo/report.html"

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/lint.stamp
	$(BIN)/mypy

wheel: $(VENV)/build.stamp
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python .ci/check_wheel.py dist/*.whl

# The script of the page; what it makes is committed, so that only its authors need node.
bundle:
	cd report && npm ci --silent && npm test --silent && npm run --silent build

bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/kernel.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/files.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/report.py

clean:
	rm -rf $(VENV) demo dist

# Some systems ship Python without the part that makes environments; virtualenv makes them too.
$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
	  $(PYTHON) -m pip install --quiet --user virtualenv && $(PYTHON) -m virtualenv --quiet $(VENV); }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/demo.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[plot]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[all]' --group test --group engines --group browser
	@touch $@

$(VENV)/lint.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

$(VENV)/build.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/python -m pip install --quiet --group build
	@touch $@
