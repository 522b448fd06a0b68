# Every target sets the machine up first (scripts/setup.sh; skipped when nothing changed).
# `make run` and `make test` are all a new user needs.

export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

GPBENCH := .venv/bin/gpbench
PYTEST  := .venv/bin/python -m pytest
# nproc heeds OMP_NUM_THREADS, which is of one trial
JOBS    ?= $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 2)

.PHONY: help setup browser run test test-real test-faults docs site reproduce-tables bench lint clean

help:
	@echo "make run               set up, then run configs/quickstart.yaml (no download; about three minutes)"
	@echo "make test              set up, then run the tests"
	@echo "make test-real         tests on the real data (GPBENCH_MIRROR, or downloads), then ten minutes of gpbench verify"
	@echo "make test-faults       every fault of docs/reference/results.md, fifty kills -9 among them"
	@echo "make reproduce-tables  every table and figure config of the papers; continues where it stopped"
	@echo "make site              the scoreboard over all committed results, in site/; README's state"
	@echo "make docs              the documentation, in site/docs/"
	@echo "make bench             hot paths beside one dgemm and beside other libraries"
	@echo "make lint              ruff, and mypy on the packages that pyproject.toml lists"

setup:
	@bash scripts/setup.sh

run: setup
	$(GPBENCH) run configs/quickstart.yaml -j $(JOBS)

browser: setup
	@bash scripts/browser.sh

test: browser
	$(PYTEST) -m "not real and not long" -n $(JOBS) --dist worksteal -q

test-real: setup
	$(PYTEST) -m "(real or long) and not hours" -n $(JOBS) --dist worksteal -q
	bash scripts/verify.sh

test-faults: setup
	$(PYTEST) tests/faults -n $(JOBS) --dist worksteal -q

reproduce-tables: setup
	bash scripts/reproduce.sh -j $(JOBS)

docs: setup
	@bash scripts/docs.sh

site: setup
	$(GPBENCH) site results/*-*/ -o site --readme README.md

bench: setup
	.venv/bin/python -m scripts.bench

lint: setup
	.venv/bin/ruff check gpbench tests scripts docs
	.venv/bin/ruff format --check gpbench tests scripts docs
	.venv/bin/python -m mypy

clean:
	rm -rf .venv build *.egg-info .pytest_cache .ruff_cache .hypothesis
