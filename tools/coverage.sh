#!/usr/bin/env bash
# Which lines the tests reach: the core by gcov, src by coverage.py; then files below 95 % must have a reason in
# tools/unreached.toml. Each folder of tests is a run of its own, JOBS of them at a time; RESUME=1 keeps the finished
# ones of a run that was stopped. FOLDERS names others than the usual ones, which leave out those that run the same lines
# in more combinations (contract, golden, laws, sklearn_api) or no line of src (benchmarks); `cluster` needs root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PYTHONPATH="src${PYTHONPATH:+:$PYTHONPATH}"
build=build/coverage
python -m pip install --quiet coverage gcovr

# Functions that are inlined before counters are put in have none.
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -g1 --coverage -fprofile-update=atomic -fno-early-inlining" -DBAYESIEVE_TESTS=ON -DBAYESIEVE_UNITY=OFF >/dev/null
cmake --build "$build" --parallel "${JOBS:-2}" >/dev/null
cases=$(mktemp -d)
trap 'rm -rf "$cases"' EXIT
BAYESIEVE_NATIVE=0 python -W ignore::UserWarning native/tests/dump_cases.py "$cases" "${EVERY:-12}" 0
find "$build" -name '*.gcda' -delete
"$build/native/tests/driver" "$cases"
BAYESIEVE_SIMD=portable "$build/native/tests/driver" "$cases"
BAYESIEVE_SIMD=avx2 "$build/native/tests/driver" "$cases"
# Lines of templates count once; counters of hot loops are larger than gcovr believes.
gcovr --root . --filter native/src --filter native/include --merge-lines --gcov-ignore-parse-errors=all \
    --object-directory "$build" --json-summary "$build/core.json" "$build/native"

[ -n "${RESUME:-}" ] || rm -rf "$build/src"
mkdir -p "$build/src"
usual=$(cd tests && find . -mindepth 1 -maxdepth 1 -type d ! -name '__pycache__' -printf '%P\n' | sort |
    grep -vxE 'benchmarks|cluster|contract|golden|laws|sklearn_api')
more="test_docstrings.py test_documents.py laws/test_scorecard_laws.py sklearn_api/test_conventions.py"
# Counting lines makes tests slower, on a busy machine beyond the limit of pyproject.toml.
# $1: a file or folder of tests; or `without_core`: the fallbacks of the compiled core, which .ci/run tests in full
count_lines() {
    local data=$build/src/${1//\//_} tests=tests/$1
    [ ! -e "$data" ] || return 0
    if [ "$1" = without_core ]; then
        export BAYESIEVE_NATIVE=0
        tests="tests/estimators/test_modl_discretizer.py tests/estimators/test_scorecard_classes.py"
    fi
    # shellcheck disable=SC2086
    python -m coverage run --source=src/bayesieve --data-file="$data.new" -m pytest -q -n 0 -p no:cacheprovider --timeout=1800 \
        -m "not cluster" $tests >"$data.log" 2>&1 || { cat "$data.log"; return 1; }
    echo "$1: $(tail -n 1 "$data.log")"
    rm "$data.log"
    mv "$data.new" "$data"
}
export build
export -f count_lines
# The longest first, so that none is left for one processor at the end.
printf '%s\n' ${FOLDERS:-estimators without_core $usual $more} | awk '!seen[$0]++' | xargs -P "${JOBS:-2}" -I{} bash -c 'count_lines {}'
python -m coverage combine --quiet --keep --data-file="$build/all" "$build"/src/*
python -m coverage json --quiet --data-file="$build/all" -o "$build/src.json"
python tools/covered_lines.py "$build/core.json" "$build/src.json"
