"""Edits of a fitted scorecard: a brute-force oracle of the refit, its laws, and what is refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from mixed_models import MODELS, mixed, new_rows
from scipy.optimize import minimize

from bayesieve import Edits, ScorecardClassifier, load
from bayesieve.data.document import canonical, seal
from bayesieve.exceptions import DataError, EditError, ModelFileError, ParameterError


def rows(n_rows=1500, seed=0):
    """Return numbers with a special value, missing numbers, categories, an interaction, and noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows).round(2),
            "b": rng.integers(0, 30, n_rows).astype(float),
            "c": rng.choice(list("uvwxyz"), n_rows),
            "d": rng.normal(size=n_rows).round(2),
            "e": rng.normal(size=n_rows).round(2),
            "f": rng.normal(size=n_rows).round(2),
        }
    )
    X["f"] += X["a"]
    z = np.sin(X["a"]) + 0.06 * X["b"] + (X["c"] == "u") + 1.5 * (X["d"] * X["e"] > 0) - 2
    X.loc[::7, "b"], X.loc[::5, "a"] = np.nan, -9.0
    return X, np.where(rng.random(n_rows) < 1 / (1 + np.exp(-z)), "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    X, y = rows()
    return X, y, ScorecardClassifier(n_pairs=[("d", "e")], keep=["a", "b", "c"]).fit(X, y)


def same(first, second, X):
    """Return whether two models are the same to the last bit."""
    tables = zip(first.scorecard_.tables, second.scorecard_.tables, strict=True)
    pairs = zip(first.scorecard_.pairs, second.scorecard_.pairs, strict=True)
    return (
        np.array_equal(first.scorecard_.start, second.scorecard_.start)
        and all(a.name == b.name and np.array_equal(a.table, b.table) for a, b in (*tables,))
        and all(a.names == b.names and np.array_equal(a.table, b.table) for a, b in pairs)
        and np.array_equal(first.predict_proba(X), second.predict_proba(X))
        and first.threshold_ == second.threshold_
    )


def many_edits():
    edits = Edits(author="a. b.").special("a", -9).merge("b", [0, 1], why="few rows").points("a", 2, 1.0)
    return edits.missing("b", "neutral").group("c", [["u"], ["v", "w"], ["x", "y", "z"]])


def likeliest(codes, y, held, penalty=1e-6):
    """Return the scores of a column's bins that maximize the likelihood: mean 0 over rows, some of them set."""
    n_bins, mass = codes.max() + 1, np.bincount(codes)
    free = [b for b in range(n_bins) if b not in held]
    target = -sum(mass[b] * p for b, p in held.items()) / mass[free].sum()

    def points(x):
        all_points = np.empty(n_bins)
        all_points[free] = x[1:] - (mass[free] * x[1:]).sum() / mass[free].sum() + target
        for b, p in held.items():
            all_points[b] = p
        return all_points

    def cost(x):
        scores = x[0] + points(x)[codes]
        return np.logaddexp(0, np.where(y, -scores, scores)).mean() + penalty * (x[1:] ** 2).sum()

    return points(minimize(cost, np.zeros(len(free) + 1), method="BFGS", options={"gtol": 1e-8}).x)


@pytest.mark.parametrize("held", [{1: 1.0}, {0: -1.0, 4: 2.0}, {}])
def test_other_points_are_those_of_the_largest_likelihood(held):
    rng = np.random.default_rng(1)
    value = rng.integers(0, 5, 60_000)
    y = rng.random(len(value)) < 1 / (1 + np.exp(-np.array([-1.0, 0.0, 0.7, -0.4, 1.2])[value]))
    X = pd.DataFrame({"value": value.astype(float)})
    model = ScorecardClassifier(keep=["value"]).fit(X, y)
    assert model.scorecard_["value"].partition.n_bins == 5
    edits = Edits().missing("value", "learn")
    for place, points in held.items():
        edits.points("value", place, points)
    found = model.edited(edits, X, y).scorecard_["value"].contributions(1)
    assert np.abs(found - likeliest(value, y, held)).max() < 0.02
    assert found[list(held)].tolist() == list(held.values())


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_points_that_are_set_stay_and_the_mean_of_a_column_is_zero(fitted, positive):
    X, y, _ = fitted
    model = ScorecardClassifier(n_pairs=0, pos_label=positive, keep=["a", "b"]).fit(X, y)
    c = model.positive_index_
    missing = model.scorecard_["b"].partition.n_bins - 1
    edited = model.edited(Edits().points("a", 1, 0.777).points("b", missing, -0.1234), X, y)
    a, b = edited.scorecard_["a"], edited.scorecard_["b"]
    assert a.contributions(c)[1] == pytest.approx(0.777, abs=1e-11)
    assert b.contributions(c)[missing] == pytest.approx(-0.1234, abs=1e-11)
    for table in (a, b):
        assert abs((table.bin_mass * table.contributions(c)).sum() / table.bin_mass.sum()) < 0.005
    assert not a.errors[1].any()
    assert a.errors[0].any()
    assert np.isfinite(edited.predict_interval(X.head())).all()


def test_compiled_core_and_numpy_agree_to_the_last_bit():
    X, y = rows(300)
    edits = Edits().points("a", 0, 1.0).merge("c", [0, 1]).missing("b", "neutral")
    models = []
    for backend in ("auto", "reference"):
        model = ScorecardClassifier(n_pairs=[("d", "e")], keep=["a", "b", "c"], cv=2, backend=backend).fit(X, y)
        models.append(model.edited(edits, X, y))
    assert same(*models, X)
    assert models[0].changes_ == models[1].changes_


def test_replay_is_the_same_model(fitted, tmp_path):
    X, y, model = fitted
    edits = many_edits()
    edited = model.edited(edits, X, y)
    edits.save(tmp_path / "edits.json")
    replayed = ScorecardClassifier(**model.get_params()).fit(X, y, edits=Edits.load(tmp_path / "edits.json"))
    assert same(edited, replayed, X)
    assert replayed.edits_ == edits == edited.edits_
    assert replayed.changes_ == edited.changes_
    edited.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert same(edited, loaded, X)
    assert loaded.changes_ == edited.changes_
    assert loaded.is_refitted_
    assert loaded.edits_[1].why == "few rows"
    assert loaded.edits_[1].author == "a. b."
    assert same(loaded.original_, model, X)
    assert same(loaded.edited(edits[:2], X, y), model.edited(edits[:2], X, y), X)
    replayed.fit(X, y)
    assert not replayed.edits_
    assert same(replayed, model, X)


def test_undo_is_the_model_before(fitted):
    X, y, model = fitted
    edits = many_edits()
    edited = model.edited(edits, X, y)
    assert same(edited.edited(edits[:-2], X, y), model.edited(edits[:-2], X, y), X)
    assert same(edited.edited(Edits()), model, X)
    assert not edited.edited(Edits()).edits_
    assert not model.edits_


def test_the_order_of_independent_edits_does_not_matter(fitted):
    X, y, model = fitted
    first = Edits().points("a", 2, 1.0).merge("b", [0, 1]).no_pair("d", "e")
    second = Edits().no_pair("d", "e").merge("b", [0, 1]).points("a", 2, 1.0)
    assert same(model.edited(first, X, y), model.edited(second, X, y), X)


def test_the_order_of_rows_does_not_matter(fitted):
    X, y, model = fitted
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = model.edited(many_edits(), X.iloc[order].reset_index(drop=True), y[order])
    assert same(model.edited(many_edits(), X, y), shuffled, X)


def test_a_weight_is_as_many_rows():
    X, y = rows(400)
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    copies, first = np.repeat(np.arange(len(X)), weights), np.arange(len(X)) < 200
    edits, models = Edits().points("a", 0, 1.0).drop("b"), []
    for places, weight in ((np.arange(len(X)), weights), (copies, None)):
        own = first[places]
        folds = [(np.flatnonzero(own), np.flatnonzero(~own)), (np.flatnonzero(~own), np.flatnonzero(own))]
        model = ScorecardClassifier(n_pairs=0, keep=["a", "b"], cv=folds, min_gain=0.5)
        models.append(model.fit(X.iloc[places], y[places], sample_weight=weight, edits=edits))
    weighted, copied = models
    assert np.array_equal(weighted.scorecard_["a"].counts, copied.scorecard_["a"].counts)
    assert np.abs(weighted.predict_proba(X) - copied.predict_proba(X)).max() < 1e-9
    for once, each in zip(weighted.changes_, copied.changes_, strict=True):
        assert (once.difference, once.error) == pytest.approx((each.difference, each.error), rel=1e-6)


def test_what_an_edit_costs(fitted):
    X, y, model = fitted
    changes = model.edited(Edits().missing("b", "learn").drop("c").no_pair("d", "e"), X, y).changes_
    nothing, dropped, unpaired = changes
    assert nothing.difference == nothing.error == nothing.decisions == 0
    for before, after in ((nothing, dropped), (dropped, unpaired)):
        assert after.log_loss_before == before.log_loss
        assert after.difference == pytest.approx(after.log_loss - after.log_loss_before)
    for change in (dropped, unpaired):  # both matter
        assert change.difference > 3 * change.error > 0
        assert change.decisions > 0
    without = model.edited(Edits().missing("b", "learn").drop("c"), X, y)
    both = model.edited(Edits().missing("b", "learn").drop("c").no_pair("d", "e"), X, y)
    assert (without.predict(X) != both.predict(X)).sum() == unpaired.decisions


def test_losses_are_out_of_fold():
    """A column of noise with a bin per row costs: in-sample it would gain."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=600), "noise": rng.normal(size=600)})
    y = rng.random(600) < 1 / (1 + np.exp(-X["x"]))
    model = ScorecardClassifier(n_features=1, n_pairs=0).fit(X, y)
    edited = model.edited(Edits().keep("noise"), X, y)
    assert edited.changes_[0].difference > -edited.changes_[0].error
    assert set(edited.scorecard_.columns) == {"x", "noise"}


def test_columns_are_dropped_replaced_and_added(fitted):
    X, y, model = fitted
    edited = model.edited(Edits().drop("a", instead="f"), X, y)
    assert set(edited.scorecard_.names) == {*model.scorecard_.names} - {"a"} | {"f"}
    assert edited.why_["a"]["reason"] == "dropped by an edit"
    assert edited.why_["f"]["reason"] == "added by an edit"
    assert edited.get_feature_names_out().tolist() == [each for each in X if each in edited.scorecard_.columns]
    assert set(edited.transform(X)) == set(edited.scorecard_.columns)
    assert edited.edited(Edits().drop("a"), X, y).pairs_ == model.pairs_
    dropped = model.edited(Edits().drop("d"), X, y)
    assert not dropped.pairs_
    paired = model.edited(Edits().pair("a", "f"), X, y)
    assert ("a", "f") in paired.pairs_
    assert "f" in paired.scorecard_.names


def test_directions(fitted):
    X, y, model = fitted
    rising = model.edited(Edits().monotone("a", "increasing").monotone("b", "decreasing"), X, y)
    for name, sign in (("a", 1), ("b", -1)):
        table = rising.scorecard_[name]
        assert (sign * np.diff(table.contributions(1)[: len(table.partition.bounds) + 1]) >= 0).all()
    special = model.edited(Edits().special("a", -9).monotone("a", "increasing"), X, y).scorecard_["a"]
    n = len(special.partition.bounds) + 1
    assert (np.diff(special.contributions(1)[:n]) >= 0).all()
    assert special.partition.describe(n) == "= -9"
    assert special.counts[n].sum() == (X["a"] == -9).sum()


def test_points_of_a_monotone_column(fitted):
    X, y, model = fitted
    n = len(model.scorecard_["b"].partition.bounds) + 1
    edits = Edits().monotone("b", "increasing").points("b", 0, -1.2345).points("b", n - 1, 1.5)
    points = model.edited(edits, X, y).scorecard_["b"].contributions(1)[:n]
    assert points[[0, -1]] == pytest.approx([-1.2345, 1.5], abs=1e-11)
    assert (np.diff(points) >= 0).all()
    among = model.edited(edits.points("b", 3, points[3] + 0.001), X, y).scorecard_["b"].contributions(1)[:n]
    assert among[3] == pytest.approx(points[3] + 0.001, abs=1e-11)
    assert (np.diff(among) >= 0).all()


def test_three_classes():
    X, y = mixed(n_classes=3)
    model = ScorecardClassifier(keep=["amount", "town"], n_pairs=0).fit(X, y)
    points = {"maybe": 1.0, "no": 0.5, "yes": -1.5}
    edits = Edits().points("amount", 1, points).monotone("whole", {"no": "increasing"})
    edited = model.edited(edits, X, y)
    found = edited.scorecard_["amount"].table[1] / 2**40
    assert found - found.mean() == pytest.approx(list(points.values()), abs=1e-11)
    whole = edited.scorecard_["whole"]
    leads = whole.table[:, [1]] - whole.table[:, [0, 2]]
    assert (np.diff(leads[: len(whole.partition.bounds) + 1], axis=0) >= -1).all()
    assert same(edited, ScorecardClassifier(**model.get_params()).fit(X, y, edits=edits), X)
    with pytest.raises(EditError, match="with more than two classes points of such a column"):
        model.edited(edits.points("whole", 0, points), X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["edited", "edited points"])
def test_model_files_and_scorecards(name, n_classes, tmp_path):
    X, y = mixed(n_classes=n_classes)
    model, strange = MODELS[name].fit(X, y), new_rows(X)
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(strange), model.predict_proba(strange))
    assert loaded.is_refitted_ == (name == "edited")
    card = model.scorecard()
    assert len(card) == 1 + sum(t.partition.n_bins for t in model.scorecard_.tables) + sum(
        len(pair.cells) for pair in model.scorecard_.pairs
    )


def test_points_alone_change_without_a_refit(fitted):
    X, y, model = fitted
    edited = model.edited(Edits().points("a", 0, 1.5).merge("b", [1, 2]), refit=False)
    before, after = model.scorecard_["a"], edited.scorecard_["a"]
    assert after.contributions(1)[0] == 1.5
    assert np.array_equal(before.table[1:], after.table[1:])
    for table in model.scorecard_.tables:
        if table.name not in ("a", "b"):
            assert np.array_equal(table.table, edited.scorecard_[table.name].table)
    mass, points = model.scorecard_["b"].bin_mass, model.scorecard_["b"].contributions(1)
    mean = (mass[1] * points[1] + mass[2] * points[2]) / (mass[1] + mass[2])
    assert edited.scorecard_["b"].contributions(1)[1] == pytest.approx(mean, abs=1e-11)
    assert np.isnan(edited.changes_[0].difference)
    assert not edited.is_refitted_
    split = model.edited(Edits().split("b", 10.25), X, y, refit=False)
    assert np.array_equal(split.predict_proba(X), model.predict_proba(X))
    assert split.changes_[0].decisions == 0
    assert split.scorecard_["b"].counts.sum() == len(X)
    special = model.edited(Edits().special("a", -9), X, y, refit=False)
    assert np.array_equal(special.predict_proba(X), model.predict_proba(X))


def test_alternatives(fitted):
    X, y, model = fitted
    found = model.alternatives("a", X, y)
    assert found["log_loss"].is_monotonic_increasing
    assert set(found["instead"].dropna()) == set(X) - set(model.scorecard_.names)
    (row,) = found[found["instead"] == "f"].to_dict("records")
    (none,) = found[found["instead"].isna()].to_dict("records")
    change = model.edited(Edits().drop("a", instead="f"), X, y).changes_[0]
    assert (row["difference"], row["error"]) == (change.difference, change.error)
    assert row["log_loss"] < none["log_loss"]


REFUSED = [
    (Edits().merge("a", [0, 2]), "must be neighbors"),
    (Edits().merge("a", [0, 99]), "bins that can be merged"),
    (Edits().merge("g", [0, 1]), "the model has no column 'g'"),
    (Edits().points("a", 99, 1.0), "0 to"),
    (Edits().points("a", 0, {"yes": 1.0}), "one number"),
    (Edits().split("c", 1), "categories without an order"),
    (Edits().split("a", "x"), "'x' is none"),
    (Edits().split("a", 0.25).split("a", 0.25), "already divides"),
    (Edits().group("a", [["u"]]), "has an order"),
    (Edits().group("c", [["u"]]), "leaves out the category"),
    (Edits().group("c", [["u", "v", "w", "x", "y", "z", "?"]]), "no category '?'"),
    (Edits().group("c", [["u", "v"], ["v", "w", "x", "y", "z"]]), "each category has one group"),
    (Edits().special("c", 1), "is not numeric"),
    (Edits().special("a", 1).special("a", 1), "already has a bin"),
    (Edits().monotone("c", "increasing"), "without an order"),
    (Edits().monotone("a", {"yes": "increasing"}), "of two, it is a word"),
    (Edits().monotone("d", "increasing"), "in the pair d × e"),
    (Edits().monotone("a", "increasing").pair("a", "b"), "is monotone, so it can be in no pair"),
    (Edits().monotone("b", "increasing").points("b", 0, 3.0), "break its direction"),
    (Edits().monotone("b", "increasing").points("b", 3, 0.5).points("b", 6, -0.5), "break its direction"),
    (Edits().keep("a"), "is in the model"),
    (Edits().keep("nope"), "the table has no column 'nope'"),
    (Edits().drop("a", instead="b"), "is in the model"),
    (Edits().no_pair("a", "b"), "no such pair"),
    (Edits().pair("d", "e"), "the model has this pair"),
    (Edits().drop("a").drop("b").drop("c").drop("d").drop("e"), "leave no column"),
]


@pytest.mark.parametrize(("edits", "words"), REFUSED)
def test_an_edit_that_does_not_apply_is_one_sentence(fitted, edits, words):
    X, y, model = fitted
    with pytest.raises(EditError, match=re.escape(words)) as caught:
        model.edited(edits, X, y)
    assert str(caught.value).count("\n") == 0
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda e: e.merge("a", [1]), "two bins at least"),
        (lambda e: e.merge("a", [1, -1]), "from 0"),
        (lambda e: e.points("a", 0, 11), "from -10 to 10"),
        (lambda e: e.points("a", 0, np.nan), "finite number"),
        (lambda e: e.missing("a", "nope"), "'learn' or 'neutral'"),
        (lambda e: e.pair("a", "a"), "two different columns"),
        (lambda e: e.keep(3), "a string"),
        (lambda e: e.special("a", "x"), "finite number"),
    ],
)
def test_values_are_checked_when_an_edit_is_made(make, words):
    edits = Edits()
    with pytest.raises(EditError, match=words):
        make(edits)
    assert not edits


def test_rows_and_parameters_are_checked(fitted):
    X, y, model = fitted
    edits = Edits().points("a", 0, 1.0)
    with pytest.raises(ParameterError, match="give X and y"):
        model.edited(edits)
    with pytest.raises(EditError, match="give X and y"):
        model.edited(Edits().split("a", 0.123), refit=False)
    with pytest.raises(EditError, match="needs a refit"):
        model.edited(Edits().keep("f"), refit=False)
    with pytest.raises(DataError, match="columns that the model was fitted to"):
        model.edited(edits, X[["b", "a", "c", "d", "e"]], y)
    assert same(model.edited(edits, X[["b", "a", "c", "d", "e", "f"]].assign(y=y), y), model.edited(edits, X, y), X)
    with pytest.raises(DataError, match="y must have the classes"):
        model.edited(edits, X, np.where(y == "yes", "ja", "no"))
    with pytest.raises(DataError, match="the model does not have"):
        model.edited(edits, X.assign(c=np.where(X["c"] == "u", "new", X["c"])), y)
    with pytest.raises(ParameterError, match="Edits object"):
        model.edited([], X, y)


def _document(**edit):
    return json.dumps({"format": "bayesieve edits", "version": 1, "edits": [edit]})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a JSON document"),
        ("{}", "has no 'format'"),
        ('{"format": "bayesieve edits", "version": 2, "edits": []}', "version"),
        (_document(kind="eval", columns=["a"], values={}), "kind"),
        (_document(kind="keep", columns=[], values={}), "one column"),
        (_document(kind="merge", columns=["a"], values={"x": 1}), "what 'merge' needs"),
        (_document(kind="points", columns=["a"], values={"bin": 0, "points": [1]}), "what 'points' needs"),
        (_document(kind="points", columns=["a"], values={"bin": 0, "points": [[1, [2]]]}), "what 'points' needs"),
        (_document(kind="group", columns=["a"], values={"groups": [3]}), "what 'group' needs"),
        (_document(kind="merge", columns=["a"], values={"bins": [0, [1]]}), "what 'merge' needs"),
    ],
)
def test_files_without_edits_are_one_sentence(tmp_path, text, words):
    path = tmp_path / "edits.json"
    path.write_text(text)
    with pytest.raises(EditError, match=words):
        Edits.load(path)
    with pytest.raises(EditError, match="cannot be read"):
        Edits.load(tmp_path / "nope.json")


FORGED = [
    (lambda edits: edits["changes"].clear(), "model.edits.changes must be what edits changed"),
    (lambda edits: edits["changes"][0]["edit"].update(kind="eval"), "kind must be"),
    (lambda edits: edits["changes"][0].update(decisions=-1), "decisions must be"),
    (lambda edits: edits["changes"][0].update(more=1), "unknown 'more'"),
    (lambda edits: edits["original"].update(estimator="BoostClassifier"), "model.edits.original"),
    (
        lambda edits: edits["original"]["columns"]["ordered"].reverse(),
        "model.edits.original must be a model of the same",
    ),
]


@pytest.mark.parametrize(("forge", "words"), FORGED)
def test_forged_edits_of_a_model_file_are_refused(fitted, tmp_path, forge, words):
    model = fitted[2]
    path = tmp_path / "model.json"
    model.edited(Edits().points("a", 0, 1.0), refit=False).save(path)
    document = json.loads(path.read_text())
    forge(document["model"]["edits"])
    document.pop("checksum")
    path.write_bytes(canonical(seal(document)))
    with pytest.raises(ModelFileError, match=re.escape(words)):
        load(path)
