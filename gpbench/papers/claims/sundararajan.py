"""[sundararajan] S01-S24. `measure` in a trace is the selection measure as the paper signs it: lower is better."""

from __future__ import annotations

import numpy as np

from gpbench.analysis.significance import holm, paired_t

from ..printed_numbers import ALGORITHMS, LOO, runs_of
from .evidence import Evidence, quarter
from .findings import Finding, Missing, at_most, between, both, conj, each, every, less, show, single, within
from .sundararajan_helpers import (
    ALL,
    FIRST,
    FRIEDMAN,
    LEFT,
    OPTIMISED,
    PATH,
    RIGHT,
    SIX,
    best,
    both_tables,
    change,
    difference,
    excellent,
    lowered,
    means,
    significant,
    time_ratio,
    worse_than_nlgpp,
)


def S01(e: Evidence) -> Finding:
    """On Friedman3 NLML, LOO-CVE, NLGPP and GPE have an interior minimum and rise afterwards; paths to all rows."""

    def rises(a):
        M = e.path("measure", "friedman3", a, **FIRST)
        rows = e.mean("n_train", "friedman3", a, **FIRST)
        if (whole := M[M.apply(lambda m: m.last_valid_index(), axis=1) == rows]).empty:
            raise Missing(f"paths of {a} to all {rows:.0f} rows")
        turned = [
            bool(np.argmin(m) < len(m) - 1 and m[-1] > m.min())
            for m in (r.dropna().to_numpy() for _, r in whole.iterrows())
        ]
        return bool(np.mean(turned) >= 0.9), f"{sum(turned)} of {len(turned)} runs"

    return every(each(("NLML", *LOO), rises))


def S02(e: Evidence) -> Finding:
    """NLPP need not have such a minimum: it never rises."""
    M = e.path("measure", "friedman3", "NLPP", **FIRST).to_numpy()
    rise = max(float(np.max(np.diff(row[~np.isnan(row)]) / np.abs(row[~np.isnan(row)][:-1]), initial=0)) for row in M)
    return single(at_most(rise, 1e-8, f"largest relative rise over {len(M)} runs"))


def S03(e: Evidence) -> Finding:
    """The best number of basis vectors moves only by about a tenth while hyperparameters are optimised."""

    def steady(a):
        d = e.path("d_opt", "friedman3", a, adapted=True, **FIRST)
        d = d.loc[:, d.columns >= 1]  # without the start
        if d.shape[1] < 2:
            raise Missing(f"two or more rounds of {a}")
        return at_most(float((d.std(axis=1, ddof=1) / d.mean(axis=1)).median()), 0.15)

    return every(each(("NLML", *LOO), steady))


def S03b(e: Evidence) -> Finding:
    """Among the three leave-one-out measures GPE keeps the most basis vectors."""

    def most(dataset):
        n = means(e, "n_basis", dataset, LEFT, LOO)
        return less(max(n["LOO-CVE"], n["NLGPP"]), n["GPE"], "max of the others < GPE:")

    return every(each(ALL, most))


def S04(e: Evidence) -> Finding:
    """The NLGPP training measure tracks the test NPDL, up to the measure's minimum: no larger model is chosen."""

    def tracks(dataset):
        test = e.curve("nlpd", dataset, "NLGPP", **PATH)
        M = e.path("measure", dataset, "NLGPP", **PATH).mean()
        test = test[test.index <= M.idxmin()]
        if len(test) < 5:
            raise Missing(f"five sizes up to the minimum at {M.idxmin():.0f} (there are {len(test)})")
        r = float(np.corrcoef(np.interp(test.index, M.index, M), test)[0, 1])
        return r >= 0.9, f"{r:.2f}"

    return every(each(ALL, tracks))


def S05(e: Evidence) -> Finding:
    """NLGPP selection yields the lowest NPDL curve in general."""

    def lowest(dataset):
        curves = dict(zip(ALGORITHMS, e.shared_curves("nlpd", dataset, ALGORITHMS, **PATH)))
        average = {a: c.mean() for a, c in curves.items()}
        return best(average) == "NLGPP", f"lowest {best(average)}, NLGPP {show(average['NLGPP'])}"

    return between(each(ALL, lowest), 6)


