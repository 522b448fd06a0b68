"""pumadyn-32nm re-drawn: forward dynamics of a Puma 560 arm, recovered from the published rows (R2 .97, noise left).

Inputs in DELVE's order: six angles, six velocities, five torques and fifteen factors dm, da, db. Friction is off, so
the viscous factors db do nothing; dm scale mass and inertia, da the link lengths, of links 1-5.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from gpbench.data.source import Generated

from .kin40k_sim import ALPHA, H
from .kin40k_sim import A as LENGTH
from .kin40k_sim import D as OFFSET

MASS = np.array([0, 17.4, 4.8, 0.82, 0.34, 0.09])
CENTRE = np.array(
    [[0, 0, 0], [-0.3638, 0.006, 0.2275], [-0.0203, -0.0141, 0.07], [0, 0.019, 0], [0, 0, 0], [0, 0, 0.032]]
)
INERTIA = np.array(  # diagonal, about the centre of mass
    [[0, 0.35, 0], [0.13, 0.524, 0.539], [0.066, 0.086, 0.0125], [1.8e-3, 1.3e-3, 1.8e-3],
     [0.3e-3, 0.4e-3, 0.3e-3], [0.15e-3, 0.15e-3, 0.04e-3]]
)  # fmt: skip
GEAR = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686])
MOTOR = np.repeat([200e-6, 33e-6], 3) * GEAR**2  # motor inertia seen at the joint
GRAVITY = 9.81


def _rotate(R, v):
    return np.einsum("nij,nj->ni", R, v)


def _link_rotation(q, alpha):
    """Rz(q) Rx(alpha) for every row   (n, 3, 3)."""
    c, s, o = np.cos(q), np.sin(q), np.zeros(len(q))
    ca, sa = np.cos(alpha), np.sin(alpha)
    return np.stack([c, -ca * s, sa * s, s, ca * c, -sa * c, o, o + sa, o + ca], 1).reshape(-1, 3, 3)


def joint_torques(q, qd, qdd, mass, length, inertia, gravity):
    """Inverse dynamics by the recursive Newton-Euler method, vectors in world axes   (n, 6)."""
    n = len(q)
    R, joint = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    w, wd = np.zeros((n, 3)), np.zeros((n, 3))
    acc = np.tile([0, 0, gravity], (n, 1))  # a base that accelerates upwards is gravity
    axes, wrenches = [], []
    for j in range(6):
        axis = R[:, :, 2]
        axes.append((axis, joint))
        wd = wd + axis * qdd[:, [j]] + np.cross(w, axis * qd[:, [j]])
        w = w + axis * qd[:, [j]]
        R = R @ _link_rotation(q[:, j], ALPHA[j])
        o = np.zeros(n)
        arm = _rotate(
            R, np.stack([length[:, j], o + OFFSET[j] * np.sin(ALPHA[j]), o + OFFSET[j] * np.cos(ALPHA[j])], 1)
        )
        acc, joint = acc + np.cross(wd, arm) + np.cross(w, np.cross(w, arm)), joint + arm
        centre, Rt = R @ CENTRE[j], R.transpose(0, 2, 1)
        force = mass[:, [j]] * (acc + np.cross(wd, centre) + np.cross(w, np.cross(w, centre)))
        spin = _rotate(R, inertia[:, j] * _rotate(Rt, w))
        moment = _rotate(R, inertia[:, j] * _rotate(Rt, wd)) + np.cross(w, spin)
        wrenches.append((joint + centre, force, moment))
    torques = [
        sum((axis * (moment + np.cross(at - p, force))).sum(1) for at, force, moment in wrenches[j:])
        for j, (axis, p) in enumerate(axes)
    ]
    return np.stack(torques, 1) + MOTOR * qdd


def acceleration6(X):
    """Acceleration of joint 6 from (n, 32) inputs: solve M qdd = tau - bias   (n,)."""
    n = len(X)
    q, qd, tau = X[:, :6], X[:, 6:12], np.c_[X[:, 12:17], np.zeros(n)]
    dm, da = np.c_[X[:, 17:22], np.ones(n)], np.c_[X[:, 22:27], np.ones(n)]  # link 6 is never rescaled
    body = dm * MASS, da * LENGTH[:6], dm[:, :, None] * INERTIA
    rest = np.zeros((n, 6))
    M = np.stack([joint_torques(q, rest, rest + e, *body, 0.0) for e in np.eye(6)], 2)
    bias = joint_torques(q, qd, rest, *body, GRAVITY)
    return np.linalg.solve(M, (tau - bias)[..., None])[:, 5, 0]


class Pumadyn32nmSim(Generated):
    name = "pumadyn32nm-sim"
    stands_for = ("pumadyn32nm", "simulated")
    title = "Simulated pumadyn-32nm: dynamics of a Puma 560 arm (a statistical twin, not the published rows)"
    papers = ("snelson",)
    citation = "Simulator after the DELVE pumadyn family: Z. Ghahramani (1996), DELVE, Univ. of Toronto."
    licence = "generated; none needed"
    home = "forward dynamics without friction, Gaussian noise of sd 0.005 on the target; raw units, as DELVE's file"
    simulated = True
    notes = ("simulated pumadyn-32nm: the dynamics were recovered from the published rows",)

    n_train: int = Field(7168, ge=1, description="training rows")
    n_test: int = Field(1024, ge=1, description="test rows")
    noise: float = Field(0.005, ge=0, description="standard deviation of the noise on the target")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        high = np.repeat([1.5 * H, 75, 2.5], [12, 5, 15])
        low = np.r_[-high[:17], np.full(15, 0.25)]
        X = rng.uniform(low, high, (self.n_train + self.n_test, 32))
        return X, acceleration6(X) + self.noise * rng.standard_normal(len(X))
