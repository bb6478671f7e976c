"""The comparison of selectors: resumption, what results come to, and the page."""

import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("resource", reason="processes are limited by a facility of Unix")

from benchmarks import subsets
from benchmarks.quality_boosting_run import drawn_settings, fifths
from benchmarks.quality_exchange import Problem
from benchmarks.quality_page import with_tables
from benchmarks.quality_results import SAVED
from benchmarks.size_sets import SizeSet
from benchmarks.subsets import Comparison
from benchmarks.subsets_page import found_effects, standings_table, subsets_picture, target_table
from benchmarks.subsets_peers_run import ORDERS, Rows
from benchmarks.subsets_results import SAVED_CHOSEN, SAVED_JUDGED, Chosen, Judged, Standings, Target, key_of
from benchmarks.subsets_selectors import SELECTORS, orders
from benchmarks.subsets_sets import CHOOSING, CONFIRMING, SUBSET_SETS
from benchmarks.subsets_truth import TRUTHS, found_share

PAGE = SAVED.parents[1] / "subsets.md"
forks = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # a test runner has threads


class SmallSet(SizeSet):
    """Five columns, of which the second one is the class."""

    def load(self):
        X = np.random.default_rng(0).normal(size=(90, 5))
        return pd.DataFrame(X).add_prefix("c"), (X[:, 1] > 0).astype(np.int64)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESIEVE_SELECTORS_PYTHON", str(tmp_path / "nothing"))
    return tmp_path / "chosen.jsonl", tmp_path / "judged.jsonl"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@forks
def test_choices_and_losses_are_resumed_and_old_versions_repeated(files):
    data, selectors = SmallSet("small", "", 60), [SELECTORS["mRMR of bins"]]
    Comparison(*files).complete(data, 0, [*selectors, SELECTORS["L1"]])  # without peers, the second one is left out
    (chosen,), judged = map(lines, files)
    assert chosen["subsets"].keys() == {"3"}
    assert 1 in chosen["subsets"]["3"]
    assert [line["judge"] for line in judged] == ["logistic regression on bins", "scorecard"]
    name = key_of(chosen["subsets"]["3"])
    assert all(line["losses"][name] < line["entropy"] for line in judged)

    Comparison(*files).complete(data, 0, selectors)
    assert [len(lines(file)) for file in files] == [1, 2]
    files[0].write_text(json.dumps(chosen | {"version": "old", "subsets": {"3": [0, 2, 3]}}) + "\n")
    Comparison(*files).complete(data, 0, selectors)  # another subset, which has no losses yet
    assert [line["losses"].keys() for line in lines(files[1])[2:]] == [{name, "0 2 3"}] * 2
    Comparison(*files, again=True).complete(data, 0, selectors)
    assert lines(files[0])[1]["subsets"] == chosen["subsets"]
    assert len(lines(files[1])) == 4


@forks
def test_a_selector_that_fails_is_noted_and_the_next_one_tried_in_the_next_run(files, monkeypatch):
    def fail(folder):
        line = {"selector": "mRMR of bins", "subsets": {"3": [0, 1, 2]}, "seconds": 1.0}
        (folder / "orders.jsonl").write_text(json.dumps(line) + "\n")
        raise ValueError("a reason")

    monkeypatch.setattr(subsets, "choose", fail)
    monkeypatch.setattr(Comparison, "_judge", lambda *args: None)
    selectors = [SELECTORS[name] for name in ("mRMR of bins", "scorecard", "JMI of bins")]
    Comparison(*files).complete(SmallSet("small", "", 60), 0, selectors)
    assert [line.get("note") for line in lines(files[0])] == [None, "ValueError: a reason"]
    Comparison(*files).complete(SmallSet("small", "", 60), 0, selectors)
    assert [line["selector"] for line in lines(files[0])] == ["mRMR of bins", "scorecard", "JMI of bins"]


def test_an_order_has_a_subset_of_each_size(tmp_path):
    line = {"selector": "L1", "order": [4, 2, 0, 1], "seconds": 1.0}
    (tmp_path / "orders.jsonl").write_text(json.dumps(line) + "\n")
    assert orders(tmp_path, (3, 5)) == {"L1": {"seconds": 1.0, "subsets": {"3": [0, 2, 4]}}}


