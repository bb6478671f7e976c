"""What every engine owes: the reference engine's choices, and its scores to the last bit.

In a batch of moves the best two are exact, and no other is put above them; a move asked alone is the best of its batch.

A new engine is tested by its entry in ``ENGINES``, a new criterion or search by its entry in theirs, a new model by its
entry in ``MODELS``. Naive Bayes meets every criterion, another model those that it names.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from cases import exact_scores, make_segments, of_two_classes, plain_case, random_case
from draws import draws

from bayesieve.models import NaiveBayes, Votes, read_votes
from bayesieve.search import SEARCHES, FeatureGroup, SearchSpace, SearchState, Stopping, run_search
from bayesieve.search.candidates import best_two
from bayesieve.search.criteria import CRITERIA
from bayesieve.search.engine import ENGINES, Change, ReferenceEngine, add, drop


def _votes(votes, **changes):
    """Return votes as a model for a case, which they take with two classes only."""
    return lambda case: (of_two_classes(case), Votes(read_votes(votes), **changes))


MODELS = {
    "naive bayes": (lambda case: (case, NaiveBayes(case.smoothing)), CRITERIA),
    "any": (_votes("any"), ["error_probability", "log_loss"]),
    "all": (_votes("all", balanced=True), ["log_loss"]),
    "2 of k": (_votes(2, smoothing=1e-9), ["auc"]),
    "majority": (_votes("majority"), ["error_probability", "brier"]),
}


def _meetings(*models, reference=True):
    """Return engine, model and criterion; the reference engine need only meet itself for naive Bayes, if at all."""
    return pytest.mark.parametrize(
        ("engine", "model", "criterion"),
        [
            (engine, model, criterion)
            for engine in ENGINES
            for model in models
            for criterion in MODELS[model][1]
            if engine != "reference" or (reference and model == "naive bayes")
        ],
    )


judged = _meetings(*MODELS)
compared = _meetings(*MODELS, reference=False)
searched = _meetings("naive bayes", "any", reference=False)
searches = pytest.mark.parametrize("search", SEARCHES)


def make_engine(case, model, engine, criterion):
    """Return the engine under test."""
    case, made = MODELS[model][0](case)
    return ENGINES[engine](make_segments(case, made), made, CRITERIA[criterion])


def make_pair(case, model, engine, criterion):
    """Return the engine under test and the reference engine, on segments of their own; those have a code a row."""
    return [make_engine(case, model, engine, criterion), make_reference(case, model, criterion)]


def make_reference(case, model, criterion):
    case, made = MODELS[model][0](replace(case, sparse=0))
    return ReferenceEngine(make_segments(case, made), made, CRITERIA[criterion])


def assert_same_state(tested, reference, moves):
    assert_same_scores(tested, moves, tuple(reference.segment_scores), reference.score(moves))


def assert_same_scores(tested, moves, segment_scores, expected):
    assert tuple(tested.segment_scores) == segment_scores
    found = tested.score(moves)
    assert found.dtype == np.float64
    for last in (False, True):
        best_and_second = best_two(expected, last=last)
        assert best_two(found, last=last) == best_and_second
        assert all(found[k] == expected[k] for k in best_and_second if k is not None)
    assert exact_scores(tested, moves) == expected.tolist()


def stands(n_columns):
    """Yield all moves at each stand, and the one that is made: add every column, then drop every other one."""
    inside = set()
    for j in [*range(n_columns), *range(0, n_columns, 2)]:
        moves = [drop([k]) if k in inside else add([k]) for k in range(n_columns)]
        yield moves, moves[j]
        inside ^= {j}
    yield [add([0])], ()


@cache
def reference_walk(case, model, criterion):
    """Return what the reference engine has at each stand: it walks once for all engines."""
    reference = make_reference(case, model, criterion)
    here, walk = reference.reset({}), []
    for moves, made in stands(len(case.columns)):
        scores = tuple(reference.segment_scores), reference.score(moves)
        walk.append((*scores, reference.apply(made)))
    return here, walk


def walk_along(tested, here, walk, n_columns):
    """Compare the scores of all moves at each stand."""
    assert tested.reset({}) == here
    for (moves, made), (segment_scores, expected, after) in zip(stands(n_columns), walk, strict=True):
        assert_same_scores(tested, moves, segment_scores, expected)
        assert tested.apply(made) == after


def walk_of(case, model, engine, criterion, sparse=0):
    """Walk with an engine; ``sparse`` columns have the scores of those with a code a row."""
    tested = make_engine(replace(case, sparse=sparse), model, engine, criterion)
    walk_along(tested, *reference_walk(case, model, criterion), len(case.columns))


def complement(column):
    return [1 - code for code in column]


def one_row_apart(column, row=0):
    return [1 - code if i == row else code for i, code in enumerate(column)]


def tied_case():
    """Return duplicates, complements and near duplicates of one column."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 40).tolist()
    column = [c ^ int(flip) for c, flip in zip(labels, rng.random(40) < 0.3, strict=True)]
    near = [one_row_apart(column, row) for row in (0, 1, 39)]
    return plain_case([column, complement(column), *near, column, complement(near[0])], labels)


