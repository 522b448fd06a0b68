"""Binary Gaussian process classification by EP as an estimator: dense, FIC or compact support."""

from __future__ import annotations

import numpy as np

from gpbench.errors import BadInput

from . import input_checks
from .base import Estimator
from .sklearn_compat import ClassifierMixin

EXAMPLES = """Examples
    --------
    >>> import numpy as np
    >>> from gpbench import SparseGPClassifier
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> model = SparseGPClassifier(random_state=0).fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    >>> model.predict([[-2.0], [2.0]]).tolist()
    ['no', 'yes']
    """


class SparseGPClassifier(ClassifierMixin, Estimator):
    """Gaussian process classification of two classes: method "ep" (dense), "ep-fic" or "ep-sparse" (pp kernels)."""

    __doc__ += "\n\n    " + Estimator.__doc__ + "\n    " + EXAMPLES
    _task = "classification"

    def fit(self, X, y=None):
        """Fit the model.

        Parameters
        ----------
        X : array (n, D), table or sparse matrix
            Inputs.
        y : array (n,)
            Classes, of any kind: numbers, text, booleans.

        Returns
        -------
        SparseGPClassifier
            The estimator itself.
        """
        self._fit(X, lambda n: self._signs(input_checks.column(y, n)))
        return self

    def _signs(self, y) -> np.ndarray:
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise BadInput(f"Input y contains NaN or infinity in row {int(np.argmin(np.isfinite(y)))}; drop the row")
        if y.dtype.kind == "f" and (y != np.round(y)).any():
            raise BadInput(f"Unknown label type: continuous targets such as {y[0]:g}; use SparseGPRegressor")
        if gaps := [i for i, value in enumerate(y) if input_checks.is_missing(value)] if y.dtype == object else []:
            raise BadInput(f"Input y contains a missing class in row {gaps[0]}; drop the row")
        try:
            classes = np.unique(y)
        except TypeError as e:
            kinds = " and ".join(sorted({type(value).__name__ for value in y}))
            raise BadInput(f"y: classes of several kinds ({kinds}); make all of them text, or all numbers") from e
        if len(classes) > 2:
            raise BadInput(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(classes)} classes; wrap the estimator in OneVsRestClassifier"
            )
        if len(classes) < 2:
            raise BadInput(f"y has one class only ({classes[0]}): a classifier needs rows of two classes")
        self.classes_ = classes
        return np.where(y == classes[1], 1.0, -1.0)

    def _targets(self, y):
        return self.classes_[(y > 0).astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Probabilities of the two classes, in the order of `classes_`.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.

        Returns
        -------
        array (t, classes)
            Each row sums to one.
        """
        p = self._predict(X).prob
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """Most probable class of each row.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.

        Returns
        -------
        array (t,)
            Classes.
        """
        p = self.predict_proba(X)[:, 1]
        return self.classes_[(p > 0.5).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
