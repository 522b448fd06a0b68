"""Gaussian process classification as an estimator: two classes by EP, more by Dirichlet regression."""

from __future__ import annotations

import numpy as np

from gpbench import catalog
from gpbench.data.labels import numbered, sorted_labels
from gpbench.errors import BadInput, DataError, GpbenchError
from gpbench.metrics import class_numbers, each_class

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
    """Gaussian process classification of two or more classes, with labels of any kind.

    Two classes: method "ep" (dense), "ep-fic" or "ep-sparse" (pp kernels). Any number: "dirichlet", "one-vs-rest".
    """

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
        self._fit(X, lambda n: self._numbers(input_checks.column(y, n)))
        return self

    def _numbers(self, y) -> np.ndarray:
        if y.dtype.kind == "f" and np.isfinite(y).all() and (y != np.round(y)).any():
            raise BadInput(f"Unknown label type: continuous targets such as {y[0]:g}; use SparseGPRegressor")
        try:
            self.classes_ = sorted_labels(y)
        except DataError as e:
            raise BadInput(f"Input y {e}") from e
        return numbered(y, self.classes_)

    def _targets(self, y):
        return self.classes_[class_numbers(y, len(self.classes_))]

    def predict_proba(self, X) -> np.ndarray:
        """Probabilities of the classes, in the order of `classes_`.

        Parameters
        ----------
        X : array (t, D), table or sparse matrix
            Inputs.

        Returns
        -------
        array (t, classes)
            Each row sums to one.
        """
        return each_class(self._predict(X).prob)

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
        likely = self.predict_proba(X).argmax(1)
        return self.classes_[likely]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.method == "auto" or self._takes_many()
        return tags

    def _takes_many(self) -> bool:
        try:
            return catalog.find("method", self.method).many_classes
        except GpbenchError:  # told by `fit`
            return True
