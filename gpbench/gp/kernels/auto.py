"""`kernel: auto`: the kernel with the highest evidence, among CHOICES.

A full GP on the subset of rows that learns hyperparameters is fitted with each (experiment/evaluation/problem.py).
"""

from __future__ import annotations

from .ard_se import ArdSE
from .base import Kernel
from .matern import Matern12, Matern32, Matern52
from .rational_quadratic import RationalQuadratic

CHOICES = ("ard-se", "matern52", "matern32", "matern12", "rational-quadratic")


class Auto(Kernel):
    """The kernel by evidence: ard-se, a Matern kernel or rational-quadratic; ard-se where nothing is learned."""

    name = "auto"
    stands_on = (ArdSE, Matern52, Matern32, Matern12, RationalQuadratic)

    @classmethod
    def create(cls, X):
        return ArdSE.create(X)
