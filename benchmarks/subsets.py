# SPDX-License-Identifier: BSD-3-Clause
"""Compare selectors by how well others predict with the columns they chose: ``python -m benchmarks subsets``.

Open data sets and simulated tables, at most 2,000 training and 5,000 test rows; 3, 5, 10 and 20 columns. Judges are
boosted trees, logistic regression on bins, and a scorecard, fitted to the chosen columns alone. CatBoost and Boruta
choose among the 300 columns of largest mutual information, sequential selection among 40, with 1,000 rows.

Choices and losses are lines of two files, so that a run is resumed. The selectors of others, and boosted trees, need an
environment of their own with CatBoost, LightGBM, scikit-learn, Boruta, mrmr_selection and mlxtend; the command prints
how to make it.
"""

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.quality_exchange import Problem, rows_of
from benchmarks.quality_methods import script_of
from benchmarks.quality_page import with_tables
from benchmarks.quality_process import FitCutError, Task, run_apart
from benchmarks.quality_results import ResultsFile
from benchmarks.size_sets import SizeSet
from benchmarks.subsets_judges import JUDGES, TREES, judge, judge_version
from benchmarks.subsets_page import standings_table, subsets_picture, target_table
from benchmarks.subsets_results import SAVED_CHOSEN, SAVED_JUDGED, Chosen, Judged, Standings, key_of
from benchmarks.subsets_selectors import PEERS, SELECTORS, Selector, choose, orders
from benchmarks.subsets_sets import SIZES, SUBSET_SETS

__all__ = ["Comparison", "main"]

_SECONDS: Final = 20 * 60  # processor time of the selectors, or of a judge, of a set
_SCRIPT: Final = "subsets_peers_run.py"


