"""Attack the library: ``python -m hostile [--minutes M | --count N] [--part PART] [--first SEED]``.

A case is its part and its number; ``--part tables --first 4965 --count 1`` runs that one again and prints it.
"""

import argparse
import faulthandler
import secrets
import sys
import time
from collections import Counter

from hostile.parts import PARTS


def main():
    """Run cases of all parts in turn until the time is over, and print what was wrong."""
    options = _arguments()
    faulthandler.enable()
    first = secrets.randbelow(10**9) if options.first is None else options.first
    print(f"first case {first}", flush=True)
    tally, findings, slowest, counts = Counter(), [], (0.0, ""), Counter()
    deadline = time.monotonic() + 60 * options.minutes if options.count is None else float("inf")
    shares = {part: 0.0 for part in options.part or PARTS}
    while time.monotonic() < deadline and any(counts[part] < (options.count or 1e18) for part in shares):
        part = min(shares, key=shares.get)
        seed, began = first + counts[part], time.monotonic()
        text, outcome = PARTS[part](seed)
        shares[part] += time.monotonic() - began
        counts[part] += 1
        if options.count is not None and counts[part] >= options.count:
            shares[part] = float("inf")
        tally[part, outcome.word] += 1
        slowest = max(slowest, (outcome.seconds, f"{part} {seed}"))
        if options.count == 1:
            print(f"{text}: {outcome.word}, {outcome.seconds:.1f} s")
        for problem in dict.fromkeys(outcome.problems):
            findings.append(problem)
            line = f"{part} {seed}: {problem} | {text}"
            print(line.encode("utf-8", "replace").decode()[:600], flush=True)
    for (part, word), n in sorted(tally.items()):
        print(f"{part:9} {word:9} {n}")
    cases = ", ".join(f"{counts[part]} {part}" for part in counts)
    print(f"{cases}; slowest {slowest[0]:.1f} s of processor time ({slowest[1]}); {len(findings)} findings")
    sys.exit(bool(findings))


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m hostile", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--count", type=int, help="cases of each part, instead of a time")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--first", type=int, help="number of the first case; default: a random one")
    return parser.parse_args()


if __name__ == "__main__":
    main()
