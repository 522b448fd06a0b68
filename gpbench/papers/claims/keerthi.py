"""[keerthi] K01-K15. The paper's NLPD follows the latent variance (`nlpd_latent`) where a folder has it."""

from __future__ import annotations

from gpbench.analysis.significance import rank_sum

from .evidence import Evidence, slope
from .findings import Finding, Missing, at_most, between, both, conj, each, every, less, single, within

FOUR = ("bank8fm", "bank32nh", "cpusmall", "cpuact")
THREE = ("calhouse", "house8l", "house16h")
GREEDY = ("KAPPA", "DMAX", "SB")
ADAPTED = ("FIXED-SB", "ADAPT-INFO", "ADAPT-DMAX")
FIXED = {"adapted": False}


def medians(e: Evidence, metric: str, *methods: str) -> list:
    """Median over trials by d_max on KIN40K, at the sizes the methods share."""
    return e.shared_curves(metric, "kin40k", methods, stat="median", points=2, **FIXED)


def nlpd(e: Evidence, dataset: str) -> str:
    """Which NLPD column the folders have."""
    return "nlpd_latent" if e.rows.loc[e.rows["dataset"] == dataset, "nlpd_latent"].notna().any() else "nlpd"


def sizes(curve, low=0.0, high=float("inf")) -> list[float]:
    found = [d for d in curve.index if low <= d <= high]
    if not found:
        raise Missing(f"d_max between {low:g} and {high:g} on kin40k")
    return found


def K01(e: Evidence) -> Finding:
    """INFO has much worse NMSE than KAPPA, DMAX and SB below d_max 600."""
    info, *greedy = medians(e, "nmse", "INFO", *GREEDY)
    return every(each(sizes(info, high=599), lambda d: at_most(1.2 * max(g[d] for g in greedy), info[d])))


def K02(e: Evidence) -> Finding:
    """Near d_max 100 INFO is worse than random choice."""
    rand, info = e.shared_curves("nmse", "kin40k", ("RAND", "INFO"), stat="median", points=1, d_max=100, **FIXED)
    return single(less(rand[100], info[100]))


def K03(e: Evidence) -> Finding:
    """DMAX is always better than KAPPA."""
    dmax, kappa = medians(e, "nmse", "DMAX", "KAPPA")
    return every(each(sizes(dmax, low=60), lambda d: less(dmax[d], kappa[d])))


def K04(e: Evidence) -> Finding:
    """DMAX is slightly better than SB below d_max 200."""
    dmax, sb = medians(e, "nmse", "DMAX", "SB")
    return every(each(sizes(dmax, high=199), lambda d: at_most(dmax[d], sb[d])))


