"""The calls on the papers' pages are complete, run as they are printed, and select what `reproduce` selects."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from papers.small_problem import make_small
from real_data import needs_data
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

import bayesieve
from bayesieve import SelectiveNaiveBayes, datasets
from bayesieve.cli.app import app
from bayesieve.evaluation.data_set import split_data
from bayesieve.papers.bibliography import PAPERS
from bayesieve.papers.paper_000.campaign import Campaign, Mailing
from bayesieve.papers.paper_000.paper_methods import METHODS, boost
from bayesieve.papers.paper_001.paper_methods import FILTERS, VOTES, selectors
from bayesieve.papers.paper_001.sets import SETS
from bayesieve.papers.paper_002.ablation import run_ablation
from bayesieve.papers.paper_002.folds import OWN
from bayesieve.papers.paper_003.vote_folds import run_votes
from bayesieve.papers.paper_004.filters import mrmr_ranking, mutual_information_ranking
from bayesieve.papers.paper_004.wrappers import Wrapper

pytestmark = pytest.mark.filterwarnings("ignore::bayesieve.exceptions.BayesieveWarning")

PROSE = Path(__file__).parents[2] / "docs" / "papers" / "prose"
NAMES = {
    **{name: getattr(bayesieve, name) for name in bayesieve.__all__ if name[0].isupper()},
    "bayesieve": bayesieve,
    "classifier": SelectiveNaiveBayes(),
    "regressor": LinearRegression(),
}


def spans(number):
    """Return the code in the running text of a page, without its blocks."""
    return re.findall(r"`([^`]+)`", (PROSE / f"{number}.md").read_text(encoding="utf-8").replace("\n", " "))


def calls(number):
    """Return the calls among them, each as Python would read it."""
    found = []
    for span in spans(number):
        try:
            tree = ast.parse(span, mode="eval")
        except SyntaxError:
            continue
        if isinstance(tree.body, ast.Call) and not span.startswith("fit("):
            found.append(span)
    return found


def evaluate(call):
    return eval(call, dict(NAMES))


CALLS = [(number, call) for number in PAPERS for call in calls(number)]


@pytest.mark.parametrize(("number", "call"), CALLS, ids=[call for _, call in CALLS])
def test_a_call_runs_as_it_is_printed(number, call):
    assert "..." not in call
    evaluate(call).get_params()


@pytest.fixture(scope="module")
def donors():
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(3, 300))
    X = pd.DataFrame({f"c{j}": np.round(traits[j % 3] + 0.6 * rng.normal(size=300), 1) for j in range(24)})
    y = (rng.random(300) < 1 / (1 + np.exp(2 - traits.sum(axis=0)))).astype(int)
    return X, y, np.where(y == 1, np.exp(traits[0]), 0.0)


@pytest.mark.parametrize(("number", "call"), CALLS, ids=[call for _, call in CALLS])
def test_a_call_fits_a_table(number, call, donors):
    X, y, gifts = donors
    model = evaluate(call).fit(X, y, **({"amounts": gifts} if "regressor" in call else {}))
    assert len(model.predict(X) if hasattr(model, "predict") else model.transform(X)) == len(X)


def test_the_calls_of_equations_1_and_2_decide_as_printed(donors):
    X, y, gifts = donors
    by_matrix, by_amount = (evaluate(call) for call in calls("000") if call.startswith("BenefitClassifier"))
    probability = SelectiveNaiveBayes().fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(by_matrix.fit(X, y).predict(X), (probability * 15 > 0.68).astype(int))
    amount = LinearRegression().fit(X[y == 1], gifts[y == 1]).predict(X)
    decisions = by_amount.fit(X, y, amounts=gifts).predict(X)
    np.testing.assert_array_equal(decisions, (probability * amount > 0.68).astype(int))
    assert 0 < decisions.mean() < 1


def test_every_page_has_calls_and_its_names_exist():
    assert {number for number, _ in CALLS} == set(PAPERS)
    for number in PAPERS:
        for span in spans(number):
            if re.fullmatch(r"bayesieve(\.\w+)+", span):
                module, _, name = span.rpartition(".")
                assert hasattr(__import__(module, fromlist=[name]), name), span
            elif re.fullmatch(r"load_\w+", span):
                assert hasattr(datasets, span), span


def fitted_columns(call, X, y, **held_out):
    """Return what a page's call selects, in order."""
    model = evaluate(call).fit(X, y, **held_out)
    return list(model.path_.order)


