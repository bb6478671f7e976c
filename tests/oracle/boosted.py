"""Boosted selection in plain Python: Table 2 of paper 000 line by line, and the steps of the other methods."""

from math import exp, inf, log, sqrt


def confidence_hypothesis(codes, n_bins, signs, w, n):
    """Train one naive Bayes on one column by the distribution w: P(b|c) = (W_bc + a) / (W_c + a B), a = 1/n."""
    a = 1.0 / n
    prior = {c: sum(wi for wi, y in zip(w, signs, strict=True) if y == c) for c in (-1, 1)}
    h = []
    for b in range(n_bins):
        likelihood = {}
        for c in (-1, 1):
            cell = sum(wi for wi, y, code in zip(w, signs, codes, strict=True) if y == c and code == b)
            likelihood[c] = (cell + a) / (prior[c] + a * n_bins)
        s = prior[1] * likelihood[1] / (prior[1] * likelihood[1] + prior[-1] * likelihood[-1])
        h.append(2 * s - 1)
    return [h[code] for code in codes]


def table_2(columns, n_bins, signs, copies, n_rounds):
    """Return the chosen columns, their r and their alphas; each row counts ``copies`` times.

    Corrected: w_t(i) for w_i(i), the normalizer sums over i, |r| chooses, r is kept from 1, chosen columns stay out,
    the first of equals is taken.
    """
    n = sum(copies)
    w = [m / n for m in copies]
    chosen, rs, alphas = [], [], []
    for _ in range(n_rounds):
        best, best_r, best_h = None, -inf, None
        for j, codes in enumerate(columns):
            if j in chosen:
                continue
            h = confidence_hypothesis(codes, n_bins[j], signs, w, n)
            r = sum(wi * y * hi for wi, y, hi in zip(w, signs, h, strict=True))
            if best is None or abs(r) > abs(best_r) + 1e-11:
                best, best_r, best_h = j, r, h
        r = max(-n / (n + 1), min(n / (n + 1), best_r))
        alpha = 0.5 * log((1 + r) / (1 - r))
        w = [wi * exp(-alpha * y * hi) for wi, y, hi in zip(w, signs, best_h, strict=True)]
        total = sum(w)
        w = [wi / total for wi in w]
        chosen.append(best)
        rs.append(r)
        alphas.append(alpha)
    return chosen, rs, alphas


def domain_partition(codes, signs, w):
    """Return Z = 2 sum_b sqrt(W+ W-), with w a distribution."""
    parts = {}
    for code, y, wi in zip(codes, signs, w, strict=True):
        parts.setdefault(code, {-1: 0.0, 1: 0.0})[y] += wi
    return 2 * sum(sqrt(part[1] * part[-1]) for part in parts.values())