def S06(e: Evidence) -> Finding:
    """GPE stays near NLGPP in NPDL for the first basis vectors and is overtaken later."""

    def overtaken(dataset):
        g, n = (e.by_trial("nlpd", dataset, a, **PATH) for a in ("GPE", "NLGPP"))
        gap = (g - n).dropna(axis=0, how="all").dropna(axis=1)  # the trials and sizes that both have
        if len(gap) < 2 or gap.shape[1] < 3:
            raise Missing(f"two trials and three sizes of GPE and NLGPP on {dataset}")
        e.enough(len(gap), dataset, "Figure", "GPE and NLGPP share")
        k = gap.shape[1]
        first, last = gap.iloc[:, : max(1, k // 8)].mean(axis=1), gap.iloc[:, -max(1, k // 4) :].mean(axis=1)
        error = float(last.std(ddof=1) / np.sqrt(len(last)))
        ok = last.mean() > max(0, 2 * error, first.mean())
        return bool(ok), f"gap {show(first.mean())} then {show(last.mean())} (SE {show(error)})"

    return between(each(ALL, overtaken), 5)


def S07(e: Evidence) -> Finding:
    """NLGPP has inferior NMSE on Boston housing and Friedman2."""

    def inferior(dataset):
        curves = e.shared_curves("nmse", dataset, ALGORITHMS, **PATH)
        end = {a: c.iloc[-1] for a, c in zip(ALGORITHMS, curves)}
        mine = end.pop("NLGPP")
        return less(max(end.values()), mine, "others <")

    return every(each(("boston", "friedman2"), inferior))


def S08(e: Evidence) -> Finding:
    """NLML, NLPP and LOO-CVE progress alike in NMSE."""

    def alike(dataset):
        three = np.array(e.shared_curves("nmse", dataset, ("NLML", "NLPP", "LOO-CVE"), **PATH))
        return at_most(float((three.max(0) / three.min(0) - 1).mean()), 0.10)

    return every(each(ALL, alike))


def S09(e: Evidence) -> Finding:
    """NPDL of LOO-CVE begins with NLML/NLPP and moves towards GPE/NLGPP: its share of the way to NLGPP falls."""

    def moves(dataset):
        loo, ml, gpp = e.shared_curves("nlpd", dataset, ("LOO-CVE", "NLML", "NLGPP"), **PATH)
        shares = []
        for which in ("first", "last"):
            to_gpp, to_ml = (float(quarter((loo - other).abs(), which).mean()) for other in (gpp, ml))
            shares.append(to_gpp / (to_gpp + to_ml))
        return less(shares[1], shares[0], "share, last < first quarter:")

    return between(each(ALL, moves), 6)


def S10(e: Evidence) -> Finding:
    """GPE beats NLGPP in NMSE on Boston housing and Friedman2."""
    judge = lambda d: less(*means(e, "nmse", d, LEFT, ("GPE", "NLGPP")).values())  # noqa: E731
    return every(each(("boston", "friedman2"), judge))


def S11(e: Evidence) -> Finding:
    """Without cache NLGPP has the best mean NPDL on six data sets and the best mean NMSE only on Abalone."""

    def leads(d):
        winner = best(means(e, "nlpd", d, LEFT))
        return winner == "NLGPP", f"best {winner}"

    def leads_only_on_abalone(d):
        winner = best(means(e, "nmse", d, LEFT))
        return (winner == "NLGPP") == (d == "abalone"), f"best {winner}"

    return both(between(each(ALL, leads), 6, 6), every(each(ALL, leads_only_on_abalone)))


def S12(e: Evidence) -> Finding:
    """On five of those six the NPDL advantage is significant; more is not a contradiction."""
    return between(each(SIX, lambda d: worse_than_nlgpp(e, d, LEFT)), 5)


def S13(e: Evidence) -> Finding:
    """NMSE of NLML, NLPP, LOO-CVE and GPE is not significantly different on five data sets (Holm over the sets)."""
    p = {}

    def smallest(dataset):
        """The p of the rival that differs most from the best."""
        winner = best(means(e, "nmse", dataset, LEFT))
        rivals = [a for a in ALGORITHMS if a not in (winner, "NLGPP")]
        found = [difference(e, "nmse", dataset, a, winner, LEFT) for a in rivals]
        if (n := min(n for _, n in found)) < runs_of(dataset):
            raise Missing(f"the paper's {runs_of(dataset)} runs (there are {n})")
        p[dataset] = min(q for q, _ in found)
        return True, ""

    parts = each(ALL, smallest)
    adjusted = dict(zip(p, holm(list(p.values()))))
    judged = {d: (adjusted[d] >= 0.05, f"p {adjusted[d]:.2g}") if d in adjusted else parts[d] for d in ALL}
    return between(judged, 5)


def S14(e: Evidence) -> Finding:
    """LOO-CVE has better mean NPDL than NLML on Boston housing, Abalone, Friedman2 and bank32NH."""
    judge = lambda d: less(*means(e, "nlpd", d, LEFT, ("LOO-CVE", "NLML")).values())  # noqa: E731
    return every(each(("boston", "abalone", "friedman2", "bank32nh"), judge))


def S15(e: Evidence) -> Finding:
    """LOO-CVE uses fewer basis vectors than NLML on bank8FM, cpusmall and cpuact at similar performance."""

    def sparser(d):
        loo, ml = means(e, "nlpd", d, LEFT, ("LOO-CVE", "NLML")).values()
        fewer = less(*means(e, "n_basis", d, LEFT, ("LOO-CVE", "NLML")).values())
        return conj(fewer, at_most(abs(loo - ml), 0.01, "NPDL gap"))

    return every(each(("bank8fm", "cpusmall", "cpuact"), sparser))


def S16(e: Evidence) -> Finding:
    """With cache NLGPP has excellent NPDL everywhere, significantly so on six data sets or more."""
    return excellent(e)


def S17(e: Evidence) -> Finding:
    """The cache lowers the mean number of basis vectors; at most one rise is itself significant (Holm)."""
    pairs = [f"{d} {a}" for d in ALL for a in ALGORITHMS if a != "NLPP"]
    rise = {}

    def fewer(pair):
        d, a = pair.split()
        wide = both_tables(e, "n_basis", d, a, (RIGHT, LEFT))
        with_cache, without = wide[0], wide[1]
        p = paired_t(with_cache.to_numpy(), without.to_numpy()).p
        rise[pair] = p if with_cache.mean() > without.mean() and not np.isnan(p) else 1.0
        return less(with_cache.mean(), without.mean())

    parts = each(pairs, fewer)
    significant = [pair for pair, p in zip(rise, holm(list(rise.values()))) if p < 0.05]
    open_ = len(pairs) - len(rise)
    some = len(significant) > 1, f"significant rises: {', '.join(significant) or 'none'}"
    rises = Finding(False if some[0] else None if open_ else True, some[1])
    return both(between(parts, 24), rises)


def S18(e: Evidence) -> Finding:
    """Performance with and without cache is very similar."""

    def similar(pair):
        d, a = pair.split()
        (right, left), (nmse, nmse_left) = (change(e, m, d, a, (RIGHT, LEFT)) for m in ("nlpd", "nmse"))
        return conj(at_most(abs(right - left), 0.05, "NPDL gap"), within(nmse / nmse_left, 0.9, 1.1, "NMSE ratio"))

    return every(each([f"{d} {a}" for d in ALL for a in ALGORITHMS], similar))


def S19(e: Evidence) -> Finding:
    """Optimising hyperparameters improves all algorithms on Boston and Abalone apart from small NMSE changes there."""
    parts = {}
    for dataset, metric in (("boston", "nmse"), ("boston", "nlpd"), ("abalone", "nlpd")):
        tests = each(ALGORITHMS, lambda a: lowered(e, metric, dataset, a))  # noqa: B023  (used at once)
        p = {a: float(text) for a, (ok, text) in tests.items() if ok is not None}
        adjusted = dict(zip(p, holm(list(p.values()))))
        for a, part in tests.items():
            parts[f"{a} {dataset} {metric}"] = significant(adjusted[a], e, dataset, a) if a in adjusted else part
    return every(parts)


def S20(e: Evidence) -> Finding:
    """With optimised hyperparameters NLGPP still has excellent NPDL and, on Boston, much improved NMSE."""

    def rank(d):
        scores = means(e, "nlpd", d, OPTIMISED)
        place = sorted(scores.values()).index(scores["NLGPP"]) + 1
        return place <= 2, f"rank {place}"

    improved = each(["boston NMSE"], lambda _: less(*change(e, "nmse", "boston", "NLGPP")))
    return every(each(("boston", "abalone", "bank8fm", "cpusmall"), rank) | improved)


def S21(e: Evidence) -> Finding:
    """On Friedman2 and Friedman3 optimisation slightly degrades NLPP and NLML; NLML keeps fewer basis vectors."""

    def degrades(d):
        parts = [at_most(*reversed(change(e, m, d, a)), f"{a} {m}") for a in ("NLPP", "NLML") for m in ("nmse", "nlpd")]
        return conj(*parts, less(*change(e, "n_basis", d, "NLML"), "NLML basis"))

    return every(each(FRIEDMAN, degrades))


def S22(e: Evidence) -> Finding:
    """On Friedman2 and Friedman3 the leave-one-out algorithms improve with optimisation (NMSE)."""
    pairs = [f"{d} {a}" for d in FRIEDMAN for a in LOO]
    return every(each(pairs, lambda pair: less(*change(e, "nmse", *pair.split()))))


def S23(e: Evidence) -> Finding:
    """The leave-one-out algorithms need about two to three times the time of NLML (1.2 to 4 allowed), three sizes."""
    return time_ratio(e)


def S24(e: Evidence) -> Finding:
    """Selecting from a cached candidate costs O(n) instead of O(nm)."""
    growth = {}
    for kind in ("cached", "fresh"):
        t = e.fact(f"seconds_per_{kind}_candidate", "section 4")
        growth[kind] = float(np.interp(400, t.index, t) / np.interp(50, t.index, t))
    return single(conj(at_most(growth["cached"], 1.5, "cached"), at_most(4, growth["fresh"], "fresh")))
