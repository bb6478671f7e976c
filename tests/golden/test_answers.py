"""Answers on the smallest sets are those of the record, to the last bit; ``make_answers.py --check`` compares all.

Without the compiled core only the default forms are compared: NumPy would take minutes for the others. Folds of groups
are drawn by scikit-learn, whose rule has changed: they are compared with the release of the record only. Importances
and calibrations use NumPy's exp and sums of BLAS, whose last bits depend on the vector instructions that these find,
so they are computed with those of the record.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn
from golden.answer_cases import all_cases
from golden.answer_sets import QUICK
from real_data import REAL_DATA

from bayesieve._native import available

SAME_GROUP_FOLDS = sklearn.__version__.startswith("1.9.")
INSTRUCTIONS = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"}
SCRIPT = """
import json, sys
from golden.answer_cases import all_cases
from golden.make_answers import ANSWERS, differences
names, recorded = json.loads(sys.stdin.read()), json.loads(ANSWERS.read_text())
print(json.dumps([line for case in all_cases() if str(case) in names for line in differences(case, recorded)]))
"""


@pytest.mark.parametrize("data", QUICK)
def test_answers_are_those_of_the_record(data):
    if data != "wine" and (REAL_DATA is None or not (REAL_DATA / data.replace("_", "-")).is_dir()):
        pytest.skip(f"{data} is not here: set BAYESIEVE_DATA to the folder of the published data sets")
    cases = [case for case in all_cases() if case.data == data and (available() or case.form == "default")]
    cases = [case for case in cases if SAME_GROUP_FOLDS or case.rows != "groups"]
    assert cases
    tests = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        input=json.dumps([str(case) for case in cases]),
        env={**os.environ, **INSTRUCTIONS, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert json.loads(child.stdout) == []
