"""A user's own adapter, and everything that can happen to one."""

import os
import time

import numpy as np

MODELS = ("ridge",)


class Ridge:
    def __init__(self, X, y, params):
        A = np.c_[X, np.ones(len(X))]
        self.w = np.linalg.solve(A.T @ A + params.get("penalty", 1e-6) * np.eye(A.shape[1]), A.T @ y)
        self.var = float(np.mean((y - A @ self.w) ** 2)) + 1e-9
        self.n_basis, self.log_evidence, self.notes = A.shape[1], -1.5, ["by hand"]

    def predict(self, X):
        return np.c_[X, np.ones(len(X))] @ self.w, np.full(len(X), self.var)


def fit(X, y, params):
    behaviour = "ok" if params.get("warm_up") else params.get("behaviour", "ok")
    print("chatter on standard output")
    if behaviour == "raise":
        raise ValueError("no such luck")
    if behaviour == "exit":
        os._exit(3)
    if behaviour == "hang":
        time.sleep(600)
    if behaviour == "hog":
        hoard = [np.ones(2**20) for _ in range(4000)]  # 32 GB
        return hoard
    return Ridge(X, y, params)