def heavy_case():
    """Return likelihood ratios near 2^40, of both signs, and the same with a light row against a heavy one."""
    labels = [0, 0, 1, 1, 2, 2]
    columns = [[0, 0, 1, 1, 2, 2], [1, 1, 2, 2, 0, 0], [0, 1, 0, 1, 0, 1], [2, 2, 1, 1, 0, 0]]
    return plain_case(columns, labels, smoothing=2.0**-40, units=[2**31 - 1, 1, 1, 2**31 - 1, 2**20, 1])


def surprising_case():
    """Return ratios near 2^55 under weights near 2^31: sums of products beyond what float32 holds."""
    labels = [0] * 20 + [1] * 20
    columns = [labels, complement(labels), one_row_apart(labels), one_row_apart(complement(labels), 39)]
    return plain_case(columns, labels, smoothing=2.0**-24, units=[2**31 - 1] * 40)


def many_codes_case():
    """Return columns of 255 to 65,535 parts, the last code *unseen* in some rows."""
    rng = np.random.default_rng(1)
    n_bins = [255, 256, 65_535]
    columns = [np.append(rng.integers(0, parts + 1, 298), [0, parts]).tolist() for parts in n_bins]
    labels = [column % 3 for column in columns[2][:-1]] + [2]
    return plain_case(columns, labels, n_bins=n_bins, n_classes=3)


def unequal_weights_case():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 60).tolist()
    columns = [[c if rng.random() < 0.6 else int(rng.integers(3)) for c in labels] for _ in range(5)]
    units = [2**31 - 1, *(2 ** rng.integers(0, 31, 58)).tolist(), 0]
    return plain_case(columns, labels, units=units, unit=2.0**-31)


def folds_case():
    rng = np.random.default_rng(3)
    rows = list(range(60))
    labels = [*rng.integers(0, 4, 59).tolist(), 4]  # the last class is in one fold only
    columns = [[c % 3 if rng.random() < 0.5 else int(rng.integers(4)) for c in labels] for _ in range(6)]
    folds = [([i for i in rows if i % 3 != k], [i for i in rows if i % 3 == k]) for k in range(3)]
    return plain_case(columns, labels, folds=folds, own_parts=True)


CONSTRUCTED = {
    "ties and near ties": tied_case(),
    "likelihood ratios of 2^40": heavy_case(),
    "ratios of 2^55 under weights of 2^31": surprising_case(),
    "one row": plain_case([[0], [1]], [0]),
    "one row, the second class": plain_case([[0], [1]], [1]),
    "no information": plain_case([[0] * 6, [1] * 6, [0, 1] * 3], [0, 0, 1, 1, 2, 2]),
    "65,535 codes": many_codes_case(),
    "weights from 0 to 2^31": unequal_weights_case(),
    "folds": folds_case(),
}


@compared
@pytest.mark.parametrize("case", CONSTRUCTED.values(), ids=CONSTRUCTED.keys())
def test_constructed_cases_have_the_reference_bits(model, engine, criterion, case):
    walk_of(case, model, engine, criterion)


@cache
def drawn(seed):
    return random_case(np.random.default_rng([5, seed]), n_rows=int([1, 7, 50, 300][seed % 4]))


@compared
@pytest.mark.parametrize("seed", range(draws(4, 40)))
def test_random_cases_have_the_reference_bits(model, engine, criterion, seed):
    walk_of(drawn(seed), model, engine, criterion)


@compared
@pytest.mark.parametrize("turn", range(draws(3, len(CONSTRUCTED))))
def test_sparse_columns_have_the_bits_of_a_code_a_row(model, engine, criterion, turn):
    # Every criterion meets some of the cases, and every case some criteria; all of them by `make nightly`.
    place = list(CRITERIA).index(criterion) + draws(3, 1) * turn
    walk_of(list(CONSTRUCTED.values())[place % len(CONSTRUCTED)], model, engine, criterion, sparse=1)


