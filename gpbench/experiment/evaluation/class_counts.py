"""Counts of class predictions that a report draws: the confusion matrix, and the bins of a reliability diagram."""

from __future__ import annotations

import numpy as np

from gpbench import metrics
from gpbench.methods.base import Prediction

from .trial_data import TrialData

MOST = 30  # classes of a confusion matrix that a page can show
NOTE = "classes: "


def counts(data: TrialData, prediction: Prediction) -> dict:
    """For the trace `bin_rows`, `bin_prob`, `bin_right` of metrics.reliability, and `confusion`, true classes first."""
    if prediction.prob is None:
        return {}
    bins = zip(("bin_rows", "bin_prob", "bin_right"), metrics.reliability(data.y_test, prediction.prob))
    found = {key: values.tolist() for key, values in bins}
    p = metrics.each_class(prediction.prob)
    if (K := p.shape[1]) <= MOST:
        at = metrics.class_numbers(data.y_test, K) * K + p.argmax(1)
        found["classes"] = K
        found["confusion"] = np.bincount(at, minlength=K * K).astype(float).tolist()
    return found


def named(data: TrialData) -> list[str]:
    """A note of the labels in the order of their numbers; the report reads it."""
    labels = data.dataset.labels
    return [f"{NOTE}{' | '.join(map(str, labels))}"] if labels else []
