"""The report as a reader sees it, in a browser without a screen."""

import csv
import re
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from math import floor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from report.report_cases import (
    MISSING_WORDS,
    evaluated,
    evaluated_with_pairs,
    odd_table,
    product_table,
    words_table,
)
from sklearn.base import clone

from bayesieve import ScorecardClassifier, SelectiveNaiveBayes, drift
from bayesieve.report import Report, render_page, summarize
from bayesieve.report.chart import Chart, share_axis
from bayesieve.report.curves import wilson_interval
from bayesieve.report.drift_page import render_drift
from bayesieve.report.markup import read_part

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as player:
        opened = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Reader:
    """A page, and the faults that it reported."""

    def __init__(self, browser, path, width):
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="light")
        self.faults = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.on("request", lambda request: self.faults.append(request.url))
        self.page.goto(path.as_uri())
        assert self.faults.pop(0) == path.as_uri()

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def move(self, selector, value):
        script = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }"
        self.page.locator(selector).evaluate(script, value)


CASES = {
    "two classes": (2, 1280, evaluated),
    "telephone": (2, 390, evaluated),
    "four classes": (4, 1280, evaluated),
    "pairs": (2, 390, evaluated_with_pairs),
    "pairs and four classes": (4, 1280, evaluated_with_pairs),
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def read(request, browser, tmp_path):
    n_classes, width, make = request.param
    *_, content = make(n_classes)
    summary = content.as_json()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, width)
    yield reader, summary
    assert reader.faults == []
    reader.page.close()


def test_a_notebook_s_cell_shows_the_page_and_lets_it_run(browser, tmp_path):
    *_, content = evaluated()
    summary = content.as_json()
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html><title>cell</title>{Report(content)._repr_html_()}", encoding="utf-8")
    reader = Reader(browser, path, 1280)
    inside = reader.page.frame_locator("iframe")
    assert " ".join(inside.locator("#verdict").inner_text().split()) == " ".join(summary["verdict"].split())
    inside.locator("#next").click()
    assert inside.locator("#table tbody tr").count() == len(summary["columns"]["name"]) - 25
    assert [fault for fault in reader.faults if not fault.startswith("about:srcdoc")] == []
    reader.page.close()


def test_held_out_rows_are_described_instead_of_folds(browser, tmp_path):
    model, X, predictions, context, _ = evaluated()
    once = SelectiveNaiveBayes(**(model.get_params(deep=False) | {"scoring": None})).fit(
        X, model.classes_[predictions.target]
    )
    content = summarize(once, X, _single(predictions), context)
    summary = content.as_json()
    (tmp_path / "report.html").write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, tmp_path / "report.html", 1280)
    assert reader.text("#evaluation") == summary["evaluation"]["description"]
    assert "1,300" in reader.text("#facts")
    assert "Unknown" in reader.text("#stability-lead")
    reader.move("#size-slider", 0)
    assert all("–" not in row for row in reader.texts("#size-scores table:first-of-type tbody tr"))
    assert reader.faults == []
    reader.page.close()


def _single(predictions):
    """Return the same predictions as those of one model for rows that it was not fitted on."""
    first = predictions.folds[0]
    rows = replace(
        first,
        rows=np.arange(len(predictions.target)),
        sizes=(first.sizes[-1],),
        stages=predictions.probabilities(None)[None].repeat(2, axis=0),
        decisions=predictions.predicted[None].repeat(2, axis=0),
    )
    return replace(predictions, folds=[rows], n_train=1000)


