# Each target is what the continuous integration calls. Tools come from the active environment.
PROSE = src docs examples benchmarks README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CITATION.cff
LICENSED = src native tools benchmarks
CXX_FILES = $(shell find native -name '*.cpp' -o -name '*.hpp' -o -name '*.inc')

JOBS ?= $(shell nproc)
MINUTES ?= 30
AVX512 = $(shell grep -qs avx512_vpopcntdq /proc/cpuinfo && echo ON || echo OFF)
DUMP_CASES = BAYESIEVE_NATIVE=0 python -W ignore::UserWarning native/tests/dump_cases.py

# $(1): a name for the folder; $(2): sanitizers; $(3): ON to compile several sources together
define SANITIZED_BUILD
cmake -S . -B build/sanitize-$(1) -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-Og -g1" -DBAYESIEVE_WERROR=ON -DBAYESIEVE_TESTS=ON \
	"-DBAYESIEVE_SANITIZE=$(2)" -DBAYESIEVE_UNITY=$(3) -DBAYESIEVE_AVX512=$(AVX512) > /dev/null
cmake --build build/sanitize-$(1) --parallel $(JOBS) > /dev/null
endef

.PHONY: install lint types imports test laws sanitize sanitize-build sanitize-threads arm fuzz attacks renamings kills cluster nightly coverage mutants reproducible docs linkcheck wheels materials bench \
	format native-format all

install:  # editable, with everything a developer needs
	CMAKE_ARGS="-DBAYESIEVE_WERROR=ON" pip install --editable '.[cli,test,dev]'

lint:
	ruff check
	ruff format --check
	clang-format --dry-run -Werror $(CXX_FILES)
	codespell $(PROSE)
	python tools/word_list.py $(PROSE) tests native
	python tools/license_headers.py $(LICENSED)

types:
	mypy

imports:  # the source, not what happens to be installed
	PYTHONPATH=src lint-imports

test:
	pytest

slow:  # what `pytest` leaves out
	pytest -m "slow and not cluster" $(SLOW)

laws:  # only the properties: permute, duplicate, add then remove
	pytest tests/laws

# The core without Python under sanitizers: every kernel, a sample of the contract tests' cases, and random bytes. Without
# AVX-512 the first run has the kernels for AVX2 already, and the others are compiled for the wheel only.
EVERY ?= 24
ROUNDS ?= 2000
sanitize-build:  # the first half of `make sanitize`
	$(call SANITIZED_BUILD,address,address;undefined;float-cast-overflow,ON)

sanitize: sanitize-build
	set -e; cases=$$(mktemp -d); trap 'rm -r "$$cases"' EXIT; $(DUMP_CASES) "$$cases" $(EVERY); \
	build/sanitize-address/native/tests/driver "$$cases"; \
	BAYESIEVE_SIMD=portable build/sanitize-address/native/tests/driver "$$cases"; \
	! grep -qs avx512_vpopcntdq /proc/cpuinfo || BAYESIEVE_SIMD=avx2 build/sanitize-address/native/tests/driver "$$cases"
	build/sanitize-address/native/tests/fuzz $(ROUNDS)

sanitize-threads:  # threads share the same data in both builds of the kernels; each source compiled alone, too
	$(call SANITIZED_BUILD,thread,thread,OFF)
	set -e; cases=$$(mktemp -d); trap 'rm -r "$$cases"' EXIT; $(DUMP_CASES) "$$cases" $(EVERY); \
	build/sanitize-thread/native/tests/driver "$$cases"

# The core for 64-bit ARM under an emulator. Its answers must have the bits of the cases, which NumPy computes here.
arm:
	cmake -S . -B build/arm -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
		-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_CXX_FLAGS=-DBAYESIEVE_NO_FORK -DBAYESIEVE_WERROR=ON -DBAYESIEVE_TESTS=ON > /dev/null
	cmake --build build/arm --parallel $(JOBS) > /dev/null
	set -e; cases=$$(mktemp -d); trap 'rm -r "$$cases"' EXIT; $(DUMP_CASES) "$$cases" $(EVERY); \
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm/native/tests/driver "$$cases"
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm/native/tests/fuzz $(ROUNDS)

fuzz:  # hostile tables, damaged files, commands and names; a finding is printed with the command that repeats it
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --minutes $(MINUTES) $(if $(FIRST),--first $(FIRST))

ATTACKS ?= 150
attacks:  # the same cases each time, whatever the speed of the machine
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 0 --count $(ATTACKS) --part tables --part files --part commands
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 0 --count $$(($(ATTACKS) / 8)) --part blocks
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 0 --count $$(($(ATTACKS) / 25)) --part names
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 0 --count $(ATTACKS) --part formats --part representations
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 0 --count $(ATTACKS) --part metamorphic --part engines

