# Each target is what the continuous integration calls. Tools come from the active environment.
PROSE = src docs examples benchmarks README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md CITATION.cff
CXX_FILES = $(shell find native -name '*.cpp' -o -name '*.hpp' -o -name '*.inc')

JOBS ?= $(shell nproc)

# $(1): a name for the folder; $(2): sanitizers
define SANITIZED_BUILD
cmake -S . -B build/sanitize-$(1) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBAYESIEVE_WERROR=ON -DBAYESIEVE_TESTS=ON \
	"-DBAYESIEVE_SANITIZE=$(2)" > /dev/null
cmake --build build/sanitize-$(1) --parallel $(JOBS) > /dev/null
endef

.PHONY: install lint types imports test laws sanitize docs linkcheck wheels nightly bench format native-format all

install:  # editable, with everything a developer needs
	CMAKE_ARGS="-DBAYESIEVE_WERROR=ON" pip install --editable '.[cli,test,dev]'

lint:
	ruff check
	ruff format --check
	clang-format --dry-run -Werror $(CXX_FILES)
	codespell $(PROSE)
	python tools/word_list.py $(PROSE)

types:
	mypy

imports:  # the source, not what happens to be installed
	PYTHONPATH=src lint-imports

test:
	pytest

laws:  # only the properties: permute, duplicate, add then remove
	pytest tests/laws

sanitize:  # the core without Python: the contract tests' cases and random bytes, under sanitizers
	$(call SANITIZED_BUILD,address,address;undefined;float-cast-overflow)
	$(call SANITIZED_BUILD,thread,thread)
	set -e; cases=$$(mktemp -d); trap 'rm -r "$$cases"' EXIT; \
	BAYESIEVE_NATIVE=0 python -W ignore::UserWarning native/tests/dump_cases.py "$$cases"; \
	build/sanitize-address/native/tests/driver "$$cases"; \
	BAYESIEVE_SIMD=portable build/sanitize-address/native/tests/driver "$$cases"; \
	build/sanitize-thread/native/tests/driver "$$cases"  # threads share the same data in both builds of the kernels
	build/sanitize-address/native/tests/fuzz 20000

docs:  # the site, in docs/_build; a warning fails it; needs .[docs]
	sphinx-build -W --keep-going -q -d build/doctrees docs docs/_build

linkcheck:  # every link of the site; needs the network
	sphinx-build -b linkcheck -q -d build/doctrees docs build/linkcheck

wheels:  # source archive and wheel, installed in an empty environment, where the core and the demo must work
	rm -rf build/dist build/wheel-env
	python -m build --outdir build/dist
	python -m venv build/wheel-env
	build/wheel-env/bin/pip install --quiet "$$(ls build/dist/*.whl)[cli]"
	cd build && wheel-env/bin/python -c "from bayesieve._native import available; assert available(), 'no core'"
	cd build && wheel-env/bin/bayesieve demo --out demo.html > /dev/null
	cd build && wheel-env/bin/python -c "import bayesieve; bayesieve.show_versions()"

nightly: all docs wheels

bench:  # figures are ratios within the run; they need mlxtend, a C++ compiler and an idle machine
	python -m benchmarks --json build/bench.json

format: native-format
	ruff check --fix
	ruff format

native-format:
	clang-format -i $(CXX_FILES)

all: lint types imports test