def numbers(text):
    return [float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def near(shown, expected, digits):
    return abs(shown - expected) <= 0.5 * 10**-digits + 1e-9


def test_every_size_shows_the_numbers_of_the_summary(read):
    reader, summary = read
    assert " ".join(reader.text("#verdict").split()) == " ".join(summary["verdict"].split())
    for i, size in enumerate(summary["sizes"]):
        reader.move("#size-slider", i)
        assert numbers(reader.text("#size-value"))[0] == size["n_columns"]
        names = [summary["columns"]["name"][j] for j in size["columns"]]
        assert reader.texts("#size-columns .chip") == names
        rows = reader.texts("#size-scores table:first-of-type tbody tr")
        for row, name in zip(rows[:4], summary["metrics"], strict=True):
            scale, digits = (100, 1) if name == "accuracy" else (1, 4)
            held_out, error, optimistic = numbers(row)
            assert near(held_out, scale * size["held_out"][name]["mean"], digits)
            assert near(error, scale * size["held_out"][name]["standard_error"], digits)
            assert near(optimistic, scale * size["optimistic"][name], digits)
        if len(summary["data"]["classes"]) > 2:
            shown = reader.page.locator("#confusion td").all_inner_texts()
            assert [int(each) for each in shown] == [each for row in size["confusion"] for each in row]


def test_charts_and_names_are_those_of_the_chosen_class_and_size(read):
    reader, summary = read
    labels = [each["label"] for each in summary["data"]["classes"]]
    curves = next(each["curves"] for each in summary["sizes"] if each["selected"])
    for place, curve in enumerate(curves):
        if len(curves) > 1:
            reader.page.select_option("#class", index=place)
        assert set(reader.texts("#calibration .class-name")) == {labels[curve["class"]]}
        share = summary["data"]["classes"][curve["class"]]["n_rows"] / summary["data"]["n_rows"]
        low, high, start, end = map(float, reader.page.locator("#pr svg").get_attribute("data-y").split())
        line = float(reader.page.locator("#pr .share").get_attribute("y1"))
        assert abs(line - (start + (share - low) / (high - low) * (end - start))) < 0.1
        totals = [a + b for a, b in zip(curve["histogram"]["positive"], curve["histogram"]["others"], strict=True)]
        top = float(reader.page.locator("#histogram svg").get_attribute("data-y").split()[1])
        assert max(totals) <= top  # no bar is cut off
        assert not reader.page.locator("#histogram-cut").is_visible()
    highest = [sum(each) for curve in curves for each in zip(*curve["histogram"].values(), strict=True)]
    assert max(highest) > 0.9 * top  # and none is flat for the sake of a size that is not shown
    assert reader.text("#size-note") == ""
    reader.move("#size-slider", 1)
    n_columns = summary["sizes"][1]["n_columns"]
    if shown := summary["sizes"][1]["curves"]:
        chosen = next(each for each in shown if each["class"] == curve["class"])
        bars = [sum(each) for each in zip(*chosen["histogram"].values(), strict=True)]
        assert reader.page.locator("#histogram-cut").is_visible() == (max(bars) > top)
    of_size = f"{n_columns} column{'s' * (n_columns != 1)}" if summary["sizes"][1]["curves"] else "the selected number"
    assert reader.text("#size-note").startswith(f"Threshold, lift and calibration below are those of {of_size}")


def test_the_printed_page_has_the_points_of_all_bins(read):
    reader, summary = read
    closed = reader.page.locator("#bins details.printed table")
    numeric = [bins for bins in summary["bins"] if "bounds" in bins]
    assert closed.count() == len(numeric) > 0
    assert not closed.first.is_visible()
    reader.page.emulate_media(media="print")
    assert closed.first.is_visible()
    assert not reader.page.locator("#bins details.printed summary").first.is_visible()


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("top", [0.3, 0.55, 1.0])
def test_ticks_do_not_overlap_the_title_of_their_axis(browser, media, top):
    chart = Chart("c", share_axis("predicted", top), share_axis("observed frequency", top), width=440, height=290)
    page = browser.new_page(viewport={"width": 690, "height": 900})
    page.set_content(f"<style>{read_part('page.css')}</style><main>{chart.svg(class_='wide')}</main>")
    page.emulate_media(media=media)
    title, *ticks = page.evaluate(
        """() => [...document.querySelectorAll("text[transform], text[text-anchor=end]")]
          .sort((a, b) => b.hasAttribute("transform") - a.hasAttribute("transform"))
          .map((text) => text.getBoundingClientRect().toJSON())"""
    )
    page.close()
    assert ticks
    assert all(tick["left"] >= title["right"] for tick in ticks)


def test_every_threshold_shows_the_counts_of_the_summary(read):
    reader, summary = read
    size = next(i for i, each in enumerate(summary["sizes"]) if each["selected"])
    if len(summary["data"]["classes"]) > 2:
        reader.page.select_option("#class", index=1)
    curve = summary["sizes"][size]["curves"][-1 if len(summary["data"]["classes"]) == 2 else 1]
    n_rows, n_positive = summary["data"]["n_rows"], summary["data"]["classes"][curve["class"]]["n_rows"]
    reader.page.fill("#benefit-true-positive", "5")
    reader.page.fill("#cost-false-positive", "2")
    for i in range(0, len(curve["threshold"]), 7):
        reader.move("#threshold-slider", i)
        hits, alarms = curve["true_positives"][i], curve["false_positives"][i]
        cells = [int(each.replace(",", "")) for each in reader.texts("#threshold-table td")]
        assert cells == [hits, n_positive - hits, alarms, n_rows - n_positive - alarms]
        n_negative, n_predicted = n_rows - n_positive, hits + alarms
        quiet = n_negative - alarms
        shares = ((hits, n_positive), (quiet, n_negative), (hits, n_predicted), (quiet, n_rows - n_predicted))
        for (part, whole), key in zip(shares, ("sensitivity", "specificity", "precision", "npv"), strict=True):
            if whole:
                low, high = (float(end) for end in wilson_interval(part, whole))
                shown = numbers(reader.text(f"#{key}").replace("–", " "))
                assert all(
                    near(value, 100 * share, 1) for value, share in zip(shown, (part / whole, low, high), strict=True)
                )
        assert near(numbers(reader.text("#threshold-text"))[0], 100 * n_predicted / n_rows, 1)
        assert numbers(reader.text("#profit"))[0] == 5 * hits - 2 * alarms
    best = max(
        5 * hits - 2 * alarms for hits, alarms in zip(curve["true_positives"], curve["false_positives"], strict=True)
    )
    assert numbers(reader.text("#profit"))[-1] == best


def test_the_table_sorts_searches_and_turns_pages(read):
    reader, summary = read
    columns = summary["columns"]
    first = "#table tbody th"
    reader.page.click("#table th[data-field=score_alone] button")
    reader.page.click("#table th[data-field=score_alone] button")
    scored = [j for j, alone in enumerate(columns["score_alone"]) if alone is not None]
    expected = [columns["name"][j] for j in sorted(scored, key=lambda j: (columns["score_alone"][j], j))]
    assert reader.texts(first)[: len(expected)] == expected[:25]
    reader.page.click("#next")
    assert len(reader.texts(first)) == len(columns["name"]) - 25
    reader.page.fill("#search", "NOISE 1")
    assert sorted(reader.texts(first)) == sorted(name for name in columns["name"] if "noise 1" in name)
    assert reader.text("#table-count") == f"11 of {len(columns['name'])} columns"


def test_nothing_of_the_data_became_markup_and_nothing_runs_over_the_edge(read):
    reader, summary = read
    count = "(selector) => document.querySelectorAll(selector).length"
    assert reader.page.evaluate(count, "img, main script, iframe, main style") == 0
    assert reader.page.evaluate(count, "#bins i:not(.key), #bins b") == 0
    widths = reader.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] == widths[1]
    assert reader.text("#command") == summary["reproduce"]["command"]
    bin_labels = [label for bins in summary["bins"] for label in bins["labels"]]
    assert [
        label for label in reader.page.locator("#bins tbody th").all_text_contents() if label != "all"
    ] == bin_labels


