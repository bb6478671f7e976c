"""Blocks of rows as tests want them: some compiled and some not, and every answer sent through a pickle."""

import pickle
from dataclasses import replace
from functools import partial

from bayesieve.data import MemoryBlocks
from bayesieve.search.engine.segments import scatter


class SentBlocks(MemoryBlocks):
    """Blocks that are args, and that answer, by pickles; every other one works in NumPy. They count what they sent."""

    def __init__(self, blocks, sent=None):
        super().__init__(blocks)
        self.sent = [] if sent is None else sent

    def map(self, task, *args):
        made = [task(block, *(_in_numpy(each) if k % 2 else each for each in args)) for k, block in enumerate(self)]
        return SentBlocks(made, self.sent)

    def hold(self):
        """Lose what blocks have made, as a worker that dies does."""
        return SentBlocks([pickle.loads(pickle.dumps(block)) for block in self], self.sent)

    def reduce(self, task, merge, *args):
        def answer(block):
            message = pickle.dumps(task(block, *pickle.loads(pickle.dumps(args))))
            self.sent.append(len(message))
            return pickle.loads(message)

        return super().reduce(answer, merge)

    def __iter__(self):
        return iter(self._blocks)


def send(segments, n_blocks):
    """Return segments cut into such blocks."""
    cut = scatter(segments, n_blocks)
    return replace(cut, blocks=SentBlocks(cut.blocks._blocks))


def _in_numpy(make):
    """Return what makes rows, args to use the reference backend."""
    if isinstance(make, partial):
        return partial(make.func, *(_in_numpy(each) for each in make.args))
    return "reference" if isinstance(make, str) and make == "auto" else make
