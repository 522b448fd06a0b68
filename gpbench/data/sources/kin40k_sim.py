"""KIN40K re-drawn: same law, not the same rows. The arm's geometry and noise were recovered from the published rows."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from gpbench.data.scaling import Scaler
from gpbench.data.source import Generated

H = np.pi / 2
A = (0, 0.4318, 0.0203, 0, 0, 0, 0.2, 0.3)  # Denavit-Hartenberg: link i is Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i)
D = (0, 0, 0.15005, 0.4318, 0, 0, 0, 0.1)
ALPHA = (H, 0, -H, H, -H, 0, 2 * H, 0)
TARGET = np.array([0.1, 0.1, 0.1])


def distance(theta):
    """Distance of the arm's tip from the target point, the joints at angles theta   (n, 8) -> (n,)."""
    tip = np.zeros((3, len(theta)))  # in the frame of the current link, carried from the hand to the base
    for i in reversed(range(8)):
        x, y, z = tip
        y, z = np.cos(ALPHA[i]) * y - np.sin(ALPHA[i]) * z, np.sin(ALPHA[i]) * y + np.cos(ALPHA[i]) * z
        x, z = x + A[i], z + D[i]
        c, s = np.cos(theta[:, i]), np.sin(theta[:, i])
        tip = np.stack([c * x - s * y, s * x + c * y, z])
    return np.linalg.norm(tip - TARGET[:, None], axis=0)


class Kin40kSim(Generated):
    name = "kin40k-sim"
    stands_for = ("kin40k", "simulated")
    title = "Simulated KIN40K: forward kinematics of an 8-link arm (a statistical twin, not the published rows)"
    papers = ("keerthi", "snelson", "cao")
    citation = "Simulator after the DELVE kin family: Z. Ghahramani (1996), The kin datasets, DELVE, Univ. of Toronto."
    licence = "generated; none needed"
    home = "eight joint angles uniform in +-pi/2, uniform +-0.005 angle noise, detrended on the training part"
    simulated = True
    notes = ("simulated KIN40K: geometry and noise were fitted on the published rows, train and test together",)

    n_train: int = Field(10000, ge=10, description="training rows")
    n_test: int = Field(30000, ge=1, description="test rows")
    width: float = Field(0.005, ge=0, description="half-width of the uniform angle noise (kin8nm: 0.2)")
    detrend: bool = Field(True, description="the form in which KIN40K is distributed; false: raw angles and distances")
    seed: int = Field(0, ge=0, description="which draw")

    def rows(self, n, rng):
        """Raw angles and distances: the line of `detrend` would be one through all rows."""
        theta = rng.uniform(-H, H, (n, 8))
        # the recorded angles are the clean ones: the noise enters before the kinematics
        return theta, distance(theta + rng.uniform(-self.width, self.width, theta.shape))

    def sample(self, rng):
        theta, y = self.rows(self.n_train + self.n_test, rng)
        if not self.detrend:
            return theta, y
        train = slice(self.n_train)
        line = Scaler.fit(theta[train], y[train], {"inputs": "none", "target": "detrend"})
        return theta / theta[train].std(0, ddof=1), line.target(y, theta)  # inputs divided, not centred