def test_dark_and_on_paper(read):
    reader, _ = read
    space = "getComputedStyle(document.body).backgroundColor"
    light = reader.page.evaluate(space)
    reader.page.click("#theme")
    assert reader.page.evaluate(space) != light
    assert reader.page.pdf(format="A4").startswith(b"%PDF")


def test_heat_maps_show_the_cells_of_the_summary(read):
    reader, summary = read
    assert reader.page.locator("#pairs").count() == bool(summary["pairs"])
    assert reader.page.locator("nav a[href='#pairs']").count() == bool(summary["pairs"])
    names, labels = summary["columns"]["name"], [each["label"] for each in summary["data"]["classes"]]
    if not summary["pairs"]:
        return
    for place, shown in enumerate(summary["pairs"][0]["classes"]):
        if len(summary["pairs"][0]["classes"]) > 1:
            reader.page.locator("#pairs-class").select_option(str(place))
        for i, pair in enumerate(summary["pairs"]):
            card = f"#heat-maps > article >> nth={i}"
            expected = {}
            for a, first in enumerate(pair["labels"][0]):
                for b, second in enumerate(pair["labels"][1]):
                    value = pair["classes"][place]["contribution"][a][b]
                    expected[frozenset([first, second])] = (f"{value:+.2f}", f"{pair['counts'][a][b]:.0f}")
            cells = reader.page.locator(f"{card} >> td.heat:visible")
            assert cells.count() == len(expected)
            for k in range(cells.count()):
                first, second, rest = cells.nth(k).get_attribute("title").split("\n")
                bins = frozenset(text.split(": ", 1)[1] for text in (first, second))
                value, n_rows = cells.nth(k).inner_text().split()
                assert (float(value), n_rows) == (float(expected[bins][0]), expected[bins][1])
                assert labels[shown["class"]] in rest
    (header, *rows) = reader.page.locator("#terms tr").all_inner_texts()
    assert header.split("\t") == ["term", "importance", "log Bayes factor", "gain (log loss)"]
    assert [row.split("\t")[0] for row in rows] == [
        " × ".join(names[j] for j in term["columns"]) for term in summary["terms"]
    ]


