"""Laws of engine and criteria: what may not matter, and what must come back."""

from dataclasses import replace

import numpy as np
import pytest
from cases import exact_scores, make_segments, plain_case
from draws import draws, meetings
from hypothesis import given, settings, strategies as st

from bayesieve.models import NaiveBayes
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import ENGINES, add, drop

law = settings(deadline=None, derandomize=True, max_examples=draws(8, 50))
criteria = pytest.mark.parametrize("criterion", CRITERIA)
engines_and_criteria = pytest.mark.parametrize(("engine", "criterion"), meetings(ENGINES, CRITERIA))


@st.composite
def problems(draw, weighted=True):
    """Draw a few rows of a few columns, scored on themselves or on two folds."""
    n_rows, n_classes = draw(st.integers(2, 10)), draw(st.integers(2, 4))

    def column(largest):
        return st.lists(st.integers(0, largest), min_size=n_rows, max_size=n_rows)

    columns = draw(st.lists(column(3), min_size=1, max_size=4))
    changes = {"n_classes": n_classes, "n_bins": [3] * len(columns)}  # code 3 is unseen
    changes["smoothing"] = draw(st.sampled_from(["auto", 1.0, 0.01]))
    if weighted:
        changes["units"] = [1 + units for units in draw(column(2**20))]
        changes["unit"] = 2.0 ** draw(st.integers(-30, 0))
    if draw(st.booleans()):
        rows = list(range(n_rows))
        changes["folds"] = [(rows[1:], rows[:1]), (rows[:1], rows[1:])]
    return plain_case(columns, draw(column(n_classes - 1)), **changes)


def build(case, criterion, engine="reference"):
    return ENGINES[engine](make_segments(case), NaiveBayes(case.smoothing), CRITERIA[criterion])


def all_scores(case, criterion, order=None):
    """Return the scores of the empty set, of each column, and of all without each, columns in the given order."""
    engine, order = build(case, criterion), order or range(len(case.columns))
    alone = [engine.reset({}), *engine.score([add([j]) for j in order])]
    return [*alone, engine.reset(dict.fromkeys(order, 1.0)), *engine.score([drop([j]) for j in order])]