def K05(e: Evidence) -> Finding:
    """SB is in general slightly better than KAPPA."""
    sb, kappa = medians(e, "nmse", "SB", "KAPPA")
    parts = each(sb.index, lambda d: at_most(sb[d], kappa[d]))
    return between(parts, -(-3 * len(parts) // 4))


def K06(e: Evidence) -> Finding:
    """INFO has poor NLPD everywhere, worse than random choice."""
    info, rand = medians(e, nlpd(e, "kin40k"), "INFO", "RAND")
    return every(each(info.index, lambda d: less(rand[d], info[d])))


def K07(e: Evidence) -> Finding:
    """NLPD of KAPPA, DMAX and SB is close."""
    info, *greedy = medians(e, nlpd(e, "kin40k"), "INFO", *GREEDY)

    def close(d):
        three = [g[d] for g in greedy]
        return at_most(max(three) - min(three), 0.25 * (info[d] - min(three)))

    return every(each(info.index, close))


def times(e: Evidence, *methods: str) -> list:
    return medians(e, "fit_seconds", *methods)


def K08(e: Evidence) -> Finding:
    """Training time of RAND, INFO and SB grows like d_max squared."""

    def square(method):
        (t,) = times(e, method)
        return within(slope(t.loc[sizes(t, 400, 1200)]), 1.7, 2.3)

    return every(each(("RAND", "INFO", "SB"), square))


def K09(e: Evidence) -> Finding:
    """INFO is nearly as fast as RAND."""
    info, rand = times(e, "INFO", "RAND")
    return single(at_most((info / rand)[sizes(info, 1200, 1200)[0]], 1.3))


def K10(e: Evidence) -> Finding:
    """SB is about 60 times slower than INFO."""
    sb, info = times(e, "SB", "INFO")
    return every(each(sizes(sb, low=600), lambda d: within(sb[d] / info[d], 30, 90)))


def K11(e: Evidence) -> Finding:
    """Time of KAPPA approaches that of INFO."""
    kappa, info = times(e, "KAPPA", "INFO")
    ratio = kappa / info
    end = at_most(ratio[sizes(ratio, 1200, 1200)[0]], 1.5, "at 1200")
    falling = bool((ratio.diff().dropna() < 0).all()), "ratios " + " ".join(f"{r:.2f}" for r in ratio)
    return single(conj(falling, end))


def K12(e: Evidence) -> Finding:
    """DMAX costs about three times INFO asymptotically, with a parallel curve."""
    dmax, info = times(e, "DMAX", "INFO")
    large = sizes(dmax, low=800)
    parallel = at_most(abs(slope(dmax.loc[large]) - slope(info.loc[large])), 0.2, "slope difference")
    return both(every(each(large, lambda d: within(dmax[d] / info[d], 2, 4))), single(parallel))


def K13a(e: Evidence) -> Finding:
    """On the four sets with 4500 training points NMSE of the three methods is comparable."""

    def comparable(dataset):
        means = e.shared_means("nmse", dataset, ADAPTED, item="Table", d_max=500).values()
        return at_most(max(means) / min(means), 1.04)

    return every(each(FOUR, comparable))


def better(e: Evidence, metric: str, dataset: str, others: tuple[str, ...]):
    """ADAPT-DMAX has the lower mean, rank sum p < .01, against each of the others, on the trials that both have."""
    parts = []
    for other in others:
        wide = e.shared(metric, dataset, ("ADAPT-DMAX", other), item="Table", d_max=500)
        x, y = wide["ADAPT-DMAX"], wide[other]
        p = rank_sum(x.to_numpy(), y.to_numpy()).p
        parts.append((bool(p < 0.01 and x.mean() < y.mean()), f"{metric} {x.mean():.4g} vs {y.mean():.4g}, p {p:.2g}"))
    return conj(*parts)


def K13b(e: Evidence) -> Finding:
    """ADAPT-DMAX has significantly better NLPD on three of these four."""
    three = ("bank8fm", "cpusmall", "cpuact")
    return every(each(three, lambda d: better(e, nlpd(e, d), d, ("FIXED-SB", "ADAPT-INFO"))))


def K13c(e: Evidence) -> Finding:
    """On the three larger sets ADAPT-DMAX is significantly better than ADAPT-INFO in NMSE and NLPD."""
    judge = lambda d: conj(*(better(e, m, d, ("ADAPT-INFO",)) for m in ("nmse", nlpd(e, d))))  # noqa: E731
    return every(each(THREE, judge))


def K14(e: Evidence) -> Finding:
    """Outaouais blind test: NMSE 0.014 and NLPD -1.037."""
    raise Missing("the held-back targets of the challenge, which nobody has")


def K15(e: Evidence) -> Finding:
    """Scoring costs: SB O(nd), matching pursuit O(n), INFO O(1) per candidate."""

    def exponent(method, column="step"):
        if column == "n":
            return slope(e.final_by("n_train", "seconds_per_candidate", "kin40k", method, "section 3"))
        return slope(e.path("seconds_per_candidate", "kin40k", method, "section 3").median())

    return every(
        each(["SB over d"], lambda _: within(exponent("SB"), 0.8, 1.2))
        | each(["KAPPA over d"], lambda _: at_most(exponent("KAPPA"), 0.2))
        | each(["INFO over d"], lambda _: at_most(exponent("INFO"), 0.2))
        | each(["INFO over n"], lambda _: at_most(exponent("INFO", "n"), 0.2))
    )
