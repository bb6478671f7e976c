# SPDX-License-Identifier: BSD-3-Clause
"""Change one operator or constant at a time, and list the changes that no test notices.

``python tools/mutants.py src/bayesieve/search --sample 100 --seed 0 -- tests/search tests/oracle/test_search.py``

Tests are collected once. A first process records which lines of the module each test runs and how long it takes; then
each change is made in a process of its own, in the code of the functions that are already imported, and the fastest
tests that run the line are tried until one fails. Changes outside of functions are not made.

A seed orders changes by a hash of their file, source line and text: lines that move, or changes that come and go, leave
the rest of a sample as it was. ``--only solve.py:208`` tries the changes alone whose address and text contain this.

A change that no test can notice has its reason in ``tools/survivors.toml``, by file, source line and text; others end
the tool with 1.
"""

import argparse
import ast
import copy
import gc
import hashlib
import os
import pickle
import resource
import sys
import time
import tomllib
from pathlib import Path
from types import CodeType, FunctionType

import pytest

_SECONDS = 4.0  # of tests per change
_REASONS = Path(__file__).with_name("survivors.toml")
_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_COMPARISONS |= {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
_OPERATORS |= {
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.Mod: ast.Mult,
}


def _changed(node):
    """Yield copies of a node with one change each."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        yield ast.Compare(node.left, [_COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Continue | ast.Break):
        yield ast.Pass()


def mutants_of(path):
    """Return the changes of a file: line, text before and after, and the changed tree."""
    tree = ast.parse(path.read_text())
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for s in f.body for n in ast.walk(s)}
    nodes = [(i, node) for i, node in enumerate(ast.walk(tree)) if id(node) in inside]
    for i, node in nodes:
        for k, other in enumerate(_changed(node)):
            yield path, i, k, node.lineno, f"{ast.unparse(node)} -> {ast.unparse(other)}"


def _address(path, _i, _k, line, text):
    return f"{path}:{line}: {text}"


def in_order(mutants, seed):
    """Return changes in the order of a seed, which depends on nothing but each change and equal ones before it."""
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in {path for path, *_ in mutants}}
    times, keys = {}, {}
    for each in mutants:
        path, _, _, line, text = each
        content = f"{seed} {path.as_posix()} {lines[path][line - 1].strip()} | {text}"
        times[content] = times.get(content, 0) + 1
        keys[each] = hashlib.blake2b(f"{content} {times[content]}".encode()).digest()
    return sorted(mutants, key=keys.get)


def changed_code(path, i, k):
    """Return the compiled file with one change."""
    tree = copy.deepcopy(ast.parse(path.read_text()))
    target = list(ast.walk(tree))[i]
    other = ast.copy_location(list(_changed(target))[k], target)
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, name, other)
            elif isinstance(value, list) and any(each is target for each in value):
                setattr(parent, name, [other if each is target else each for each in value])
    return compile(ast.fix_missing_locations(tree), str(path.resolve()), "exec")


def _functions(code):
    """Return the code of functions and methods by qualified name."""
    found = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= {each.co_qualname: each} if "<" not in each.co_qualname else {}
            found |= _functions(each) if "<" not in each.co_qualname else {}
    return found


def make(path, i, k):
    """Make a change in the functions that are loaded."""
    fresh, place = _functions(changed_code(path, i, k)), str(path.resolve())
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == place:
            code = fresh.get(each.__code__.co_qualname)
            if code is not None and code.co_freevars == each.__code__.co_freevars:
                each.__code__ = code


def _in_child(work, seconds):
    """Return what a function returns in a process of its own; None if that ended otherwise."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1), os.dup2(silent, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        try:
            answer = pickle.dumps(work())
        except BaseException:
            os._exit(1)
        with os.fdopen(write, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


class Plugin:
    """Runs the tests in its own way."""

    def __init__(self, options):
        self.options = options
        given = Path(options.module)
        self.files = sorted(given.rglob("*.py")) if given.is_dir() else [given]

    def pytest_runtestloop(self, session):
        """Record, sample, change, list."""
        items = session.items
        reached = _in_child(lambda: self._record(items), 3600)
        if reached is None or isinstance(reached, str):
            pytest.exit(f"the tests fail without any change: {reached or 'their process ended'}", returncode=1)
        mutants = in_order([each for path in self.files for each in mutants_of(path)], self.options.seed)
        n_all, killed, explained, open_ones = len(mutants), 0, 0, 0
        only, chosen = self.options.only, mutants[: self.options.sample]
        if only:
            chosen = [each for each in mutants if any(part in _address(*each) for part in only)]
        reasons = tomllib.loads(_REASONS.read_text(encoding="utf-8"))
        for path, i, k, line, text in chosen:
            tests = sorted(reached.get((str(path.resolve()), line), []))
            if tests and self._noticed(items, tests, lambda path=path, i=i, k=k: make(path, i, k)):
                killed += 1
                continue
            source = path.read_text(encoding="utf-8").splitlines()[line - 1].strip()
            reason = reasons.get(path.as_posix(), {}).get(f"{source} | {text}", "")
            explained, open_ones = explained + bool(reason), open_ones + (not reason)
            print("survives" if tests else "not reached", _address(path, i, k, line, text), reason, flush=True)
        print(
            f"{n_all} changes, {len(chosen)} tried: {killed} noticed, {explained} explained, "
            f"{open_ones} survive or are in lines that these tests do not run"
        )
        session.testsfailed = open_ones
        return True

    def _record(self, items):
        """Return (seconds, position) of the tests of each line; what a test that fails says."""
        files, reached, lines = {str(path.resolve()) for path in self.files}, {}, set()

        def of_line(frame, event, _):
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            return of_line

        for position, item in enumerate(items):
            lines.clear()
            began = time.process_time()
            sys.settrace(lambda frame, *_: of_line(frame, *_) if frame.f_code.co_filename in files else None)
            reports = self._run(item)
            sys.settrace(None)
            for report in reports:
                if report.failed:
                    return f"{item.nodeid}\n{report.longreprtext}"
            for each in lines:
                reached.setdefault(each, []).append((round(time.process_time() - began, 4), position))
        return reached

    def _run(self, item):
        """Return the reports of a test, run as pytest does: its marks choose which warnings are errors."""
        self.reports = []
        item.session._setupstate.teardown_exact(None)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.reports

    def pytest_runtest_logreport(self, report):
        """Keep a report."""
        self.reports.append(report)

    def _noticed(self, items, tests, change):
        chosen, seconds = [], 0.0
        for cost, position in tests:
            if not chosen or seconds + cost < _SECONDS:
                chosen.append(items[position])
                seconds += cost

        def attempt():
            change()
            return any(report.failed for item in chosen for report in self._run(item))

        noticed = _in_child(attempt, 10 * _SECONDS)
        return noticed is None or noticed  # an endless loop or the end of the process is noticed, too


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", help="part of file:line: text")
    options = parser.parse_args()
    arguments = ["-q", "-n", "0", "-s", "-p", "no:cacheprovider", *options.tests]
    sys.exit(pytest.main(arguments, plugins=[Plugin(options)]))


if __name__ == "__main__":
    main()