@criteria
@law
@given(problems(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(criterion, case, random):
    new = random.sample(range(len(case.labels)), len(case.labels))  # new[k] is the old place of row k
    place = {old: k for k, old in enumerate(new)}
    permuted = replace(
        case,
        columns=[[column[i] for i in new] for column in case.columns],
        labels=[case.labels[i] for i in new],
        units=[case.units[i] for i in new],
        folds=[tuple(sorted(place[i] for i in rows) for rows in fold) for fold in case.folds],
    )
    assert all_scores(permuted, criterion) == all_scores(case, criterion)


@criteria
@law
@given(problems(), st.randoms(use_true_random=False))
def test_order_of_columns_changes_only_their_numbers(criterion, case, random):
    order = random.sample(range(len(case.columns)), len(case.columns))
    permuted = replace(case, columns=[case.columns[j] for j in order])
    assert all_scores(permuted, criterion) == all_scores(case, criterion, order)


@criteria
@law
@given(problems(), st.permutations(range(3)))
def test_names_of_codes_do_not_matter(criterion, case, codes):
    renamed = replace(case, columns=[[[*codes, 3][code] for code in column] for column in case.columns])
    assert all_scores(renamed, criterion) == all_scores(case, criterion)


# Errors are left out: on ties the first class is predicted, so that its name matters (the next law). So is the lift: of
# two classes, the area depends on which one is positive.
@pytest.mark.parametrize("criterion", ["error_probability", "brier", "log_loss", "auc"])
@law
@given(problems(), st.randoms(use_true_random=False))
def test_names_of_classes_do_not_matter(criterion, case, random):
    names = random.sample(range(case.n_classes), case.n_classes)
    renamed = replace(case, labels=[names[c] for c in case.labels])
    # Probabilities are added in the order of the classes, so that the last bit of a row's loss may differ.
    assert all_scores(renamed, criterion) == pytest.approx(all_scores(case, criterion), rel=0, abs=2.0**-38)


@law
@given(problems(weighted=False), st.randoms(use_true_random=False))
def test_names_of_classes_matter_to_errors_only_on_ties(case, random):
    names = random.sample(range(case.n_classes), case.n_classes)
    renamed = replace(case, labels=[names[c] for c in case.labels])
    for column in range(len(case.columns)):
        change, tied = 0.0, 0.0
        for segment, other in zip(make_segments(case), make_segments(renamed), strict=True):
            state = segment.tables.start[:, None] + segment.tables.column(column).T[:, segment.codes.column(column)]
            tied += float(np.mean((state == state.max(axis=0)).sum(axis=0) > 1))
            scores = [
                ENGINES["reference"]([s], NaiveBayes(), CRITERIA["error"]).score([add([column])])[0]
                for s in (segment, other)
            ]
            change += abs(scores[0] - scores[1])
        assert change <= tied + 1e-12


@criteria
@law
@given(problems(weighted=False), st.data())
def test_a_weight_of_k_is_k_copies(criterion, case, data):
    n_rows = len(case.labels)
    rows = list(range(n_rows))
    times = data.draw(st.lists(st.integers(1, 4), min_size=n_rows, max_size=n_rows))
    weighted = replace(case, units=times, folds=[(rows, rows)])
    copies = [i for i in rows for _ in range(times[i])]
    everything = list(range(len(copies)))
    copied = replace(
        case,
        columns=[[column[i] for i in copies] for column in case.columns],
        labels=[case.labels[i] for i in copies],
        units=[1] * len(copies),
        folds=[(everything, everything)],
    )
    assert all_scores(weighted, criterion) == all_scores(copied, criterion)


@engines_and_criteria
@law
@given(problems(), st.randoms(use_true_random=False))
def test_adding_and_removing_is_the_identity(engine, criterion, case, random):
    engine = build(case, criterion, engine)
    moves = [add([j]) for j in range(len(case.columns))]
    here, around, apart = engine.reset({}), exact_scores(engine, moves), tuple(engine.segment_scores)
    for j in range(len(case.columns)):
        engine.apply(add([j]))
    for j in random.sample(range(len(case.columns)), len(case.columns)):
        score = engine.apply(drop([j]))
    assert (score, exact_scores(engine, moves), tuple(engine.segment_scores)) == (here, around, apart)


@law
@given(problems(), st.floats(0.01, 3.0))
def test_the_reference_state_returns_to_the_last_bit(case, weight):
    engine = build(case, "brier")
    before = engine.snapshot()[0]
    for move in (add([0]), ((0, 1.0, weight),), ((0, weight, 0.0),)):
        engine.apply(move)
    after = engine.snapshot()[0]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@engines_and_criteria
@law
@given(problems(), st.randoms(use_true_random=False))
def test_any_way_to_a_subset_gives_identical_bits(engine, criterion, case, random):
    n_columns = len(case.columns)
    engine = build(case, criterion, engine)
    fresh = engine.reset(dict.fromkeys(range(n_columns), 1.0))
    together = exact_scores(engine, [drop([j]) for j in range(n_columns)])
    engine.reset({})
    for j in random.sample(range(n_columns), n_columns):
        score = engine.apply(add([j]))
    assert score == fresh
    assert exact_scores(engine, [drop([j]) for j in range(n_columns)]) == together


@engines_and_criteria
@law
@given(problems())
def test_a_token_brings_everything_back(engine, criterion, case):
    engine = build(case, criterion, engine)
    engine.reset({0: 1.0})
    moves = [add([j]) for j in range(1, len(case.columns))] + [drop([0])]
    token, scores, apart = engine.snapshot(), exact_scores(engine, moves), tuple(engine.segment_scores)
    for move in moves:
        engine.apply(move)
    engine.restore(token)
    assert (exact_scores(engine, moves), tuple(engine.segment_scores)) == (scores, apart)
    engine.reset({})
    engine.restore(token)
    assert exact_scores(engine, moves) == scores


@pytest.mark.parametrize("criterion", [name for name, criterion in CRITERIA.items() if criterion.additive])
@law
@given(problems(), st.data())
def test_measures_of_blocks_add_up(criterion, case, data):
    criterion, model = CRITERIA[criterion], NaiveBayes(case.smoothing)
    for segment in make_segments(case):
        state = model.begin(segment.tables.start, segment.codes.n_rows)
        state = model.shift(state, 0, segment.tables.column(0), segment.codes.column(0), 0.0, 1.0)
        cut = data.draw(st.integers(0, segment.codes.n_rows))
        measures = [
            criterion.measure(
                model.predictions(state[:, rows]), segment.target[rows], segment.weights[rows], case.n_classes
            )
            for rows in (slice(None), slice(cut), slice(cut, None))
        ]
        assert measures[0] == tuple(a + b for a, b in zip(measures[1], measures[2], strict=True))


@engines_and_criteria
@law
@given(problems())
def test_a_constant_column_brings_nothing(engine, criterion, case):
    n_rows = len(case.labels)
    case = replace(case, columns=[*case.columns, [0] * n_rows], n_bins=[*case.n_bins, 1])
    engine = build(case, criterion, engine)
    constant = len(case.columns) - 1
    assert engine.score([add([constant])])[0] == engine.reset({})
    assert engine.reset({0: 1.0}) == engine.score([add([constant])])[0]