def test_red_is_more_probable_and_blue_less(read):
    reader, summary = read
    for cell in reader.page.locator("#heat-maps td.heat:visible").all():
        red, _, blue = map(
            int, re.findall(r"\d+", cell.evaluate("cell => getComputedStyle(cell, '::before').backgroundColor"))[:3]
        )
        assert (red > blue) == (float(cell.inner_text().split()[0]) > 0 or cell.inner_text().startswith("+"))
    assert reader.page.locator("#heat-maps .heat-legend:visible").count() == len(summary["pairs"])


def text_of(value):
    """Return a value as a reader would type it; None is missing."""
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


FORMS = {
    "scorecard": (ScorecardClassifier(), 2),
    "scorecard of three": (ScorecardClassifier(), 3),
    "naive Bayes": (SelectiveNaiveBayes(), 4),
    "isotonic": (SelectiveNaiveBayes(calibration="isotonic", class_prior=[0.9, 0.1]), 2),
    "beta": (SelectiveNaiveBayes(calibration="beta"), 4),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_form_computes_what_the_model_predicts(browser, tmp_path, name):
    estimator, n_classes = FORMS[name]
    X, y = odd_table(n_classes=n_classes, n_noise=2)
    day = pl.Series(
        "day", [datetime(2024, 1, 1) + timedelta(days=int(c == y[0]) * 40 + i % 30) for i, c in enumerate(y)]
    )
    X = X.with_columns(day)
    report = Report.from_estimator(estimator, X, y, cv=2, compare=False, what_if=True)
    model = clone(estimator).fit(X, y)
    (tmp_path / "report.html").write_text(report.html, encoding="utf-8")
    reader = Reader(browser, tmp_path / "report.html", 1280)
    if n_classes > 2:
        assert [option.inner_text() for option in reader.page.locator("#class option").all()] == list(model.classes_)
    names = [column["name"] for column in report.summary["what_if"]["columns"]]
    rows = X.head(40)
    values = [[text_of(value) for value in row] for row in rows.select(names).iter_rows()]
    shown = reader.page.evaluate("rows => rows.map((row) => predict(row).probabilities)", values)
    assert np.abs(np.array(shown) - model.predict_proba(rows)).max() < 1e-7
    everything_unknown = reader.page.evaluate("predict(model.columns.map(() => undefined)).terms.length")
    assert everything_unknown == 0
    reader.page.fill("#rows-text", rows.write_csv(datetime_format="%Y-%m-%d"))
    reader.page.click("#rows-explain")
    cells = [row.split("\t") for row in reader.texts("#rows-result tbody tr")]
    assert [row[-4] for row in cells] == [str(label) for label in model.predict(rows)]
    assert reader.faults == []
    reader.page.close()


def test_a_category_that_reads_like_a_missing_value_is_one(browser, tmp_path):
    X, y = words_table()
    model = ScorecardClassifier(n_features=1).fit(X, y)
    report = Report.from_estimator(model, X, y, cv=2, compare=False, what_if=True)
    (tmp_path / "report.html").write_text(report.html, encoding="utf-8")
    reader = Reader(browser, tmp_path / "report.html", 1280)
    rows = pl.DataFrame({"word": [*MISSING_WORDS, "some", None]})
    expected = model.predict_proba(rows)[:, 1]
    for place, (word, chance) in enumerate(zip(rows["word"], expected, strict=True)):
        if word is None:
            reader.page.select_option("#field-0", index=place + 1)
        else:
            reader.page.select_option("#field-0", value=word)
        assert numbers(reader.text("#what-if-result .probability"))[-1] == pytest.approx(chance, rel=1e-3)
        assert f"word = {word or 'missing'}" in reader.text("#what-if-result")
    reader.page.fill("#rows-text", "id,word\n" + "".join(f"{i},{word or ''}\n" for i, word in enumerate(rows["word"])))
    reader.page.click("#rows-explain")
    cells = [row.split("\t") for row in reader.texts("#rows-result tbody tr")]
    assert [float(row[1]) for row in cells] == pytest.approx(expected, rel=1e-5)
    reader.page.click("#what-if-clear")
    assert len(reader.texts("#what-if-result .with-number small")) == 2
    assert reader.faults == []
    reader.page.close()


def test_a_value_in_the_form_changes_the_probability_and_is_explained(browser, tmp_path):
    X, y = product_table()
    report = Report.from_estimator(ScorecardClassifier(), X, y, cv=2, compare=False, what_if=True)
    (tmp_path / "report.html").write_text(report.html, encoding="utf-8")
    reader = Reader(browser, tmp_path / "report.html", 390)
    model = ScorecardClassifier().fit(X, y)
    form = report.summary["what_if"]["columns"]
    for value in ("-0.5", "1.5"):
        for j in range(len(form)):
            reader.page.fill(f"#field-{j}", value)
        row = pl.DataFrame({name: [float(value)] for name in X.columns})
        expected = model.predict_proba(row)[0, 1]
        assert numbers(reader.text("#what-if-result .probability"))[-1] == pytest.approx(expected, rel=1e-3)
        (explained,) = model.explain(row, classes=tuple(model.classes_[::-1]))
        shown = [float(each) for each in reader.texts("#what-if-result .with-number small")]
        assert "what is not given" not in reader.text("#what-if-result")
        assert shown[0] == pytest.approx(explained.prior, abs=0.006)
        assert sorted(shown[1:]) == pytest.approx(sorted(each.log_odds for each in explained.contributions), abs=0.006)
    reader.page.fill("#field-0", "nonsense")
    assert "not in training" in reader.text("#what-if-result")
    reader.page.fill("#field-0", "missing")
    assert "not in training" in reader.text("#what-if-result")
    assert "has the points of its bin, or 0 where training had none" in reader.text("#what-if")
    widths = reader.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert widths[0] == widths[1]
    reader.page.click("#what-if-clear")
    assert len(reader.texts("#what-if-result .with-number small")) == 2  # the intercept, and what is not given
    share = model.scorecard_.class_mass[report.summary["what_if"]["positive"]] / model.scorecard_.mass
    assert numbers(reader.text("#what-if-result .probability"))[-1] == pytest.approx(share, rel=1e-3)
    assert reader.faults == []
    reader.page.close()


def test_without_scripts_all_is_there_but_what_moves(browser, tmp_path):
    *_, content = evaluated_with_pairs()
    summary = content.as_json()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900}, java_script_enabled=False, color_scheme="dark")
    page.goto(path.as_uri())
    selected = next(size for size in summary["sizes"] if size["selected"])
    assert " ".join(page.locator("#verdict").inner_text().split()) == " ".join(summary["verdict"].split())
    for name in ("log_loss", "auc"):
        assert f"{selected['held_out'][name]['mean']:.4f}" in page.locator("#size-scores").inner_text()
    for chart in ("[data-metric]:visible", "#roc", "#pr", "#rates", "#net-benefit", "#gains", "#lift", "#histogram"):
        assert page.locator(f"{chart} svg").count() == 1
        assert page.locator(f"{chart} svg").is_visible()
    assert page.locator("#decile-table tbody tr").count() == 10
    assert page.locator("#table tbody tr").count() == len(summary["columns"]["name"])
    assert page.locator("#heat-maps td.heat:visible").count() > 10
    assert page.locator(".js:visible, input:visible, button:visible, select:visible").count() == 0
    page.locator("#bins summary").first.click()
    assert page.locator("#bins details[open] tbody tr").count() == len(summary["bins"][0]["labels"]) + 1
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(246, 247, 249)"
    page.close()


