# SPDX-License-Identifier: BSD-3-Clause
"""Which move next, and when to stop."""

from bayesieve.search.alternating import Alternating
from bayesieve.search.answers import BestMove, GroupsChosen, PairsFound, Pass, StackWeights
from bayesieve.search.averaging import Averaging
from bayesieve.search.backward import backward, backward_steps
from bayesieve.search.base import Search, run_search
from bayesieve.search.beam import beam
from bayesieve.search.checkpoint import Checkpoint, fingerprint
from bayesieve.search.fast_forward_backward import fast_forward_backward, n_starts
from bayesieve.search.floating import floating
from bayesieve.search.forward import forward, forward_steps
from bayesieve.search.fractional import FractionalWeights, fractional_weights
from bayesieve.search.gains import Exclusion, Gains
from bayesieve.search.observer import Observer
from bayesieve.search.path import Guide, Phase, SelectionPath, Step, Visit
from bayesieve.search.penalized import (
    PenalizedSearch,
    WeightedSubset,
    column_penalties,
    informative_share,
    newton_gains,
)
from bayesieve.search.progress_log import log_progress
from bayesieve.search.run import SearchRun, StopSearch, before_result
from bayesieve.search.search_state import SearchState
from bayesieve.search.space import FeatureGroup, SearchSpace
from bayesieve.search.stage_times import StageTimes, stage, stage_times
from bayesieve.search.stopping import Stopping
from bayesieve.search.weight_prior import WeightPrior

__all__ = [
    "SEARCHES",
    "Averaging",
    "BestMove",
    "Checkpoint",
    "Exclusion",
    "FeatureGroup",
    "FractionalWeights",
    "Gains",
    "GroupsChosen",
    "Guide",
    "Observer",
    "PairsFound",
    "Pass",
    "PenalizedSearch",
    "Phase",
    "Search",
    "SearchRun",
    "SearchSpace",
    "SearchState",
    "SelectionPath",
    "StackWeights",
    "StageTimes",
    "Step",
    "StopSearch",
    "Stopping",
    "Visit",
    "WeightPrior",
    "WeightedSubset",
    "before_result",
    "column_penalties",
    "fingerprint",
    "fractional_weights",
    "informative_share",
    "log_progress",
    "newton_gains",
    "run_search",
    "stage",
    "stage_times",
]

SEARCHES: dict[str, Search] = {
    "forward": Search(forward, n_steps=forward_steps),
    "backward": Search(backward, starts_full=True, n_steps=backward_steps),
    "forward-backward": Search(Alternating(forward, backward)),
    "backward-forward": Search(Alternating(backward, forward), starts_full=True),
    "floating": Search(floating),
    "beam": Search(beam),
    "fast-forward-backward": Search(fast_forward_backward, n_starts=n_starts),
}
