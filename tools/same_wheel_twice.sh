#!/usr/bin/env bash
# Builds the wheel twice from the committed sources, in different folders, and compares the bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1767225600}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in first second/deeper; do
    mkdir -p "$work/$folder"
    git archive HEAD | tar -x -C "$work/$folder"
    (cd "$work/$folder" && pip wheel --quiet --no-deps --wheel-dir "$work/wheels/$folder" .)
done
first=$(sha256sum <"$(ls "$work"/wheels/first/*.whl)")
second=$(sha256sum <"$(ls "$work"/wheels/second/deeper/*.whl)")
ls "$work"/wheels/first
echo "$first"
[ "$first" = "$second" ] || { echo "the second wheel differs: $second" >&2; exit 1; }
