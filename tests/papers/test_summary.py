"""Means, standard errors, paired tests and verdicts of made-up seeds; the journal that holds them."""

import json

import numpy as np
import pytest
from scipy import stats

from bayesieve.exceptions import DataError
from bayesieve.papers.contrast import contrast
from bayesieve.papers.paper_004 import indicators_table
from bayesieve.papers.paper_004.paper_figure import pictures
from bayesieve.papers.paper_004.paper_methods import METHODS
from bayesieve.papers.paper_004.paper_summary import summarize
from bayesieve.papers.paper_004.paper_table import markdown


def record(seed, errors=(), sizes=(), n_series=100):
    """Return a seed in which every row has 20 errors of 100 and 10 columns, except those given."""
    errors, sizes = dict(errors), dict(sizes)
    rows = {
        method.key: {
            "size": sizes.get(method.key, 10),
            "wrong_b": 10,
            "wrong_test": errors.get(method.key, 20),
            "phases": 1,
            "columns": [],
            "curve": [50, 20 + seed, None, 30],
            "seconds": 0.5,
        }
        for method in METHODS
    }
    return {
        "seed": seed,
        "n_series": n_series,
        "n_validation": 50,
        "n_test": 100,
        "n_columns": 3,
        "everything": 40,
        "simulation_seconds": 2.0,
        "processor_seconds": 2.0 + seed,
        "rows": rows,
    }


def verdict_of(summary, words):
    (verdict,) = [each for each in summary["verdicts"] if words in each["claim"]]
    return verdict["verdict"]


def test_rows_are_means_with_standard_errors():
    values = [11, 13, 18]
    summary = summarize([record(s, {"mi, error": v}, {"mi, error": 10 * v}) for s, v in enumerate(values)])
    row = summary["rows"][0]
    assert row["error"] == pytest.approx(0.14)
    assert row["error_standard_error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3) / 100)
    assert row["size"] == pytest.approx(140)
    assert (row["printed_size"], row["printed_error"]) == (422, 0.1387)
    assert summary["processor_seconds"] == 3.0
    assert summary["all_indicators"] == pytest.approx(0.4)


def test_paired_test_is_scipys():
    differences = np.array([0.3, -0.1, 0.4, 0.2, 0.05])
    result = contrast(differences)
    assert result.p_value == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    assert result.standard_error == pytest.approx(stats.sem(differences))
    assert result.n_positive == 4
    assert contrast(np.array([0.1])).p_value is None
    assert contrast(np.zeros(3)).p_value == 1.0


def test_verdicts():
    rng = np.random.default_rng(0)
    seeds = []
    for seed in range(10):
        errors = {"mi, error": 30 + rng.integers(0, 3), "mrmr, error": 27 + rng.integers(0, 3)}
        errors["backward, error_probability"] = 18 - seed % 2
        errors["forward, error_probability"] = 18 - seed % 3
        seeds.append(record(seed, errors, {"forward, error": 50 + seed, "forward, error_probability": 40}))
    summary = summarize(seeds)
    assert verdict_of(summary, "Wrappers") == "holds"
    assert verdict_of(summary, "Error probability") == "holds on average"  # two of four searches do not differ
    assert verdict_of(summary, "mRMR filter") == "does not hold: the opposite"
    assert verdict_of(summary, "fewer indicators") == "holds"
    assert verdict_of(summary, "lowest error of all") == "does not hold for each"
    assert verdict_of(summary, "keeps too few") == "undecided"
    # Lower than the filters, hence lower on average; level with the others, hence not the lowest.
    level = summarize([record(seed, {"mi, error": 30 + seed, "mrmr, error": 30}) for seed in range(5)])
    assert verdict_of(level, "lowest error of all") == "undecided"
    assert verdict_of(summarize(seeds[:1]), "Wrappers") == "undecided: one seed"


def test_markdown_has_one_line_per_method_and_one_verdict_per_claim():
    summary = summarize([record(1), record(2, {"mi, error": 30})])
    text = markdown(summary)
    assert "| MI filter | 422, 0.1387 | 10 ± 0 | 0.2500 ± 0.0500 |" in text
    assert sum(line.startswith("| ") for line in text.splitlines()) == 2 + len(METHODS)
    assert sum(line.startswith("- ") for line in text.splitlines()) == len(summary["verdicts"])
    assert "2 seeds of 100 training" in text
    json.dumps(summary)


def test_picture():
    summary = summarize([record(1), record(3)])
    (curve,) = (row["curve"] for row in summary["rows"] if row["key"] == "mi, error")
    assert [size for size, _ in curve] == [1, 3]  # the sizes of both seeds
    assert [error for _, error in curve] == pytest.approx([0.22, 0.3])
    assert pictures(summary)["paths.svg"].startswith("<svg ")


def test_journal_resumes_after_a_line_that_was_cut_off(tmp_path):
    path = tmp_path / "seeds.jsonl"
    journal = indicators_table(3, 100).journal(tmp_path)
    journal.add(record(1))
    journal.add(record(2))
    written = path.read_text()
    path.write_text(written[:-100])
    again = indicators_table(3, 100).journal(tmp_path)
    assert [1 in again, 2 in again] == [True, False]
    again.add(record(2))
    assert path.read_text() == written
    assert [each["seed"] for each in indicators_table(3, 100).journal(tmp_path).records(range(1, 4))] == [1, 2]


@pytest.mark.parametrize("line", ["nonsense", "[1]", '{"seed": 1}', json.dumps(record(1, n_series=99))])
def test_journal_refuses_other_files(tmp_path, line):
    path = tmp_path / "seeds.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match="choose another folder"):
        indicators_table(3, 100).journal(tmp_path)
