# Two commands do everything, each with its own set-up: `make demo` and `make test`.
# CONTRIBUTING.md says what the others are for.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
ARGS ?=
WORKERS ?= auto
LOANS = demo/loans.csv
ASK = --target y --score grade_rank

.PHONY: demo test full shuffle narrow golden lint types pyright wheel bundle try wasm docs bench merge lock newest floors clean

demo: $(VENV)/demo.stamp
	@mkdir -p demo
	@$(BIN)/capcurve example loans -o $(LOANS) 2> $(VENV)/example.log
	@$(BIN)/capcurve plot $(LOANS) $(ASK) --at 0.1 -o demo/cap.png
	@$(BIN)/capcurve report $(LOANS) $(ASK) -o demo/report.html
	@echo "picture: $(CURDIR)/demo/cap.png"
	@echo "report:  $(CURDIR)/demo/report.html"

# Modules that are compiled once serve the hundreds of commands that tests start.
unexport PYTHONDONTWRITEBYTECODE

test: $(VENV)/test.stamp
	@echo "Running the tests: about three minutes on two cores."
	@$(BIN)/python -m pytest -n auto --dist=worksteal $(ARGS)

# All tests, those too that take long or need more than `make test` installs.
full: $(VENV)/merge.stamp
	CAPCURVE_REQUIRE_ALL=1 $(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

# The same tests in a random order, whose seed is printed and can be given again.
shuffle: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto --random-order-bucket=global $(ARGS)

# What is promised of digits, as on a machine whose widest float has 64 bits.
narrow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n auto -p narrow_float $(ARGS) \
	  tests/laws tests/oracles tests/numbers/test_exactness.py tests/tables/test_tables.py

# What each kind of result says as text, to be read in review: git diff tests/golden.
golden: $(VENV)/test.stamp
	$(BIN)/python -m pytest --golden -q $$(grep -rlE 'golden\((name|")' tests --include='test_*.py')

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy

# Whether an editor knows the type of all that can be imported; needs node.
pyright: $(VENV)/merge.stamp
	PYTHONPATH=src $(BIN)/pyright --verifytypes capcurve --ignoreexternal --pythonpath $(BIN)/python

wheel: $(VENV)/demo.stamp
	rm -f dist/*.whl dist/*.tar.gz
	$(BIN)/python -m build --quiet --no-isolation
	$(BIN)/python .ci/check_package.py dist/*.whl

# The script of the page; what it makes is committed, so that only its authors need node.
bundle:
	cd report && npm ci --silent && npm test --silent && npm run --silent build

# The page that makes reports in a browser, as a folder that any server can hold; needs npm.
try: $(VENV)/demo.stamp
	@$(BIN)/python extras/try/assemble.py

# Whether numbers are right where indices have 32 bits, as in WebAssembly; needs node as well.
wasm: $(VENV)/test.stamp try
	$(BIN)/python -m pytest -n $(WORKERS) -m "more or not more" $(ARGS) tests/wasm

# The documentation site, in which every example runs and every picture is drawn anew.
docs: $(VENV)/docs.stamp
	@echo "Building the site, in which every example runs: about two minutes."
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs docs/_build/html
	@echo "site: $(CURDIR)/docs/_build/html/index.html"

bench: $(VENV)/test.stamp
	$(BIN)/python benchmarks/waiting.py
	$(BIN)/python benchmarks/table.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/report.py

clean:
	rm -rf $(VENV) $(VENV)-uv $(VENV)-newest $(VENV)-floors demo dist \
	  docs/_build docs/gallery docs/reference/api docs/reference/commands

# The machine's pip installs into the environment what the files in `requirements` name, as it is
# hashed there, and nothing else. Spark comes as source: setuptools, installed before it, builds it.
PIP = $(PYTHON) -m pip --python $(VENV) --disable-pip-version-check
LOCKED = $(PIP) install --require-hashes --no-build-isolation --no-compile --requirement
# Modules are compiled on all cores, which pip would do on one.
COMPILED = $(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib || true
OURSELVES = $(PIP) --quiet install --no-index --no-deps --no-build-isolation --editable .

$(VENV)/demo.stamp: requirements/demo.txt pyproject.toml
	@echo "Installing numpy, scipy, DuckDB and matplotlib into $(VENV): 400 MB, about half a minute."
	@$(PYTHON) -m venv --without-pip $(VENV)
	@$(LOCKED) requirements/demo.txt
	@$(COMPILED)
	@$(OURSELVES)
	@touch $@

$(VENV)/test.stamp: $(VENV)/demo.stamp requirements/test.txt
	@echo "Installing what the tests need into $(VENV): 700 MB more, about half a minute."
	@$(LOCKED) requirements/test.txt
	@$(COMPILED)
	@touch $@

$(VENV)/docs.stamp: $(VENV)/demo.stamp requirements/docs.txt
	@echo "Installing Sphinx, pandas and scikit-learn into $(VENV): 270 MB more, about half a minute."
	@$(LOCKED) requirements/docs.txt
	@$(COMPILED)
	@touch $@

# Too large for everybody; without it the tests that need it are left out.
merge: $(VENV)/merge.stamp
$(VENV)/merge.stamp: $(VENV)/test.stamp requirements/merge.txt
	@echo "Installing engines, browsers' tools and models into $(VENV): several GB, some minutes."
	@$(LOCKED) requirements/merge.txt
	@$(COMPILED)
	@$(PIP) install torch==2.13.0
	@touch $@

# Writes the locked versions for every Python and system we name; ARGS=--upgrade takes newer ones.
UV = $(VENV)-uv/bin/uv
PLAIN = --extra all --group build --group test --group lint
MORE = --group engines --group browser
COMPILE = $(UV) pip compile --quiet pyproject.toml
HASHED = --python-version 3.11 --generate-hashes --no-emit-index-url \
  --custom-compile-command "make lock"
LARGE = $(MORE) --group tensors --group together --group merge

$(UV): Makefile
	$(PYTHON) -m venv --without-pip $(VENV)-uv
	$(PYTHON) -m pip --python $(VENV)-uv --quiet install uv==0.13.9
	@touch $@

lock: $(UV)
	@mkdir -p requirements
	$(COMPILE) --universal $(HASHED) $(PLAIN) $(ARGS) -o requirements/test.txt
	$(COMPILE) --universal $(HASHED) --extra plot --group build $(ARGS) \
	  --constraint requirements/test.txt -o requirements/demo.txt
	$(COMPILE) $(HASHED) $(LARGE) $(ARGS) \
	  --constraint requirements/test.txt -o requirements/merge.txt
	$(COMPILE) --universal $(HASHED) --extra sklearn --group docs --group build $(ARGS) \
	  --constraint requirements/test.txt -o requirements/docs.txt

# All tests with the newest version of everything, and with the lowest that pyproject.toml allows.
newest: OTHER = --resolution highest
floors: OTHER = --resolution lowest-direct
floors: WARNINGS = -W default
newest floors: $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) $(VENV)-$@
	$(COMPILE) $(PLAIN) $(MORE) $(OTHER) --python $(VENV)-$@ --output-file $(VENV)-$@/versions.txt
	$(UV) pip install --quiet --python $(VENV)-$@ -r $(VENV)-$@/versions.txt --editable .
	$(VENV)-$@/bin/python -m pytest -n auto $(WARNINGS) $(ARGS)