@pytest.fixture(scope="module")
def mailing():
    rng = np.random.default_rng(0)
    traits = rng.normal(size=(3, 900))
    columns = {f"c{j}": np.round(traits[j % 3] + 0.6 * rng.normal(size=900), 1) for j in range(24)}
    y = (rng.random(900) < 1 / (1 + np.exp(2 - traits.sum(axis=0)))).astype(int)
    return pd.DataFrame(columns), y


def test_the_calls_of_paper_000_select_what_the_table_does(mailing):
    X, y = mailing
    campaign = Campaign(Mailing(X, y), Mailing(X, y), (), 0.68)
    rows = {method.key: method for method in METHODS}
    path = list(rows["20 forward"].fit(campaign, {}, 1).path_.order)
    assert len(path) == 20
    selector, classifier = (
        next(call for call in calls("000") if name in call and "n_features=20" in call)
        for name in ('NaiveBayesSelector("forward"', 'SelectiveNaiveBayes("forward"')
    )
    assert fitted_columns(selector, X, y) == fitted_columns(classifier, X, y) == path
    everything = evaluate(next(call for call in calls("000") if '"backward"' in call)).fit(X, y)
    reference = rows["all columns"].fit(campaign, {}, 1)
    np.testing.assert_array_equal(everything.predict_proba(X), reference.predict_proba(X))
    assert everything.n_features_ == 24
    boosted = next(call for call in calls("000") if "confidence" in call)
    assert fitted_columns(boosted, X, y) == list(
        boost("confidence", "equal_frequency", 20)(campaign, {}, 1).path_.order
    )


@needs_data
def test_the_calls_of_paper_001_rank_as_the_figures_do():
    bunch = SETS["spect"].load()
    X, y = bunch.data, bunch.target
    used = selectors(5)
    printed = [call for call in calls("001") if call.startswith("VoteSelector.named") and "discretizer" not in call]
    assert len(printed) == len(VOTES)
    for name, call in zip(VOTES, printed, strict=True):
        with_intervals = call.replace(")", ', n_features=5, discretizer="equal_frequency")')
        assert fitted_columns(with_intervals, X, y) == list(used[name].fit(X, y).path_.order)
    for call in (call for call in calls("001") if call.startswith("FilterSelector")):
        (name,) = (name for name, method in FILTERS.items() if f'"{method}"' in call)
        own = evaluate(call).set_params(**used[name].get_params())
        assert own.method == used[name].method
        np.testing.assert_array_equal(own.fit(X, y).ranking_, used[name].fit(X, y).ranking_)
    assert {each.method for each in map(evaluate, (c for c in calls("001") if "Filter" in c))} == set(FILTERS.values())


@needs_data
def test_the_calls_of_paper_002_are_its_rows():
    bunch = datasets.load_heart_statlog()
    X, y = bunch.data, np.asarray(bunch.target)
    esnb = fitted_columns("SelectiveNaiveBayes.esnb()", X, y)
    assert fitted_columns("NaiveBayesSelector.esnb()", X, y) == esnb == list(OWN["ESNB"]().fit(X, y).path_.order)
    text = (PROSE / "002.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| ([\w, ']+) \| `(SelectiveNaiveBayes\([^`]*\))`", text, re.MULTILINE))
    assert set(named) == set(OWN) - {"ESNB", "scorecard"}
    for name, call in named.items():
        np.testing.assert_array_equal(evaluate(call).fit(X, y).predict_proba(X), OWN[name]().fit(X, y).predict_proba(X))