def test_the_keyboard_reaches_and_moves_everything(browser, tmp_path):
    *_, content = evaluated()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, 1280)
    reached = set()
    for _ in range(400):
        reader.page.keyboard.press("Tab")
        here = reader.page.evaluate("[document.activeElement.tagName, document.activeElement.id]")
        if here[0] == "BODY":
            break
        reached.add(here[1] or here[0])
        if here[1] == "size-slider":
            before = reader.text("#size-title")
            reader.page.keyboard.press("ArrowLeft")
            assert reader.text("#size-title") != before
        if here[1] == "threshold-slider":
            before = reader.text("#threshold-value")
            reader.page.keyboard.press("ArrowRight")
            assert reader.text("#threshold-value") != before
    everything = "metric size-slider threshold-slider benefit-true-positive budget search theme next SUMMARY BUTTON A"
    assert set(everything.split()) <= reached
    outline = "getComputedStyle(document.getElementById('search')).outlineStyle"
    reader.page.focus("#search")
    assert reader.page.evaluate(outline) == "solid"
    reader.page.close()


def test_every_table_can_be_downloaded(browser, tmp_path):
    *_, content = evaluated_with_pairs()
    summary = content.as_json()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, 1280)
    n_tables = reader.page.locator("table[data-file]").count()
    assert reader.page.locator("button.download").count() == n_tables > 8
    curve = next(size for size in summary["sizes"] if size["selected"])["curves"][0]
    with reader.page.expect_download() as download:
        reader.page.locator("#gains-section button.download").click()
    assert download.value.suggested_filename == "deciles.csv"
    rows = list(csv.reader(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()))
    assert [int(row[1]) for row in rows[1:]] == curve["deciles"]["n_rows"]
    assert [float(row[2]) for row in rows[1:]] == pytest.approx(curve["deciles"]["n_positive"], abs=0.5)
    reader.page.click("#size details summary")
    with reader.page.expect_download() as download:
        reader.page.locator("#size details button.download").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()))
    for row, size in zip(rows, summary["sizes"], strict=True):
        assert float(row["log loss"]) == pytest.approx(size["held_out"]["log_loss"]["mean"], abs=6e-5)
        assert float(row["± log loss"]) == pytest.approx(size["held_out"]["log_loss"]["standard_error"], abs=6e-5)
    with reader.page.expect_download() as download:
        reader.page.locator("#all button.download").click()
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        written = {row["name"].removeprefix("'"): row for row in csv.DictReader(file)}
    assert set(written) == set(summary["columns"]["name"])
    for name, alone in zip(summary["columns"]["name"], summary["columns"]["score_alone"], strict=True):
        assert float(written[name]["score_alone"] or "nan") == pytest.approx(alone or np.nan, nan_ok=True)
    reader.page.close()


