"""A model card has the data, the columns, the metrics, the limits and the commands of a model."""

from pair_models import make_model
from tables import three_classes
from typer.testing import CliRunner

from bayesieve import SelectiveNaiveBayes, load
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
    assert "the rule `probability 0.3`" in text
    odd = SelectiveNaiveBayes(keep=[0]).fit(X.rename(columns={"age": "a|b\n`c`"}), y)
    assert "| a\\|b 'c' |" in model_card(odd)
