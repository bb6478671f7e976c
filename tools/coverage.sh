#!/usr/bin/env bash
# Which lines the tests reach: src by coverage.py, the core by gcov. Prints both reports; PYTEST_ARGS narrows the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PYTHONPATH="src${PYTHONPATH:+:$PYTHONPATH}"
build=build/coverage
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -g1 --coverage" -DBAYESIEVE_TESTS=ON >/dev/null
cmake --build "$build" --parallel "${JOBS:-2}" >/dev/null
cases=$(mktemp -d)
trap 'rm -rf "$cases"' EXIT
BAYESIEVE_NATIVE=0 python -W ignore::UserWarning native/tests/dump_cases.py "$cases" "${EVERY:-1}" 0
find "$build" -name '*.gcda' -delete
"$build/native/tests/driver" "$cases"
BAYESIEVE_SIMD=portable "$build/native/tests/driver" "$cases"
BAYESIEVE_SIMD=avx2 "$build/native/tests/driver" "$cases"
gcovr --root . --filter native/src --filter native/include --object-directory "$build" --print-summary --txt "$build/core.txt"
cat "$build/core.txt"
# shellcheck disable=SC2086
python -m coverage run --branch --source=src/bayesieve --data-file="$build/python" -m pytest -q -n 0 -p no:cacheprovider ${PYTEST_ARGS:-}
python -m coverage report --data-file="$build/python" --skip-covered --sort=cover
