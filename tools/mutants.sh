#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Changes one operator or constant at a time and lists the changes that no test notices: tools/mutants.sh MODULE TEST ...
# Works on a copy of the committed sources, with the compiled core of this folder. MOST limits the number of changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
module=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive HEAD | tar -x -C "$work"
cp src/bayesieve/_native/_core*.so "$work/src/bayesieve/_native/" 2>/dev/null || true
cd "$work"
export PYTHONPATH=$work/src
cat >mutants.toml <<TOML
[cosmic-ray]
module-path = "$module"
timeout = ${TIMEOUT:-300}.0
excluded-modules = []
test-command = "python -m pytest -q -x -p no:cacheprovider $*"
[cosmic-ray.distributor]
name = "local"
TOML
python -m pytest -q -x -p no:cacheprovider "$@"
cosmic-ray init mutants.toml mutants.sqlite
if [ -n "${MOST:-}" ]; then # an even sample
    python - "$MOST" <<'PYTHON'
import sqlite3, sys
session = sqlite3.connect("mutants.sqlite")
jobs = [row[0] for row in session.execute("SELECT job_id FROM work_items ORDER BY job_id")]
step = max(1, len(jobs) // int(sys.argv[1]))
dropped = [(job,) for i, job in enumerate(jobs) if i % step]
for table in ("mutation_specs", "work_items"):
    session.executemany(f"DELETE FROM {table} WHERE job_id = ?", dropped)
session.commit()
PYTHON
fi
cosmic-ray exec mutants.toml mutants.sqlite
cr-report --surviving-only --show-diff mutants.sqlite 2>/dev/null || cr-report --show-diff mutants.sqlite