@needs_data
def test_the_calls_of_paper_002_are_those_of_the_ablation():
    bunch = datasets.load_hepatitis()
    y = np.asarray(bunch.target)
    record = run_ablation("hepatitis", 3)["folds"][0]
    sizes = {(row["bins"], row["criterion"]): row["n_columns"] for row in record}
    train, _ = next(StratifiedKFold(3, shuffle=True, random_state=1).split(np.zeros((len(y), 1)), y))
    X = bunch.data.iloc[train]
    for words, key in (
        ('criterion="lift"', ("modl", "lift")),
        ('criterion="error"', ("modl", "accuracy")),
        ('discretizer="equal_width"', ("equal_width", "lift")),
    ):
        call = next(call for call in calls("002") if words in call)
        assert evaluate(call).fit(X, y[train]).n_features_ == sizes[key]


@needs_data
def test_the_calls_of_paper_003_select_what_the_tables_do():
    folds = split_data("spect", SETS["spect"].load, 10, 1)
    train, _ = folds.splits[0]
    X, y = folds.data.rows(train), folds.data.labels[train]
    record = run_votes(folds, 0, 10)["rows"]
    names = folds.data.table.names

    def columns(row):
        return [names[j] for j in row["order"]]

    classifier = next(call for call in calls("003") if "VoteClassifier" in call and "expected" in call)
    assert fitted_columns(classifier, X, y) == columns(record["expected"][2])
    for likelihood in ("expected", "log"):
        call = next(call for call in calls("003") if call.startswith(f'VoteSelector(3, "{likelihood}"'))
        assert fitted_columns(call, X, y) == columns(record[likelihood][2])
    for words, place in (("any", 0), ("all", 9)):
        call = next(call for call in calls("003") if call.startswith(f'VoteSelector("{words}"'))
        assert fitted_columns(call, X, y) == columns(record["expected"][place])


def test_the_calls_of_paper_004_select_what_the_table_does():
    problem = make_small(1, n_columns=10)
    train, validation = (
        pd.DataFrame(each.indicators, columns=problem.names) for each in (problem.train, problem.validation)
    )
    searches = [call for call in calls("004") if call.startswith("NaiveBayesSelector")]
    assert len(searches) == 4
    for call in searches:
        model = evaluate(call).fit(train, problem.train.target, X_val=validation, y_val=problem.validation.target)
        choice = Wrapper(problem, model.criterion).run(model.search)[-1].choose()
        assert set(np.flatnonzero(model.support_)) == set(choice.columns), call
    for name, ranking in (("mutual_info", mutual_information_ranking), ("mrmr", mrmr_ranking)):
        call = next(call for call in calls("004") if f'"{name}"' in call)
        model = evaluate(call).set_params(n_features=10).fit(train, problem.train.target)
        assert np.argsort(model.ranking_, kind="stable").tolist() == ranking(problem.train)


@needs_data
def test_the_command_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bunch = SETS["vote"].load()
    frame = pd.DataFrame(bunch.data).assign(y=bunch.target)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    commands = [span for number in PAPERS for span in spans(number) if re.match(r"bayesieve (fit|rank) ", span)]
    assert len(commands) >= 7
    for command in commands:
        words = command.replace("FILE", str(path)).split()[1:]
        words[words.index("--target") + 1] = "y"
        extra = ["--no-compare"] if words[0] == "fit" else []
        result = CliRunner().invoke(app, [*words, *extra])
        assert result.exit_code == 0, (command, result.output)
    (ranked,) = (command for command in commands if "--votes all --criterion log" in command)
    words = ranked.replace("FILE", str(path)).split()[1:]
    printed = json.loads(CliRunner().invoke(app, [*words, "--features", "5", "--json"]).stdout)
    columns = [entry["name"] for entry in printed["columns"] if entry["selected"]]
    assert columns == fitted_columns('VoteSelector.named("CVL", n_features=5)', frame.drop(columns="y"), frame["y"])
