# SPDX-License-Identifier: BSD-3-Clause
"""Which move next, and when to stop."""

from bayesieve.search.answers import BestMove, GroupsChosen, PairsFound, Pass, StackWeights
from bayesieve.search.averaging import Averaging
from bayesieve.search.beam import beam
from bayesieve.search.checkpoint import Checkpoint, fingerprint
from bayesieve.search.forward_backward import Alternating, fast_forward_backward, n_starts
from bayesieve.search.fractional import FractionalWeights, WeightPrior, fractional_weights
from bayesieve.search.greedy import backward, backward_steps, floating, forward, forward_steps
from bayesieve.search.path import Exclusion, Gains, Guide, KeptShare, Phase, SelectionPath, Step, Visit
from bayesieve.search.penalized import (
    PenalizedSearch,
    WeightedSubset,
    column_penalties,
    informative_share,
    newton_gains,
)
from bayesieve.search.progress import StageTimes, log_progress, stage, stage_times
from bayesieve.search.run import Observer, SearchRun, StopSearch, before_result
from bayesieve.search.search_state import Search, SearchState, run_search
from bayesieve.search.space import FeatureGroup, SearchSpace, Stopping

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
    "KeptShare",
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
