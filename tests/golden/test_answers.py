"""Answers on the smallest sets are those of the record, to the last bit; ``make_answers.py --check`` compares all.

Without the compiled core only the default forms are compared: NumPy would take minutes for the others. Folds of groups
are drawn by scikit-learn, whose rule has changed: they are compared with the release of the record only.
"""

import json

import pytest
import sklearn
from golden.answer_cases import all_cases
from golden.answer_sets import QUICK
from golden.make_answers import ANSWERS, differences
from real_data import REAL_DATA

from bayesieve._native import available

RECORDED = json.loads(ANSWERS.read_text())
SAME_GROUP_FOLDS = sklearn.__version__.startswith("1.9.")


@pytest.mark.slow
@pytest.mark.parametrize("data", QUICK)
def test_answers_are_those_of_the_record(data):
    if data != "wine" and (REAL_DATA is None or not (REAL_DATA / data.replace("_", "-")).is_dir()):
        pytest.skip(f"{data} is not here: set BAYESIEVE_DATA to the folder of the published data sets")
    cases = [case for case in all_cases() if case.data == data and (available() or case.form == "default")]
    cases = [case for case in cases if SAME_GROUP_FOLDS or case.rows != "groups"]
    assert cases
    assert [line for case in cases for line in differences(case, RECORDED)] == []
