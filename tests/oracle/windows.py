"""Indicators of one series by the definitions: SciPy's p-value of every window, then counting, one by one."""

import math
from fractions import Fraction

import numpy as np
from scipy import stats

TESTS = ("u_test", "ks_test", "f_test")


def p_values(first, second):
    """Return the p-values of the three tests; missing where a test has no answer."""
    if np.isnan(first).any() or np.isnan(second).any():
        return dict.fromkeys(TESTS, math.nan)
    return {
        "u_test": stats.mannwhitneyu(first, second, method="exact").pvalue,
        "ks_test": stats.ks_2samp(first, second, method="exact").pvalue,
        "f_test": f_test(first, second),
    }


def f_test(first, second):
    if len(first) < 2 or np.isnan([*first, *second]).any():
        return math.nan
    constant = [len(set(half.tolist())) == 1 for half in (first, second)]
    if any(constant):
        return math.nan if all(constant) else 0.0
    ratio = np.var(first, ddof=1) / np.var(second, ddof=1)
    law = stats.f(len(first) - 1, len(second) - 1)
    return 2 * min(law.cdf(ratio), law.sf(ratio))


def indicators(series, windows, jumps, levels, shares, series_levels):
    """Return a dict of 0 and 1 by name."""
    out = {}
    for w in windows:
        found = [p_values(series[s : s + w // 2], series[s + w // 2 : s + w]) for s in range(len(series) - w + 1)]
        for jump in jumps:
            for test in TESTS:
                for level in levels:
                    holds = [answer[test] <= level for answer in found[::jump]]
                    for way, is_confirmed in ways(holds, shares).items():
                        out[f"{test}[w={w}, jump={jump}{way}] <= {level:g}"] = int(is_confirmed)
    middle = len(series) // 2
    for level in series_levels:
        out[f"f_test[halves] <= {level:g}"] = int(f_test(series[:middle], series[middle:]) <= level)
    return out


def ways(holds, shares):
    m = len(holds)
    longest = run = 0
    for one in holds:
        run = run + 1 if one else 0
        longest = max(longest, run)
    out = {"": any(holds)}
    for share in shares:
        wanted = Fraction(str(share)) * m
        size = math.ceil(wanted)
        blocks = [holds[s : s + size] for s in range(m - size + 1)]
        out[f", ratio={share:g}"] = m > 0 and sum(holds) >= wanted
        out[f", run={share:g}"] = m > 0 and longest >= wanted
        out[f", block={share:g}"] = m > 0 and any(2 * sum(block) >= size for block in blocks)
    return out
