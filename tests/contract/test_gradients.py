"""What every place of rows owes to weights and to boosting: the gradient sums of the reference, to the last bit.

A new place is tested by its entry in ``PLACES``, a new loss of boosting by its entry in ``BOOSTERS``.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from blocks import send
from cases import make_segments, random_case
from contract.test_engines import CONSTRUCTED
from draws import draws, meetings
from search.engine.test_boosting import additions, courses_of, sound_case

from bayesieve._native import available
from bayesieve.models import BOOSTERS, Boosting
from bayesieve.search.engine import BoostEngine, MemorySegments, TrainTestSplit, add, make_weighing
from bayesieve.search.engine.gradients.block_gradients import BlockGradients
from bayesieve.search.engine.gradients.losses import LogLikelihood
from bayesieve.search.engine.gradients.newton import gradient_scale, weight_of
from bayesieve.search.engine.gradients.row_gradients import RowState
from bayesieve.search.engine.gradients.weights import DescentWeighing
from bayesieve.search.engine.segments import scatter

# Where rows are, and what computes there.
PLACES = {
    "reference": (MemorySegments, "reference"),
    "blocks": (lambda segments: scatter(segments, 3), "reference"),
    "many blocks": (lambda segments: scatter(segments, 9), "auto"),
    "blocks that are sent": (lambda segments: send(segments, 2), "auto"),
}
if available():
    PLACES["compiled"] = (MemorySegments, "auto")
    PLACES["compiled blocks"] = (lambda segments: scatter(segments, 4), "auto")

SMALL = 2.0**-6  # scores of all cases times this are below 1

places = pytest.mark.parametrize("place", [place for place in PLACES if place != "reference"])
all_places = pytest.mark.parametrize("place", PLACES)
methods = pytest.mark.parametrize("method", BOOSTERS)
constructed = pytest.mark.parametrize("case", CONSTRUCTED.values(), ids=CONSTRUCTED.keys())


def rows_of(segments, unit, place):
    """Return rows with the log-likelihood as loss."""
    cut, backend = PLACES[place]
    blocks = cut(segments)
    return BlockGradients(blocks, LogLikelihood(unit, weight_of(blocks.masses, unit)), backend, 2)


def random_state(rng, case, start):
    weights = np.round(rng.uniform(0, 1.5, len(case.columns)) * 2**20) / 2**20
    inside = rng.random(len(case.columns)) < 0.6
    shifted = start + rng.integers(-(2**41), 2**41, len(start))
    return RowState(shifted, {j: float(weights[j]) for j in np.flatnonzero(inside).tolist()})


def bits(array):
    """Return the bits of an array; lists of 65,535 parts take long to make."""
    return array.dtype, array.shape, array.tobytes()


def answers(rows, n_columns):
    """Return all numbers that rows give in their present state."""
    columns = np.arange(n_columns, dtype=np.int32)
    sums = [rows.totals(), rows.gradients(columns), rows.totals(), rows.losses()]
    factors = np.full(n_columns, SMALL)
    return [bits(each) for each in (*sums, rows.products(columns, factors), rows.products(columns[:1], factors[:1]))]


def assert_same_rows(tested, reference, case, rng, n_states=4):
    n_columns, start = len(case.columns), reference.state.start
    for _ in range(n_states):
        state = random_state(rng, case, start)
        tested.state = reference.state = state
        assert answers(tested, n_columns) == answers(reference, n_columns)
        j = int(rng.integers(n_columns))
        for weight in (0.25, 0.0, 1.0):
            tested.change(j, weight)
            reference.change(j, weight)
            one = np.array([j], dtype=np.int32)
            assert bits(tested.gradients(one)) == bits(reference.gradients(one))
    assert tested.gradients(np.empty(0, dtype=np.int32)).shape[0] == 0 or n_columns == 0


@places
@constructed
def test_gradients_of_constructed_cases_have_the_reference_bits(place, case):
    segments = make_segments(case)
    reference = rows_of(make_segments(replace(case, sparse=0)), case.unit, "reference")
    n_states = 1 if max(case.n_bins) > 1000 else 4
    rng = np.random.default_rng(0)
    assert_same_rows(rows_of(segments, case.unit, place), reference, case, rng, n_states)


@places
@pytest.mark.parametrize("part", range(4))
def test_gradients_of_random_cases_have_the_reference_bits(place, part):
    for seed in range(25 * part, 25 * part + draws(3, 25)):
        rng = np.random.default_rng([seed, 81])
        case = random_case(rng, sparse=seed % 3)
        reference = rows_of(make_segments(replace(case, sparse=0)), case.unit, "reference")
        assert_same_rows(rows_of(make_segments(case), case.unit, place), reference, case, rng, 2)


@all_places
def test_gradients_are_the_sums_of_a_loop_over_rows(place):
    for seed in range(20):
        rng = np.random.default_rng([seed, 82])
        case = random_case(rng)
        segments = make_segments(case)
        rows = rows_of(segments, case.unit, place)
        rows.state = state = random_state(rng, case, rows.state.start)
        total = weight_of([segment.mass for segment in segments], case.unit)
        scale = gradient_scale(total)
        j = int(rng.integers(len(case.columns)))
        sums = rows.gradients(np.array([j], dtype=np.int32)) / scale
        expected = np.concatenate([loop_over_rows(segment, state, j, case.unit) for segment in segments])
        np.testing.assert_allclose(sums, expected, rtol=1e-6, atol=1e-9 * (1.0 + total))


def loop_over_rows(segment, state, column, unit):
    """Return residuals and their variances, added up row by row."""
    n_classes = segment.n_classes
    channels = [1] if n_classes == 2 else list(range(n_classes))
    sums = np.zeros((len(segment.tables.column(column)), len(channels), 2))
    for i in range(segment.codes.n_rows):
        evidence = state.start * 2.0**-40
        for j, weight in state.contributions.items():
            evidence = evidence + weight * segment.tables.column(j)[segment.codes.column(j)[i]] * 2.0**-40
        p = np.exp(evidence - evidence.max())
        p = p / p.sum()
        for k, c in enumerate(channels):
            row = np.array([(segment.target[i] == c) - p[c], p[c] * (1.0 - p[c])])
            sums[segment.codes.column(column)[i], k] += row * segment.weights[i] * unit
    return sums


@all_places
def test_products_are_the_sums_of_a_loop_over_rows(place):
    for seed in range(20):
        rng = np.random.default_rng([seed, 85])
        case = random_case(rng)
        segments = make_segments(case)
        rows = rows_of(segments, case.unit, place)
        rows.state = state = random_state(rng, case, rows.state.start)
        pair = rng.integers(0, len(case.columns), 2).astype(np.int32)
        total = weight_of([segment.mass for segment in segments], case.unit)
        products = rows.products(pair, np.full(2, SMALL)) / gradient_scale(total)
        expected = sum(products_of_rows(segment, state, pair.tolist(), case.unit) for segment in segments)
        np.testing.assert_allclose(products, expected, rtol=1e-3, atol=1e-3 * total)
        np.testing.assert_array_equal(products, products.T)


def products_of_rows(segment, state, pair, unit):
    """Return minus the second derivatives in the start and two weights, row by row: the covariance of class scores."""
    n_classes = segment.n_classes
    sums = 0.0
    for i in range(segment.codes.n_rows):
        evidence = state.start * 2.0**-40
        for j, weight in state.contributions.items():
            evidence = evidence + weight * segment.tables.column(j)[segment.codes.column(j)[i]] * 2.0**-40
        p = np.exp(evidence - evidence.max())
        p = p / p.sum()
        scores = np.array([segment.tables.column(j)[segment.codes.column(j)[i]] for j in pair]) * 2.0**-40 * SMALL
        starts = np.eye(n_classes)[1:] if n_classes == 2 else np.eye(n_classes)
        x = np.vstack([starts, scores])
        covariance = (x * p) @ x.T - np.outer(x @ p, x @ p)
        sums = sums + covariance * segment.weights[i] * unit
    return sums


@all_places
def test_states_do_not_depend_on_the_way_to_them(place):
    for seed in range(15):
        rng = np.random.default_rng([seed, 83])
        case = random_case(rng, sparse=seed % 2)
        walked, direct = (rows_of(make_segments(case), case.unit, place) for _ in range(2))
        state = random_state(rng, case, walked.state.start)
        answers(walked, len(case.columns))
        for j in rng.permutation(len(case.columns)).tolist():  # another weight first, then the right one
            walked.change(j, 1.0)
            walked.gradients(np.array([j], dtype=np.int32))
            walked.change(j, state.contributions.get(j, 0.0))
        walked.state = RowState(state.start, walked.state.contributions)
        direct.state = state
        assert walked.state.moves_to(state) == []
        assert answers(walked, len(case.columns)) == answers(direct, len(case.columns))


@all_places
def test_one_question_answers_as_many_do(place):
    rng = np.random.default_rng(84)
    case = random_case(rng, n_columns=6, n_rows=35)
    together, apart = (rows_of(make_segments(case), case.unit, place) for _ in range(2))
    order = [4, 1, 5, 0, 3, 2]
    for j in order[:4]:
        apart.gradients(np.array([j], dtype=np.int32))
    both = [rows.gradients(np.array(order, dtype=np.int32)).tolist() for rows in (together, apart)]
    assert both[0] == both[1]


def weighings(segments, unit):
    """Return the descents of weights wherever they are, the reference first; the compiled one stands alone."""
    made = {"reference": DescentWeighing(MemorySegments(segments), unit, "reference", most_ahead=1)}
    made |= {
        place: DescentWeighing(cut(segments), unit, backend, 2)
        for place, (cut, backend) in PLACES.items()
        if place != "reference"
    }
    return {**made, "descent of the core": make_weighing(segments, unit, "auto", 2)}


def fitted(weighing, columns, penalties, start, weights):
    """Return every bit of a descent from a state."""
    weighing.reset(start, weights)
    first = [each.tolist() for each in weighing.slopes(columns)]
    rounds = weighing.descend(columns, penalties, 1e-3, 15)
    last = [each.tolist() for each in weighing.slopes(columns)]
    return [*first, rounds, weighing.start.tolist(), weighing.weights.tolist(), *last, weighing.scores(), weighing.mass]


def assert_same_descents(case, rng):
    segments = make_segments(case)
    n_columns = len(case.columns)
    columns = rng.permutation(n_columns).astype(np.int32)
    penalties = rng.choice([0.0, 0.1, 2.0], n_columns)
    start = segments[0].tables.start + rng.integers(-(2**38), 2**38, case.n_classes)
    weights = np.round(rng.choice([0.0, 0.5, 1.3], n_columns) * 2**20) / 2**20
    made = weighings(segments, case.unit)
    expected = fitted(made.pop("reference"), columns, penalties, start, weights)
    for place, weighing in made.items():
        assert fitted(weighing, columns, penalties, start, weights) == expected, place


@pytest.mark.parametrize("name", [name for name in CONSTRUCTED if name != "65,535 codes"])
def test_descents_of_constructed_cases_have_the_reference_bits(name):
    assert_same_descents(CONSTRUCTED[name], np.random.default_rng(1))
    assert_same_descents(replace(CONSTRUCTED[name], sparse=1), np.random.default_rng(2))


@pytest.mark.parametrize("part", range(5))
def test_descents_of_random_cases_have_the_reference_bits(part):
    for seed in range(6 * part, 6 * part + draws(3, 6)):
        rng = np.random.default_rng([seed, 85])
        assert_same_descents(random_case(rng, n_rows=int([1, 7, 35][seed % 3]), sparse=seed % 2), rng)


def boosted(case, model, place):
    """Return boosting on the rows of a case in some place; a segment's train rows are cut like its test rows."""
    cut, backend = PLACES[place]
    splits = []
    for split in courses_of(case, model):
        train = cut(split.train.local)
        splits.append(TrainTestSplit(train, train if split.test is split.train else cut(split.test.local)))
    return BoostEngine(splits, model, case.unit, backend, 2)