def test_a_budget_finds_the_most_probable_rows(browser, tmp_path):
    *_, content = evaluated()
    summary = content.as_json()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, 1280)
    curve = next(size for size in summary["sizes"] if size["selected"])["curves"][0]
    i = len(curve["threshold"]) // 2
    budget = curve["true_positives"][i] + curve["false_positives"][i]
    reader.page.fill("#budget", str(budget))
    words = reader.text("#budget-text")
    assert f"The {budget} rows" in words
    assert f"about {curve['true_positives'][i]} " in words
    reader.page.fill("#benefit-true-positive", "7")
    assert f"Profit: {7 * curve['true_positives'][i]}" in reader.text("#budget-text")
    reader.page.click("#use-best")
    assert reader.page.locator("#use-best").is_hidden()
    assert reader.faults == []
    reader.page.close()


def test_a_budget_of_a_tenth_finds_what_the_table_of_tenths_has(browser, tmp_path):
    *_, content = evaluated()
    summary = content.as_json()
    size = next(each for each in summary["sizes"] if each["selected"])
    deciles = size["curves"][0]["deciles"]
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, 1280)
    n_rows, n_found = 0, 0.0
    for rows, found in zip(deciles["n_rows"], deciles["n_positive"], strict=True):
        n_rows, n_found = n_rows + rows, n_found + found
        reader.page.fill("#budget", str(n_rows))
        words = reader.text("#budget-text")
        assert f"The {n_rows} rows with the largest probabilities hold about {floor(n_found + 0.5)} of class " in words
        assert f": {floor(n_found + 0.5) / n_rows:.1%} of them" in words
    reader.page.fill("#budget", "7")
    count, share = re.search(r"about ([0-9]+) .*: ([0-9.]+)% of them", reader.text("#budget-text")).groups()
    assert float(share) == pytest.approx(100 * int(count) / 7, abs=0.06)
    reader.page.close()


