"""Data generators and pre-processing from their definitions, one row at a time."""

import numpy as np


def detrended(X, y, n_train):
    """Residuals of a least-squares line with intercept over the residuals' deviation (ddof 1), by normal equations."""
    A = np.c_[X, np.ones(len(X))]
    T = A[:n_train]
    r = y - A @ (np.linalg.inv(T.T @ T) @ T.T @ y[:n_train])
    return r / r[:n_train].std(ddof=1)


def product_rule(low, high, nodes):
    """Points and weights of a Gauss-Legendre rule on a box: expectations over a uniform law   (nodes^D, D)."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    axes = np.meshgrid(*[(a + b) / 2 + (b - a) / 2 * x for a, b in zip(low, high)], indexing="ij")
    weights = np.meshgrid(*[w / 2] * len(low), indexing="ij")
    return np.stack([a.ravel() for a in axes], 1), np.prod([v.ravel() for v in weights], axis=0)


def link(theta, d, a, alpha):
    """Rz(theta) Tz(d) Tx(a) Rx(alpha) as a homogeneous 4 x 4 matrix."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    Rz = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    T = np.eye(4)
    T[:3, 3] = a, 0, d
    Rx = np.array([[1, 0, 0, 0], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1.0]])
    return Rz @ T @ Rx


def tip(theta, d, a, alpha):
    """Where the arm ends, from the product of its links' matrices."""
    frame = np.eye(4)
    for i in range(len(theta)):
        frame = frame @ link(theta[i], d[i], a[i], alpha[i])
    return frame[:3, 3]


class Lagrangian:
    """A serial arm's dynamics from kinetic and potential energy, all derivatives by differences."""

    def __init__(self, d, a, alpha, mass, centre, inertia, motor, gravity, step=1e-5):
        self.geometry = d, a, alpha
        self.mass, self.centre, self.inertia, self.motor, self.gravity = mass, centre, inertia, motor, gravity
        self.step = step

    def frames(self, q):
        out, frame = [], np.eye(4)
        for i in range(len(q)):
            frame = frame @ link(q[i], *(g[i] for g in self.geometry))
            out.append(frame)
        return out

    def centres(self, q):
        return [f[:3, :3] @ c + f[:3, 3] for f, c in zip(self.frames(q), self.centre)]

    def mass_matrix(self, q):
        n, frames = len(q), self.frames(q)
        axes = [np.array([0, 0, 1.0])] + [f[:3, 2] for f in frames[:-1]]
        joints = [np.zeros(3)] + [f[:3, 3] for f in frames[:-1]]
        M = np.diag(self.motor).astype(float)
        for i, p in enumerate(self.centres(q)):
            Jv, Jw = np.zeros((3, n)), np.zeros((3, n))
            for j in range(i + 1):
                Jv[:, j], Jw[:, j] = np.cross(axes[j], p - joints[j]), axes[j]
            R = frames[i][:3, :3]
            M += self.mass[i] * Jv.T @ Jv + Jw.T @ R @ np.diag(self.inertia[i]) @ R.T @ Jw
        return M

    def potential(self, q):
        return self.gravity * sum(m * p[2] for m, p in zip(self.mass, self.centres(q)))

    def acceleration(self, q, qd, tau):
        """M qdd = tau - (dM/dt) qd + 1/2 d(qd'M qd)/dq - dV/dq."""
        h, n = self.step, len(q)
        dM = [(self.mass_matrix(q + h * e) - self.mass_matrix(q - h * e)) / (2 * h) for e in np.eye(n)]
        dV = np.array([(self.potential(q + h * e) - self.potential(q - h * e)) / (2 * h) for e in np.eye(n)])
        Mdot = sum(v * D for v, D in zip(qd, dM))
        rhs = tau - Mdot @ qd + 0.5 * np.array([qd @ D @ qd for D in dM]) - dV
        return np.linalg.inv(self.mass_matrix(q)) @ rhs
