# SPDX-License-Identifier: BSD-3-Clause
"""Compute the scorecard's rows of the papers' kept results again: ``python tools/paper_scorecards.py 000 004``.

The other rows do not depend on the scorecard, and take hours. Finished jobs are kept in ``build/papers``, so that an
interrupted run resumes; delete that folder after a change of the scorecard. Then ``make papers`` writes the pages.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from bayesieve.papers.bibliography import PAPERS
from bayesieve.papers.papers import EXPERIMENTS
from bayesieve.papers.saved_result import count_parts, dump_result, plain_result

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "papers" / "results"
WORD = "scorecard"  # in the names of its jobs, and of its parts of a summary
OPTIONS = ("seeds", "people", "repeats", "sets", "cv", "sizes", "series")


def run_scorecards(number: str, folder: Path) -> dict[str, Any]:
    """Return the kept result of a paper with the scorecard's parts of the present source."""
    experiment = EXPERIMENTS[number](dict.fromkeys(OPTIONS), quick=False)
    folder.mkdir(parents=True, exist_ok=True)
    journal = experiment.journal(folder)
    journal.open()
    jobs = [job for job in experiment.jobs if isinstance(job, tuple) and WORD in job[0]]
    for job in jobs:
        if job not in journal:
            journal.add(experiment.run(job, n_threads=1))
            print(number, *job, flush=True)
    kept = json.loads((RESULTS / f"{number}.json").read_text(encoding="utf-8"))
    return with_scorecards(kept, experiment.summarize(journal.records(jobs)), count_parts(jobs, journal.__contains__))


def with_scorecards(kept: dict[str, Any], summary: dict[str, Any], parts: dict[str, list[int]]) -> dict[str, Any]:
    """Return a kept result whose parts about the scorecard are those of another summary."""
    others, own = (
        {name: value for name, value in each.items() if (WORD in name) == is_own}
        for each, is_own in ((kept["summary"], False), (summary, True))
    )
    parts = {name: counts for name, counts in kept["parts"].items() if WORD not in name} | parts
    return plain_result(kept["paper"], kept["command"], parts, others | own)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", nargs="*", help="numbers of papers; default: all")
    for number in parser.parse_args().papers or PAPERS:
        result = run_scorecards(number, ROOT / "build" / "papers" / number)
        (RESULTS / f"{number}.json").write_text(dump_result(result), encoding="utf-8")
