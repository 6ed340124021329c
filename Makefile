# litmus_nb. Needs Python >= 3.11 and make; everything else is set up here, in environments beside the checkout.
PYTHON ?= python3
PIP_FLAGS = --disable-pip-version-check --quiet --require-hashes

.PHONY: help setup gate test lint check lab lab-test docs packaging bench bench-large calibration torture mutants lock clean

help: ## what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

# The gate's own environment: no JupyterLab in it (it doubles the time of every start).
.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install $(PIP_FLAGS) -r requirements.lock
	.venv/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $@

.venv-test/ready: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv-test
	.venv-test/bin/python -m pip install $(PIP_FLAGS) -r requirements-dev.lock
	.venv-test/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $@

.venv-lab/ready: requirements-lab.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv-lab
	.venv-lab/bin/python -m pip install $(PIP_FLAGS) -r requirements-lab.lock
	.venv-lab/bin/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $@

setup: .venv/ready ## the gate's environment, in .venv

gate: .venv/ready ## the demo gate through papermill: verdict, report, notebook in reports/demo
	.venv/bin/litmus-nb gate params/demo.yaml

lint: .venv-test/ready ## format, lint, strict types
	.venv-test/bin/ruff format --check .
	.venv-test/bin/ruff check .
	.venv-test/bin/mypy

test: .venv-test/ready .venv-lab/ready lint ## everything: format, lint, types, tests, the notebooks in JupyterLab
	$(LAB) .venv-test/bin/python -m pytest -n 2 --dist loadgroup
LAB = LITMUS_LAB=$(CURDIR)/.venv-lab/bin/python

lab-test: .venv-lab/ready .venv-test/ready ## the notebooks in a real JupyterLab, in a real browser
	$(LAB) .venv-test/bin/python -m pytest tests/lab

check: test ## the same

lab: .venv-lab/ready ## JupyterLab on copies of the notebooks, in an environment of its own
	.venv-lab/bin/litmus-nb lab

benchmarks/.venv-peers/ready: benchmarks/requirements-peers.lock
	$(PYTHON) -m venv --clear benchmarks/.venv-peers
	benchmarks/.venv-peers/bin/python -m pip install $(PIP_FLAGS) -r benchmarks/requirements-peers.lock
	@touch $@

bench: .venv-test/ready benchmarks/.venv-peers/ready ## ours against named peers: benchmarks/results.json, docs/performance.md
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m benchmarks.run

bench-large: .venv-test/ready ## evaluate on up to a hundred million trials, in LARGE (a gigabyte, ten minutes and more)
	.venv-test/bin/python -m benchmarks.large_runs $(LARGE)
	.venv-test/bin/python -m benchmarks.table
LARGE = build/large

docs: .venv-test/ready ## the documents as a site, in build/site; warnings are errors
	.venv-test/bin/python tools/generated_docs.py
	NO_MKDOCS_2_WARNING=1 .venv-test/bin/mkdocs build --strict

packaging: .venv-test/ready ## build, install on the lowest and the newest dependencies, run the demo from the wheel: minutes
	LITMUS_PACKAGING=1 .venv-test/bin/python -m pytest tests/packaging

calibration: .venv-test/ready ## the calibration bench, small grid, into build/calibration/small
	.venv-test/bin/python -m benchmarks.calibration.run --grid small

lock: ## resolve the lock files anew (needs uv)
	uv pip compile pyproject.toml $(LOCK_FLAGS) $(DEV_EXTRAS) -o requirements-dev.lock
	uv pip compile pyproject.toml $(LOCK_FLAGS) -c requirements-dev.lock -o requirements.lock
	uv pip compile pyproject.toml $(LOCK_FLAGS) --extra lab -c requirements-dev.lock -o requirements-lab.lock
	uv pip compile pyproject.toml $(LOCK_FLAGS) --resolution lowest-direct -o requirements-lowest.lock
LOCK_FLAGS = --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11
DEV_EXTRAS = --extra inspect --extra attest --extra keyless --extra sweep --extra notify --extra docs --extra dev

torture: .venv-test/ready ## kills, failing machines, a long hunt for open gates: hours
	.venv-test/bin/python -m pytest tests/torture tests/hostile
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m tests.torture.kills --kills $(KILLS)
	.venv-test/bin/python -m tests.twin.hunt --worlds $(WORLDS) --jobs 2
KILLS = 1000
WORLDS = 20000

mutants: .venv-test/ready ## change the code, one place at a time: does a test notice? hours; taken up where it stopped
	.venv-test/bin/python tools/mutants.py

clean: ## environments, caches and reports
	rm -rf .venv .venv-test .venv-lab benchmarks/.venv-peers build dist reports site .pytest_cache .mypy_cache .ruff_cache .hypothesis
