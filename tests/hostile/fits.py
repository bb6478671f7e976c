"""One case: a hostile table given to an estimator, which must fit it or refuse it in one sentence."""

from hostile.answers import check_answers
from hostile.damage import rng_of
from hostile.functions import FUNCTIONS
from hostile.registry import ESTIMATORS
from hostile.tables import CannotBeMadeError, choose, make_table
from hostile.watched import Outcome, watched


def try_table(seed, mild=None):
    """Return the text and the outcome of a case; half of the cases are mild, one of ten is not an estimator's."""
    rng = rng_of(seed)
    is_function = rng.random() < 0.1
    name, attack = choose(rng, {name: call for name, call in FUNCTIONS.items() if call} if is_function else ESTIMATORS)
    try:
        table = make_table(rng, mild=rng.random() < 0.5 if mild is None else mild)
    except CannotBeMadeError:
        outcome = Outcome()
        outcome.word = "not made"
        return name, outcome
    if is_function:
        with watched() as outcome:
            attack(rng, table)
        return f"{name} | {table.text}", outcome
    model = attack(rng)
    metadata = {} if table.weights is None or name == "IndicatorGrid" else {"sample_weight": table.weights}
    if name == "BenefitClassifier" and (model.amount is not None or rng.random() < 0.3):
        metadata["amounts"] = rng.choice([0, 1.0, 5.0, 1e300], table.n_rows)
    with watched() as outcome:
        model.fit(table.X, table.y, **metadata)
        outcome.word = "fitted"
        check_answers(outcome.problems, model, table, metadata, rng)
    return f"{parameters(model)} | {table.text}", outcome


def parameters(model):
    """Return the estimator and its parameters as one line."""
    changed = " ".join(str(model).split())
    return changed.encode("utf-8", "replace").decode()