def plain_state(engine):
    """Return every bit of the rounds and of the rows' scores."""
    rounds = [(one.column, one.alphas, [table.tolist() for table in one.tables]) for one in engine.rounds]
    return rounds, [one.scores.tolist() for one in engine.beliefs], engine.segment_scores


def assert_same_boosting(case, model, rng):
    """Have boosting choose column after column, the same wherever its rows are."""
    reference = boosted(replace(case, sparse=0), model, "reference")
    tested = {place: boosted(case, model, place) for place in PLACES if place != "reference"}
    left = rng.permutation(len(case.columns)).tolist()
    while left:
        scores = reference.score(additions(left)).tolist()
        tokens = {place: engine.snapshot() for place, engine in tested.items()}
        for place, engine in tested.items():
            assert engine.score(additions(left)).tolist() == scores, place
        j = left.pop(int(np.argmax(scores)))
        reached = reference.apply(add([j]))
        assert reached == max(scores)
        for place, engine in tested.items():
            assert engine.apply(add([j])) == reached, place
            engine.restore(pickle.loads(pickle.dumps(tokens[place])))
            assert engine.apply(add([j])) == reached, place
            assert plain_state(engine) == plain_state(reference), place


@pytest.mark.slow
@methods
def test_boosting_of_random_cases_has_the_reference_bits(method):
    # Each method meets two kinds of tables, and all kinds meet some methods.
    place = list(BOOSTERS).index(method)
    for seed in draws((place, place + 1), range(12)):
        rng = np.random.default_rng([seed, 86])
        case = sound_case(rng, n_rows=int([6, 20, 35][seed % 3]), sparse=seed % 3)
        model = Boosting(
            method, shrinkage=[1.0, 0.3][seed % 2], pseudo_count=[1.0, 0.5][seed % 2], replace=seed % 3 == 0
        )
        assert_same_boosting(case, model, rng)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "name"), meetings(BOOSTERS, ["ties and near ties", "ratios of 2^55 under weights of 2^31"])
)
def test_boosting_of_constructed_cases_has_the_reference_bits(method, name):
    assert_same_boosting(CONSTRUCTED[name], Boosting(method, replace=True), np.random.default_rng(3))
