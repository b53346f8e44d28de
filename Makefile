# Every target makes what it needs: the first one run builds .venv with the
# tested versions of everything, later ones find it ready.

RECIPE ?= recipes/signgt_nci5k.yaml
VENV   := .venv
READY  := $(VENV)/.ready
RUN    := $(VENV)/bin/
PIP    := $(RUN)python -m pip install -qq

export DGLBACKEND := pytorch
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup train test test-slow lint bench results notebooks docs clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' \
		$(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=…   the Python to build .venv with (3.10 or 3.11)"
	@echo "  RECIPE=…   the recipe of 'make train' (default $(RECIPE))"

setup: $(READY) ## build .venv, once

# A name on PATH is not yet a Python: a pyenv shim may stand for a version
# that is not there. So each candidate has to run and tell its version. One
# that built .venv before comes first, so that later set-ups only update it.
$(READY): pyproject.toml constraints.txt $(wildcard hook/*)
	@set -e; \
	fits='import sys, venv, ensurepip; \
	sys.exit(not (3, 10) <= sys.version_info[:2] < (3, 12))'; \
	chosen=; \
	for python in $(or $(PYTHON),$(RUN)python python3.11 python3.10 \
			python3 python); do \
		if "$$python" -c "$$fits" >/dev/null 2>&1; then \
			chosen=$$python; break; \
		fi; \
	done; \
	if [ -z "$$chosen" ]; then \
		echo "error: $(if $(PYTHON),PYTHON=$(PYTHON) is not a,found no)" \
			"Python 3.11 or 3.10 with venv; install one or name it:" \
			"make PYTHON=/path/to/python3.11" >&2; \
		exit 2; \
	fi; \
	echo "Setting up $(VENV) with $$($$chosen --version 2>&1)" \
		"(some minutes, once)"; \
	[ "$$chosen" = $(RUN)python ] || "$$chosen" -m venv --clear $(VENV); \
	echo "  torch 2.13.0 …"; \
	$(PIP) torch==2.13.0; \
	echo "  dgl-signgt and the versions it is tested with …"; \
	$(PIP) -c constraints.txt -e '.[dev]'; \
	touch $@; \
	echo "  done"

train: $(READY) ## train the recipe RECIPE=… and report its test score
	@$(RUN)dgl train --cfg $(RECIPE)

test: $(READY) ## run the tests, all but the slow ones
	@$(RUN)python -m pytest -q -m "not slow" $(ARGS)

test-slow: $(READY) ## run the tests that take minutes
	@$(RUN)python -m pytest -q -m slow $(ARGS)

lint: $(READY) ## check format and style
	@$(RUN)black -q --check --diff -l 80 .
	@$(RUN)ruff check -q .

bench: $(READY) ## measure time and memory
	@$(RUN)python -m benchmarks $(ARGS)

results: $(READY) ## write docs/results.md from the runs in results/
	@$(RUN)python -m results

notebooks: $(READY) ## run every notebook from top to bottom
	@$(RUN)python -m pytest -q --nbmake --nbmake-timeout=600 notebooks $(ARGS)

docs: $(READY) ## build the documentation in site/
	@NO_MKDOCS_2_WARNING=1 $(RUN)python -m mkdocs build -q --strict $(ARGS)

clean: ## remove .venv and everything that was built
	@rm -rf $(VENV) build dist site .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