def main(arguments: Sequence[str] | None = None) -> None:
    """Choose and judge what is missing in the files of results, and print the tables."""
    args = _parser().parse_args(arguments)
    comparison = Comparison(args.chosen, args.judged, again=args.again, seconds=args.seconds)
    if not args.tables_only:
        if not PEERS.exists:
            print(PEERS.recipe, flush=True)
        for split in range(args.splits):
            for name in args.sets:
                comparison.complete(SUBSET_SETS[name], split, [SELECTORS[each] for each in args.selectors])
    standings = comparison.standings()
    print("\n\n".join([standings_table(standings), target_table(standings)]))
    if args.page:
        comparison.tidy()
        page = with_tables(args.page.read_text(encoding="utf-8"), {"choices and judges": target_table(standings)})
        args.page.write_text(page, encoding="utf-8")
        args.page.with_name("subsets.svg").write_text(subsets_picture(standings), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks subsets", description=__doc__)
    add = parser.add_argument
    add("--chosen", type=Path, default=SAVED_CHOSEN, help="the file of choices (that of the page)")
    add("--judged", type=Path, default=SAVED_JUDGED, help="the file of losses (that of the page)")
    add("--sets", nargs="+", choices=list(SUBSET_SETS), default=list(SUBSET_SETS), metavar="SET", help="some sets")
    names = ", ".join(SELECTORS)
    add("--selectors", nargs="+", choices=list(SELECTORS), default=list(SELECTORS), metavar="SELECTOR", help=names)
    add("--splits", type=int, default=1, help="of each set (1)")
    add("--again", action="store_true", help="repeat what other versions of this library's source have done")
    add("--seconds", type=int, default=_SECONDS, help="processor seconds after which a process is cut")
    add("--tables-only", action="store_true", help="choose and judge nothing")
    add("--page", type=Path, help="write table and picture of research/subsets.md, and tidy the results")
    return parser


class Comparison:
    """Choices and losses of selectors, in two files.

    Parameters
    ----------
    chosen, judged : Path
    again : bool
        Whether results of other versions of this library's source are replaced.
    seconds : int
        Processor time after which a process is cut.
    """

    def __init__(self, chosen: Path, judged: Path, *, again: bool = False, seconds: int = _SECONDS) -> None:
        self._chosen, self._judged = ResultsFile(chosen, Chosen), ResultsFile(judged, Judged)
        self._again, self._seconds = again, seconds

    def standings(self) -> Standings:
        """Return what results come to, of the selectors that have any."""
        chosen = {key: line for key, line in self._chosen.read().items() if key[0] in SUBSET_SETS and line.subsets}
        present = {key[2] for key in chosen}
        return Standings(chosen, self._judged.read(), [name for name in SELECTORS if name in present])

    def tidy(self) -> None:
        """Leave out replaced lines, and order the others."""
        self._chosen.tidy()
        self._judged.tidy()

    def complete(self, data: SizeSet, split: int, selectors: Sequence[Selector]) -> None:
        """Choose and judge what is missing of a split."""
        rows = _Split(data, split)
        done = self._chosen.read()
        for is_ours in (True, False):
            missing = [each for each in selectors if each.is_ours == is_ours and self._lacks(done, rows, each)]
            if missing and (is_ours or PEERS.exists):
                self._choose(rows, missing)
        chosen = [line for key, line in self._chosen.read().items() if key[:2] == (data.name, split)]
        wanted = {key_of(subset) for line in chosen for subset in line.subsets.values()}
        for name in JUDGES:
            if name != TREES or PEERS.exists:
                self._judge(rows, name, wanted)

    def _lacks(self, done: dict[tuple[str, int, str], Chosen], rows: "_Split", selector: Selector) -> bool:
        old = done.get((rows.name, rows.split, selector.name))
        return old is None or (self._again and selector.is_ours and old.version != selector.version)

    def _choose(self, rows: "_Split", selectors: Sequence[Selector]) -> None:
        """Let selectors of one place choose; those that a limit of time has cut have a note."""
        sizes = [k for k in SIZES if k < rows.n_columns]
        task: Task = choose if selectors[0].is_ours else script_of(PEERS, _SCRIPT)
        settings = {"selectors": [each.name for each in selectors], "sizes": sizes, "most": max(sizes)}
        with rows.folder(settings) as folder:
            note = _note_of(task, folder, self._seconds)
            found = orders(folder, sizes)
        for each in selectors:
            own = found.get(each.name, {"note": note})
            self._chosen.append(Chosen(rows.name, rows.split, each.name, each.version, **own))
            print(f"{rows.name}, split {rows.split}, {each.name}: {own.get('note') or 'chosen'}", flush=True)
            if each.name not in found:
                break  # the next ones were not tried

    def _judge(self, rows: "_Split", name: str, wanted: Iterable[str]) -> None:
        """Judge the subsets that have no loss yet."""
        version, line = judge_version(name), self._judged.read().get((rows.name, rows.split, name))
        if line is None or (self._again and line.version != version):
            line = Judged(rows.name, rows.split, name, version, rows.entropy)
        missing = sorted(set(wanted) - set(line.losses))
        if not missing:
            return
        subsets = [[int(j) for j in each.split()] for each in missing]
        task: Task = script_of(PEERS, _SCRIPT) if name == TREES else judge
        with rows.folder({"judge": name, "subsets": subsets, "tested": rows.tested.tolist()}) as folder:
            note = _note_of(task, folder, self._seconds)
            losses = [] if note else json.loads((folder / "losses.json").read_text(encoding="utf-8"))
        print(f"{rows.name}, split {rows.split}, judge {name}: {note or f'{len(losses)} subsets'}", flush=True)
        if losses:
            self._judged.append(replace(line, losses={**line.losses, **dict(zip(missing, losses, strict=True))}))


class _Split:
    """Training and test rows of a set."""

    def __init__(self, data: SizeSet, split: int) -> None:
        self.name, self.split, self._data = data.name, split, data
        X, self._y = data.load()
        self._train, self._test = data.split(self._y, split)
        self._table, self.n_columns, self.tested = X, X.shape[1], self._y[self._test]

    @property
    def entropy(self) -> float:
        """The log loss of test rows of class frequencies of training rows."""
        shares = np.bincount(self._y[self._train]) / len(self._train)
        return float(-np.log(shares[self.tested]).mean())

    @contextmanager
    def folder(self, settings: dict[str, Any]) -> Iterator[Path]:
        """Give a folder with the rows and settings, for as long as it is used."""
        with tempfile.TemporaryDirectory() as name:
            train, test = (rows_of(self._table, part) for part in (self._train, self._test))
            Problem(train, self._y[self._train], test, settings).write(Path(name))
            yield Path(name)


def _note_of(task: Task, folder: Path, seconds: int) -> str:
    """Run a task, and return what went wrong."""
    try:
        run_apart(task, folder, seconds)
    except FitCutError as cut:
        return f"cut {cut}"
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1][:200]
    return ""
