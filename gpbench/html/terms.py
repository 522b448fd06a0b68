"""What the words of the pages mean: shown on hover where a heading uses one, and listed at the end of each page."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

TERMS = {
    "NMSE": "normalised mean squared error: the mean squared error divided by the variance of the target; lower is "
    "better, 1 is no better than the mean",
    "SMSE": "standardised mean squared error: the mean squared error divided by the variance of the test targets",
    "NLPD": "negative log predictive density, the mean over the test points with natural logarithms; lower is better; "
    "it also judges the predicted variance",
    "NPDL": "negative predictive density loss, as [sundararajan] prints it: NLPD with the noise included",
    "SNLP": "NLPD minus that of a Gaussian with the mean and variance of the training targets; lower is better",
    "NLPP": "negative log predictive probability of leave-one-out predictions, a criterion that selects basis vectors",
    "GPE": "leave-one-out predictive error of the Gaussian process, a criterion that selects basis vectors",
    "CVE": "leave-one-out squared error (cross validation error), a criterion that selects basis vectors",
    "NLML": "negative log marginal likelihood (evidence)",
    "RMSE": "root of the mean squared error, in the unit of the target",
    "MAE": "mean absolute error, in the unit of the target",
    "CRPS": "continuous ranked probability score, in the unit of the target; lower is better",
    "coverage": "share of the test targets inside the predicted 95 % intervals; 0.95 is right",
    "error": "share of misclassified test points",
    "d_max": "the number of basis vectors that a method may use",
    "# BV": "the number of basis vectors that a method has used",
    "n": "the number of training rows",
    "stands for": "the printed tables and figures that a folder reproduces",
    "stand-in": "a simulated data set in place of one that cannot be obtained; its numbers are never compared",
    "d": "ours − printed, in the printed unit",
    "SE": "standard error of the difference between our mean and the printed mean",
    "margin": "the difference that is called small, fixed before any result was seen",
    "runs": "our repetitions / the repetitions of the paper",
    "mean rank": "the rank of a method (1 is best) averaged over the data sets",
    "critical difference": "two mean ranks that differ by less cannot be told apart (Nemenyi test, level 0.05)",
    "few": "fewer than six repetitions: the test depends on the assumption of normal differences",
    "replicated": "the difference is neither larger than the margin nor than the noise",
    "close": "the difference is beyond the noise, and small",
    "inconclusive": "the noise is larger than the margin: more repetitions are needed, or the print is too noisy",
    "better": "ours is lower than printed by more than margin and noise",
    "worse": "ours is higher than printed by more than margin and noise",
    "different": "ours and the printed number differ by more than margin and noise; neither is the better one",
}
_WORDS = {**{k: k for k in TERMS}, "NMSE x 1e-2": "NMSE", "n train": "n"}
_TERM = re.compile(r"\s*(?P<term>.*?)\s*(\([^)]*\)|, s|, in .*)?")


def explained(text: str) -> Markup:
    """A heading; where it is a term, with the term's meaning on hover."""
    found = _TERM.fullmatch(str(text))
    meaning = TERMS.get(_WORDS.get(found["term"], "")) if found else None
    return Markup('<abbr title="{}">{}</abbr>').format(meaning, text) if meaning else escape(text)