@pytest.mark.parametrize("width", [1000, 1100, 1170, 1300])
def test_the_reasons_of_all_columns_are_within_the_page(browser, tmp_path, width):
    *_, content = evaluated()
    path = tmp_path / "report.html"
    path.write_text(render_page(content), encoding="utf-8")
    reader = Reader(browser, path, width)
    inner, outer = reader.page.locator("#all .scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert inner <= outer
    reader.page.close()


@pytest.mark.parametrize("width", [1100, 1600])
def test_links_and_maps_of_pairs_are_not_cut(browser, tmp_path, width):
    X, y = product_table(2000)
    report = Report.from_estimator(ScorecardClassifier(), X, y, cv=2, compare=False, what_if=True)
    assert max(len(labels) for pair in report.summary["pairs"] for labels in pair["labels"]) > 6
    (tmp_path / "report.html").write_text(report.html, encoding="utf-8")
    reader = Reader(browser, tmp_path / "report.html", width)
    for selector in ("nav", "#pairs .scroll"):
        for box in reader.page.locator(selector).all():
            inner, outer = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
            assert inner <= outer
    reader.page.close()


@pytest.mark.parametrize("make", [evaluated, evaluated_with_pairs])
def test_no_table_is_cut_in_half_a_screen(browser, tmp_path, make):
    *_, content = make(2)
    (tmp_path / "report.html").write_text(render_page(content), encoding="utf-8")
    page = Reader(browser, tmp_path / "report.html", 800).page
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    boxes = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth)"
    assert page.evaluate(f"{boxes}.map(box => [box.innerText.slice(0, 40), box.scrollWidth, box.clientWidth])") == []