@pytest.mark.parametrize("name", ["mutual information", "L1", "sequential"])
@pytest.mark.filterwarnings("ignore")  # of peers
def test_a_selector_of_others_takes_missing_values_and_categories(name):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(300, 4))).add_prefix("c")
    y = (X["c2"] + random.normal(size=300) > 0).astype(np.int64).to_numpy()
    X.iloc[:20, 1] = np.nan
    X["kind"] = pd.Categorical(np.where(random.random(300) < 0.85, y, 1 - y).astype(str)).set_categories(["0", "1"])
    X.loc[:5, "kind"] = None
    order = ORDERS[name](Rows(Problem(X, y, X, {"most": 3})))
    assert set(order[:2]) == {2, 4}
    assert len(set(order)) == len(order) >= 3


def standings(shares):
    """Return results of selectors by sets, with one column each."""
    chosen = [Chosen(data, 0, name, "1", 1.0, "", {"3": [j]}) for data in shares for j, name in enumerate("abc")]
    judged = [
        Judged(data, 0, "judge", "1", 0.5, {str(j): 0.5 * share for j, share in enumerate(own)})
        for data, own in shares.items()
    ]
    return Standings({line.key: line for line in chosen}, {line.key: line for line in judged}, "abc")


def test_a_target_is_the_best_of_the_others_on_the_choosing_sets():
    found = standings({"w": [0.5, 0.4, 0.3], "x": [0.1, 0.4, 0.2], "y": [0.5, 0.1, 0.4], "z": [0.4, 0.1, 0.4]})
    assert found.row("w", "judge", 3) == pytest.approx({"a": 0.5, "b": 0.4, "c": 0.3})
    assert found.row("w", "judge", 5) is None
    target = found.target("a", (("w", "x"), ("y", "z", "unknown")), "judge", 3)
    assert (target.best, target.n_sets) == ("c", 2)  # "b" would be better on the confirming sets
    assert (target.difference, target.error) == pytest.approx((0.05, 0.05))
    assert (target.bound, target.is_met) == (0.005, False)
    assert found.target("a", (("w", "x"), ("y",)), "judge", 3) is None


def test_a_bound_is_two_errors_if_that_is_less():
    assert Target("judge", 3, "a", 9, 0.003, 0.002).is_met
    assert not Target("judge", 3, "a", 9, 0.003, 0.001).is_met


def test_copies_of_an_effect_are_found_once():
    effects = [frozenset({0, 1}), frozenset({2}), frozenset({3})]
    assert found_share([0, 1, 4], effects, 3) == pytest.approx(1 / 3)
    assert found_share([1, 2], effects, 2) == 1.0
    assert found_share([1, 2], effects, 5) == pytest.approx(2 / 3)  # it could have chosen more
    assert found_share([0, 2, 3, 4, 5], effects, 5) == 1.0


def test_simulated_tables_have_their_effects():
    for table in TRUTHS.values():
        X, y, effects = table()
        assert 0.3 < y.mean() < 0.7
        assert max(j for effect in effects for j in effect) < X.shape[1]
    X, y, effects = TRUTHS["copies"]()
    own, noise = (abs(np.corrcoef(X.iloc[:, j], y)[0, 1]) for j in (8, 40))
    assert own > 0.2
    assert noise < 0.1


def test_halves_share_no_set():
    assert set(CHOOSING) | set(CONFIRMING) == set(SUBSET_SETS)
    assert not set(CHOOSING) & set(CONFIRMING)
    assert len(SUBSET_SETS) >= 20


def test_fifths_divide_each_class_evenly_and_draws_are_the_same():
    y = np.repeat([0, 1], [40, 10])
    parts = list(fifths(y))
    assert [np.bincount(y[held_out]).tolist() for _, held_out in parts] == [[8, 2]] * 5
    assert sorted(np.concatenate([held_out for _, held_out in parts]).tolist()) == list(range(50))
    assert all(not set(train) & set(held_out) for train, held_out in parts)
    assert list(drawn_settings(2)) == list(drawn_settings(8))[:2]


def test_the_page_and_the_picture_show_the_saved_results():
    found = Comparison(SAVED_CHOSEN, SAVED_JUDGED).standings()
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_tables(page, {"choices and judges": target_table(found)})
    assert page.count("<!-- table: ") == page.count("<!-- end of table -->") == 1
    assert PAGE.with_name("subsets.svg").read_text(encoding="utf-8") == subsets_picture(found)
    assert len(standings_table(found).splitlines()) == 2 + len(found.selectors)
    assert all(share is not None and share > 0.5 for share in found_effects(found, "scorecard", (3, 5)))
