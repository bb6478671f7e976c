"""Runs a case and returns what was wrong: a foreign exception, a leaked warning, an unclear message, too much time."""

import signal
import time
import traceback
import warnings
from contextlib import contextmanager

from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from bayesieve.exceptions import BayesieveError, BayesieveWarning

# Of scikit-learn's protocol: transform without columns, a target with one column, folds and metric of a wrapper, and
# what a classifier of scikit-learn's warns of that is tuned on few rows.
EXPECTED = (
    "No features were selected",
    "A column-vector y was passed",
    "The least populated class in y has only",
    "No negative samples in y_true",
    "No positive samples in y_true",
    "Only one class is present in y_true",
    "Label not ",
    "R^2 score is not well-defined",
)
SECONDS = 20.0  # of processor time


class TooSlowError(BaseException):
    """A case took too long."""


class Outcome:
    """What became of a case: a word, its problems, and the processor time."""

    def __init__(self):
        self.word, self.problems, self.seconds = "passed", [], 0.0


@contextmanager
def watched():
    """Yield an outcome, to which problems may be added, and complete it."""
    outcome = Outcome()
    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield outcome
        except TooSlowError as error:
            outcome.problems.append(f"more than {SECONDS:.0f} s of processor time @ {where(error)}")
        except (BayesieveError, InvalidParameterError, NotFittedError) as error:
            outcome.word = "refused"
            _check_sentence(outcome, error)
        except Exception as error:
            outcome.word = "failed"
            outcome.problems.append(f"foreign {type(error).__name__}: {str(error)[:200]} @ {where(error)}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)
    outcome.seconds = time.process_time() - began
    if outcome.seconds > SECONDS and not outcome.problems:  # in a compiled loop, or swallowed on its way
        outcome.problems.append(f"{outcome.seconds:.0f} s of processor time")
    for each in caught:
        if not issubclass(each.category, BayesieveWarning) and not str(each.message).startswith(EXPECTED):
            place = "/".join(each.filename.split("/")[-2:])
            outcome.problems.append(
                f"leaked {each.category.__name__}: {str(each.message)[:100]} @ {place}:{each.lineno}"
            )


def where(error):
    """Return the line of ours, and the last one."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/bayesieve/" in frame.filename]
    places = [f"{'/'.join(frame.filename.split('/')[-2:])}:{frame.lineno}" for frame in (*ours[-1:], *frames[-1:])]
    return " <- ".join(dict.fromkeys(places))


def _check_sentence(outcome, error):
    text = str(error).strip()
    if not text or "\n" in text or len(text) > 600:
        outcome.problems.append(f"unclear {type(error).__name__}: {text[:300]!r} @ {where(error)}")


def _too_slow(*_):
    raise TooSlowError