def test_bars_of_other_rows_are_seen_in_the_dark(browser, tmp_path):
    *_, content = evaluated(2)
    (tmp_path / "report.html").write_text(render_page(content), encoding="utf-8")
    page = Reader(browser, tmp_path / "report.html", 1280).page

    def luminance(script):
        channels = [int(each) / 255 for each in re.findall(r"\d+", page.evaluate(script))[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        bar = luminance("getComputedStyle(document.querySelector('.bar.others')).fill")
        card = luminance("getComputedStyle(document.querySelector('.card')).backgroundColor")
        lighter, darker = max(bar, card), min(bar, card)
        assert (lighter + 0.05) / (darker + 0.05) > 2.5, scheme


HINTS = """() => [...document.querySelectorAll(".scroll")]
  .filter((box) => box.checkVisibility({ contentVisibilityAuto: true })).map((box) => [
  box.scrollWidth > box.clientWidth + 1, getComputedStyle(box, "::before").visibility === "visible"])"""


def test_tables_that_are_cut_on_a_phone_say_so(browser, tmp_path):
    X, y = product_table(2000)
    report = Report.from_estimator(ScorecardClassifier(), X, y, cv=2, compare=False)
    (tmp_path / "report.html").write_text(report.html, encoding="utf-8")
    model = ScorecardClassifier(n_features=3).fit(X, y)
    (tmp_path / "drift.html").write_text(render_drift(drift(model, X[::2], y[::2]), source="x" * 30), encoding="utf-8")
    for name in ("report.html", "drift.html"):
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.goto((tmp_path / name).as_uri())
        page.wait_for_timeout(200)
        hints = page.evaluate(HINTS)
        assert any(is_cut for is_cut, _ in hints), name
        assert all(is_cut == is_shown for is_cut, is_shown in hints), name
        page.set_viewport_size({"width": 2400, "height": 900})
        page.wait_for_timeout(200)
        assert not any(is_shown for is_cut, is_shown in page.evaluate(HINTS) if not is_cut)
        page.close()


def test_the_net_benefit_ends_where_few_rows_are_predicted_positive(read):
    reader, summary = read
    size = next(each for each in summary["sizes"] if each["selected"])
    n_rows = summary["data"]["n_rows"]
    drawn = "document.querySelector('#net-benefit .line.held-out').getAttribute('points')"
    for i, curve in enumerate(size["curves"]):
        if len(size["curves"]) > 1:
            reader.page.select_option("#class", index=i)
        counts = zip(curve["threshold"], curve["true_positives"], curve["false_positives"], strict=True)
        left = [t for t, hits, alarms in counts if t < 0.99 and hits + alarms >= min(20, n_rows)]
        places = [float(each.split(",")[0]) for each in reader.page.evaluate(drawn).split()]
        low, high, start, end = map(float, reader.page.locator("#net-benefit svg").get_attribute("data-x").split())
        assert len(places) == len(left)
        assert max(places) == pytest.approx(start + (max(left) - low) / (high - low) * (end - start), abs=0.06)
    assert "The curve ends where fewer than 20 rows are predicted positive." in reader.text("#net-benefit")


def test_chips_of_columns_that_enter_have_a_legend(read):
    reader, _ = read
    color = "(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor"
    assert reader.text("#chips-legend") == "enters at this number of columns"
    reader.move("#size-slider", 1)
    assert reader.page.evaluate(color, "#chips-legend .key") == reader.page.evaluate(color, ".chip.new")