@cache
def drawn_sparse(seed):
    return random_case(np.random.default_rng([11, seed]), n_rows=int([3, 40, 700][seed % 3]), sparse=1 + seed % 2)


@compared
@pytest.mark.parametrize("seed", range(draws(3, 30)))
def test_sparse_columns_beside_others_have_the_reference_bits(model, engine, criterion, seed):
    case = drawn_sparse(seed)
    tested, reference = make_pair(case, model, engine, criterion)
    walk_along(tested, *reference_walk(case, model, criterion), len(case.columns))
    everything = dict.fromkeys(range(len(case.columns)), 0.5)
    assert tested.reset(everything) == reference.reset(everything)
    assert_same_state(tested, reference, [(), *((Change(j, 0.5, 1.0),) for j in everything)])


@judged
def test_hundreds_of_identical_columns(model, engine, criterion):
    """Evidence grows to hundreds of nats a class: probabilities reach 0 and 1, and scores still agree."""
    column = [0, 0, 0, 1, 1, 1, 1, 0, 1]
    most = 400 if model == "naive bayes" else 40  # others build their state again for each removal
    case = plain_case([column] * most, [0, 0, 0, 0, 1, 1, 1, 1, 1])
    tested, reference = make_pair(case, model, engine, criterion)
    for n in (1, 10, most // 4, most - 1):
        assert tested.reset(dict.fromkeys(range(n), 1.0)) == reference.reset(dict.fromkeys(range(n), 1.0))
        assert_same_state(tested, reference, [add([most - 1]), drop([0]), drop(range(n))])


@judged
def test_groups_and_fractions(model, engine, criterion):
    case = random_case(np.random.default_rng(6), n_columns=5, n_rows=40)
    tested, reference = make_pair(case, model, engine, criterion)
    state = {0: 0.5, 2: 1.0, 4: 0.3}
    assert tested.reset(state) == reference.reset(state)
    moves = [
        (Change(0, 0.5, 1.0), Change(2, 1.0, 0.0), Change(3, 0.0, 0.25)),
        (Change(4, 0.3, 0.0),),
        add([1, 3]),
        (),
    ]
    assert_same_state(tested, reference, moves)
    for move in moves[:2]:
        assert tested.apply(move) == reference.apply(move)


@judged
def test_score_foretells_apply_and_leaves_no_trace(model, engine, criterion):
    case = folds_case()
    tested = make_engine(case, model, engine, criterion)
    here = tested.reset({1: 1.0})
    moves = [add([0]), drop([1]), add([2, 3])]
    foretold = exact_scores(tested, moves)
    assert tested.score(moves).max() == max(foretold)
    token = tested.snapshot()
    for move, score in zip(moves, foretold, strict=True):
        assert tested.apply(move) == score
        tested.restore(token)
        assert tested.apply(()) == here


@judged
def test_no_moves_have_no_scores(model, engine, criterion):
    tested = make_engine(tied_case(), model, engine, criterion)
    assert tested.score([]).shape == (0,)


def search_path(engine, case, criterion, search, stopping):
    units = tuple(FeatureGroup(f"c{j}", (j,)) for j in range(len(case.columns)))
    start = tuple(range(len(units))) if SEARCHES[search].starts_full else ()
    space = SearchSpace(units, tuple(unit.name for unit in units), start)
    return run_search(SEARCHES[search], SearchState(engine, space), stopping, CRITERIA[criterion])


SEARCHED = [tied_case(), folds_case(), unequal_weights_case()]


@cache
def search_paths(model, engine, criterion, search, place):
    """Return what a search finds in a case, and what it chooses, by two rules of stopping."""
    case = SEARCHED[place]
    n_columns, found = len(case.columns), []
    for stopping in (Stopping(0, n_columns), Stopping(n_columns // 2, n_columns // 2, forced=True)):
        tested = make_engine(case, model, engine, criterion)
        path = search_path(tested, case, criterion, search, stopping)
        found.append((path, path.choose(stopping)))
    return found


@searched
@searches
@pytest.mark.parametrize("turn", range(draws(1, 3)))
def test_searches_choose_alike(model, engine, criterion, search, turn):
    # Every search and every criterion meets every case, their pairs one of them.
    place = (list(SEARCHES).index(search) + list(CRITERIA).index(criterion) + turn) % 3
    found, expected = (search_paths(model, each, criterion, search, place) for each in (engine, "reference"))
    assert found == expected
