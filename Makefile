# `make demo` and `make test` do all the set-up on a fresh machine, inside this checkout: the program
# alone for the demo, with the tools of development for the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROGRAM := $(VENV)/program
STAMP := $(VENV)/installed

.PHONY: demo test docs lint types check benchmark utility plan coverage confounded tuning half-widths verdict choosing bounds reproduce crash hammer audit audit-pipeline clean

demo: $(PROGRAM)  ## a simulated trial end to end: a rule and a report in demo/
	$(BIN)/dpwerm demo --out demo --force

test: $(STAMP)  ## the whole test suite
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile

docs: $(STAMP)  ## these pages and the reference as static HTML in build/docs, without a warning
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --quiet --conf-dir docs \
		--doctree-dir build/doctrees . build/docs
	@echo "Open build/docs/index.html."

lint: $(STAMP)  ## style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)  ## mypy, strict, on source, reproduction, tests and benchmarks
	$(BIN)/mypy

check: lint types docs test  ## what CI runs, but for the demo

benchmark: $(STAMP)  ## speed of solver, engine, choice, tables and start-up, as ratios measured in one run
	$(BIN)/python benchmarks/solver.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/batch.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.engine
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.choice
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.tables
	$(BIN)/python benchmarks/startup.py

utility: $(STAMP)  ## accuracy, value, gain and harm of every method, tight and sloppy; some hours
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.utility

plan: $(STAMP)  ## the figure and the tables of docs/plan.md; about half an hour
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.plan_page

coverage: $(STAMP)  ## how often the intervals of an evaluation hold; docs/evaluation.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.coverage

confounded: $(STAMP)  ## what undoes confounding, by what is declared; docs/observational.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.confounded

tuning: $(STAMP)  ## what tuning gains, by Algorithm 2 and privately; docs/tuning.md, about eight minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.algorithm2
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.tuning

half-widths: $(STAMP)  ## how near simulated half-widths of noise come to the true; docs/report-intervals.md, three minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.half_widths

verdict: $(STAMP)  ## how often a rule is called noise, where it is and where not; docs/report-intervals.md, an hour
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.verdict

choosing: $(STAMP)  ## the tables of docs/choosing.md; about five minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.choosing

bounds: $(STAMP)  ## the tables of docs/bounds.md; seconds
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.bounds_page

reproduce: $(STAMP)  ## every table and figure of the paper, in docs/reproduction; CYP_GUIDES=path of your copy
	$(BIN)/python -m reproduction all --out docs/reproduction $(if $(CYP_GUIDES),--cyp-guides "$(CYP_GUIDES)")

crash: $(STAMP)  ## kill fits 10,000 times anywhere: spent is never below released; about 20 minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.ledger.crash --times 10000

hammer: $(STAMP)  ## 32 processes against one budget, on SQLite and on PostgreSQL
	$(BIN)/python -m tests.ledger.hammer --database sqlite
	$(BIN)/python -m tests.ledger.hammer --database postgresql

audit: $(STAMP)  ## attack everything that is shipped, and known faults: docs/audit.md, docs/audit-faults.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/dpwerm audit --out benchmarks/results/audit.json --figure docs/images/audit.svg --force
	$(BIN)/python -m benchmarks.audit benchmarks/results/audit.json
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.audit_faults

audit-pipeline: $(STAMP)  ## canaries from a study file to a rule file: docs/audit-pipeline.md; half an hour
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.audit_pipeline

$(PROGRAM): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("dpwerm needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(STAMP): $(PROGRAM)  # what tests, pages and linters need besides
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

clean:  ## remove everything that was made
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
