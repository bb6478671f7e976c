"""A model card has the data, the columns, the metrics, the limits and the commands of a model."""

import re
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from pair_models import make_model
from tables import three_classes
from typer.testing import CliRunner

from bayesieve import BenefitClassifier, SelectiveNaiveBayes, load
from bayesieve.cli.app import app
from bayesieve.export import model_card


def test_card_of_a_fitted_file(tmp_path):
    X, y = three_classes()
    X.assign(colour=y).to_csv(tmp_path / "rows.csv", index=False)
    run = CliRunner().invoke
    model, card = tmp_path / "m.json", tmp_path / "card.md"
    fitted = ["fit", str(tmp_path / "rows.csv"), "--target", "colour", "--model", str(model), "--cv", "2"]
    assert run(app, fitted).exit_code == 0
    assert run(app, ["export", str(model), "--to", "card", "--out", str(card)]).exit_code == 0
    text = card.read_text(encoding="utf-8")
    assert text == model_card(load(model), file="m.json")
    assert text.startswith("# Model card: colour\n")
    for heading in ("Training data", "Columns", "Metrics", "Decision", "Limits", "How to score new rows"):
        assert f"\n## {heading}\n" in text
    assert f"rows: {len(X):,}" in text
    assert "| log loss | 0." in text
    assert "bayesieve predict m.json" in text
    assert all(f"| {name} |" in text for name in load(model).scorecard_.names)


def test_card_without_a_record_and_with_odd_names():
    X, y, _, model = make_model(threshold=0.3)
    text = model_card(model)
    assert "Evaluate the model on new rows before use." in text
    assert "age × region" in text
    assert "is predicted if its probability is above 0.3.\n" in text
    assert "one per column and pair of columns" in text
    assert "divide that of a pair between its two columns" in text
    recall = model_card(make_model(threshold=("recall", 0.9))[-1])
    assert re.search(r"is predicted if its probability is above 0\.\d+, found by the rule `recall 0.9`\.", recall)
    odd = SelectiveNaiveBayes(keep=[0]).fit(X.rename(columns={"age": "a|b\n`c`"}), y)
    assert r"| a\|b \`c\` |" in model_card(odd)


NAMES = [
    '<img src=x onerror="alert(1)">', "[click](javascript:alert(2))", "a|b", "![i](https://a.example/p.png)",
    "_x_", "**y**", "https://a.example/", "www.a.example", "<https://a.example>", "e@a.example", "`code`",
    "back\\`slash", "$z$", "~~s~~", "&lt;b&gt;", "new\n# heading", "<!-- c",
]  # fmt: skip


@pytest.mark.parametrize("preset", ["commonmark", "gfm-like"])
def test_names_are_text_for_every_reader_of_markdown(preset):
    rng = np.random.default_rng(0)
    y = np.array(["<b>no</b>", "`yes` [a](b)"])[rng.integers(0, 2, 200)]
    X = pd.DataFrame({name: (y == y[0]) + rng.normal(size=200) for name in NAMES})
    model = SelectiveNaiveBayes(keep=NAMES, n_features=len(NAMES), cv=0).fit(X, y)
    model.training_record_ = SimpleNamespace(target="[t](u)", trained="", source="`s`", command="a\n# b", scores={})
    reader = MarkdownIt(preset, {"linkify": False}).enable("table")
    if preset == "gfm-like":
        reader.disable("linkify")
    tokens = reader.parse(model_card(model))
    kinds = {each.type for token in tokens for each in (token, *(token.children or ()))}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "em_open", "strong_open", "s_open"}
    cells = [token.content for before, token in pairwise(tokens) if before.type == "td_open"]
    shown = {"".join(each.content for each in token.children) for token in tokens if token.type == "inline"}
    assert {" ".join(name.split()) for name in NAMES} <= shown
    assert len(cells) == 3 * len(NAMES)
    assert sum(token.type == "heading_open" for token in tokens) == 7


def test_card_of_a_model_that_decides_by_benefits():
    X, y, _, _ = make_model()
    model = BenefitClassifier(SelectiveNaiveBayes(cv=0), cost=1.0).fit(X, y, amounts=np.full(len(y), 3.0))
    assert "is predicted where its probability times the expected amount is above the cost, 1." in model_card(model)


def test_a_card_lists_classes_as_a_sentence_does():
    X, y = three_classes()
    classes = sorted(set(map(str, y)))
    labels = f"`{classes[0]}`, `{classes[1]}` or `{classes[2]}`"
    assert f"It predicts {labels} from " in model_card(SelectiveNaiveBayes(cv=2).fit(X, np.asarray(y, dtype=str)))
    many = SelectiveNaiveBayes(cv=0).fit(
        pd.DataFrame({"x": np.repeat(np.arange(12), 20)}), np.repeat(np.arange(12), 20)
    )
    assert "It predicts one of 12 classes from " in model_card(many)