TABLES ?= 500
renamings:  # random tables whose classes, columns and categories are renamed, and whose columns are in another order
	BAYESIEVE_RENAMINGS=$(TABLES) pytest tests/laws/test_renamings.py

KILLS ?= 200
kills:  # programs that are killed at random moments and started again
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile.kills --kills $(KILLS)

cluster:  # Dask workers in network namespaces of their own; needs root, Linux, iproute2
	pytest -q -p no:cacheprovider -m cluster tests/cluster

# All that is too long for each change.
nightly:
	BAYESIEVE_DRAWS=all pytest -m "not cluster"
	BAYESIEVE_DRAWS=all $(MAKE) sanitize EVERY=1 ROUNDS=1000000
	BAYESIEVE_DRAWS=all $(MAKE) sanitize-threads EVERY=1
	$(MAKE) arm
	$(MAKE) renamings TABLES=500
	$(MAKE) attacks ATTACKS=1000
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 1000 --count 9000 --part metamorphic
	PYTHONPATH="tests:$$PYTHONPATH" python -m hostile --first 1000 --count 1500 --part formats --part representations
	$(MAKE) fuzz MINUTES=60
	$(MAKE) kills
	$(MAKE) cluster
	$(MAKE) coverage
	$(MAKE) docs linkcheck wheels reproducible materials

reproducible:  # two wheels of the same sources, built in different folders, have the same bytes
	./tools/same_wheel_twice.sh

coverage:  # lines of src (coverage.py) and of the core (gcov) that the tests reach
	./tools/coverage.sh

SAMPLE ?= 100
SEED ?= 0
MUTANTS = OMP_NUM_THREADS=1 python tools/mutants.py --sample $(SAMPLE) --seed $(SEED)
mutants:  # changes of four packages that no fast test notices; tools/survivors.toml explains those that none can
	failed=0; \
	$(MUTANTS) src/bayesieve/search/criteria tests/search/criteria tests/oracle/test_engine.py tests/estimators/test_benefit_criterion.py || failed=1; \
	$(MUTANTS) src/bayesieve/search tests/search tests/oracle/test_search.py tests/oracle/test_averaging.py tests/oracle/test_fractional.py \
		tests/estimators/test_checkpoint.py || failed=1; \
	$(MUTANTS) src/bayesieve/fit tests/fit tests/estimators/test_learning.py tests/estimators/test_filter_selector.py \
		tests/estimators/test_boost_selector.py tests/estimators/test_scorecard.py tests/estimators/test_blocks.py \
		tests/estimators/test_binned_amount.py tests/estimators/test_wrapper_selector.py tests/laws/test_scorecard_laws.py || failed=1; \
	$(MUTANTS) src/bayesieve/additive tests/additive tests/estimators/test_scorecard.py tests/laws/test_scorecard_laws.py || failed=1; \
	exit $$failed

docs:  # the site, in docs/_build; a warning fails it; needs .[docs]
	sphinx-build -W --keep-going -q -d build/doctrees docs docs/_build

linkcheck:  # every link of the site; needs the network
	sphinx-build -b linkcheck -q -d build/doctrees docs build/linkcheck

wheels:  # source archive and wheel, installed in an empty environment, where the core and the demo must work
	rm -rf build/dist build/wheel-env
	python -m build --sdist --outdir build/dist
	pip wheel --quiet --no-deps --wheel-dir build/dist build/dist/*.tar.gz
	python -m venv build/wheel-env
	build/wheel-env/bin/pip install --quiet "$$(ls build/dist/*.whl)[cli]"
	cd build && wheel-env/bin/python -c "from bayesieve._native import available; assert available(), 'no core'"
	cd build && wheel-env/bin/bayesieve demo --out demo > /dev/null
	cd build && wheel-env/bin/python -c "import bayesieve; bayesieve.show_versions()"

materials:  # the list of what the installed wheel is made of (CycloneDX); after `make wheels`
	pip install --quiet cyclonedx-bom
	cyclonedx-py environment build/wheel-env/bin/python --output-file build/bayesieve.cdx.json
	python -c "import json; names = {each['name'] for each in json.load(open('build/bayesieve.cdx.json'))['components']}; \
		assert {'bayesieve', 'numpy', 'scikit-learn'} <= names, names"

.PHONY: papers
papers:  # the pages of the papers, from the results that are kept in docs/papers/results
	PYTHONPATH=src python tools/paper_pages.py

bench:  # figures are ratios within the run; they need mlxtend, a C++ compiler and an idle machine
	python -m benchmarks --json build/bench.json

format: native-format
	python tools/license_headers.py --fix $(LICENSED)
	ruff check --fix
	ruff format

native-format:
	clang-format -i $(CXX_FILES)

all: lint types imports test
