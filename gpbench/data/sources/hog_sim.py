"""hog-sim: height of a wrist from gradient histograms of three views, in the spirit of [cao]'s HoG set (not its rows).

A jointed stick figure walks, jogs, boxes, waves or throws at a random phase and heading; three cameras around it, 120
degrees apart, each see a noisy grey picture of it; a picture becomes 6 x 5 cells of 9 unsigned gradient orientations,
270 numbers of sum one, as many as the published features have. The target is the height of the left wrist in metres.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from pydantic import Field

from gpbench.data.source import Generated

CAMERAS = np.deg2rad([0.0, 120.0, 240.0])
CELLS, CELL, ORIENTATIONS = (6, 5), 6, 9  # rows and columns of cells; pixels of a cell's side
SIZES = np.array([1.62, 1.70, 1.78, 1.86])  # metres: four subjects
# lengths as shares of the body height, after common anthropometric tables
HIP, SHOULDER, HEAD, SHOULDERS, HIPS = 0.53, 0.82, 1.0, 0.13, 0.09
UPPER_ARM, FOREARM, THIGH, SHIN = 0.186, 0.2, 0.245, 0.285
# flexion forward (positive) in radians: mean, swing with the phase; rows: walk, jog, box, wave, throw
LEG = np.array([[0.0, 0.5], [0.1, 0.8], [0.15, 0.1], [0.0, 0.05], [0.1, 0.25]])
KNEE = np.array([[0.3, 0.3], [0.7, 0.6], [0.3, 0.1], [0.05, 0.05], [0.2, 0.2]])
LEFT_ARM = np.array([[0.0, 0.5], [0.2, 0.7], [1.0, 0.5], [2.1, 0.6], [1.6, 1.2]])
LEFT_ELBOW = np.array([[0.3, 0.2], [1.5, 0.2], [1.2, 0.9], [0.6, 0.6], [0.9, 0.7]])
RIGHT_ARM = np.array([[0.0, -0.5], [0.2, -0.7], [1.0, -0.5], [0.1, 0.1], [0.4, 0.4]])
RIGHT_ELBOW = np.array([[0.3, -0.2], [1.5, -0.2], [1.2, -0.9], [0.2, 0.1], [0.5, 0.3]])
POSE_NOISE = 0.12  # radians, on every angle
WIDTH = np.array([0.075, 0.045, 0.045, 0.055, 0.03, 0.03, 0.026, 0.026, 0.045, 0.045, 0.035, 0.035])  # shares of height
SHADE = np.array([1.0, 0.9, 0.9, 0.8, 0.7, 0.7, 0.6, 0.6, 0.8, 0.8, 0.7, 0.7])


class HogSim(Generated):
    name = "hog-sim"
    stands_for = ("hog", "simulated")
    title = "Simulated HoG: wrist height of a stick figure from gradient histograms of three cameras"
    papers = ("cao",)
    citation = (
        "In the spirit of L. Bo, C. Sminchisescu (2010), Twin Gaussian processes for structured prediction. "
        "Int. J. Computer Vision 87, 28-52; gradient histograms after N. Dalal, B. Triggs (2005), CVPR, 886-893."
    )
    licence = "generated; none needed"
    home = "stick figure, three cameras, 6 x 5 cells of 9 orientations each (docs/explanations/discrete.md)"
    simulated = True
    notes = ("simulated HoG: a drawn stick figure, not [cao]'s features, which are not public",)

    n_train: int = Field(4819, ge=10, description="training rows")
    n_test: int = Field(4811, ge=1, description="test rows")
    pixel_noise: float = Field(0.02, ge=0, description="standard deviation of the grey values' noise; a limb has 0.6-1")
    seed: int = Field(0, ge=0, description="which draw")

    def sample(self, rng):
        joints, height = figures(self.n_train + self.n_test, rng)
        parts = []
        for begin in range(0, len(height), 512):  # bounds memory
            block = slice(begin, begin + 512)
            views = [histograms(self._pictures(joints[block], height[block], c, rng)) for c in CAMERAS]
            parts.append(np.concatenate(views, axis=1))
        return np.concatenate(parts), joints[:, 7, 1, 2]  # the left forearm ends at the wrist

    def _pictures(self, joints, height, azimuth, rng):
        """Grey pictures; the window about the figure is as inexact as a detector's   (n, 36, 30)."""
        n = len(height)
        across = joints @ np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])  # (n, segments, 2)
        ends = np.stack([across, joints[..., 2]], axis=-1) / height[:, None, None, None]
        zoom = 1.3 * (1 + 0.03 * rng.standard_normal(n))  # body heights that the window spans
        shift = np.stack([0.02 * rng.standard_normal(n), 0.5 + 0.02 * rng.standard_normal(n)], axis=1)
        pictures = _draw((ends - shift[:, None, None]) / zoom[:, None, None, None], WIDTH / 1.3, SHADE, _shape())
        return pictures + self.pixel_noise * rng.standard_normal(pictures.shape)


def _shape() -> tuple[int, int]:
    return CELLS[0] * CELL, CELLS[1] * CELL


def figures(n: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the twelve segments in metres (n, 12, 2, 3), z up, and the body heights (n,).

    Segments: torso, shoulders, hips, head, upper arms, forearms, thighs, shins; of pairs the right one first.
    """
    activity, phase = rng.integers(0, len(LEG), n), rng.uniform(0, 2 * np.pi, n)

    def angle(table, lag=0.0):
        mean, swing = table[activity].T
        return mean + swing * np.sin(phase + lag) + POSE_NOISE * rng.standard_normal(n)

    def direction(flexion, side):
        outward = 0.15 + 0.1 * rng.standard_normal(n)
        forward = np.stack([np.sin(flexion), np.zeros(n), -np.cos(flexion)], axis=1)
        return np.cos(outward)[:, None] * forward + np.outer(np.sin(outward), [0.0, side, 0.0])

    def point(y, z):
        return np.tile([0.0, y, z], (n, 1))

    def limb(start, side, root, bend, upper, lower):
        """Both parts of a limb from its root angle and the bend of its middle joint."""
        middle = start + upper * direction(root, side)
        return (start, middle), (middle, middle + lower * direction(root + bend, side))

    arms = [
        limb(point(side * SHOULDERS, SHOULDER), side, angle(arm), np.maximum(angle(elbow, 0.8), 0), UPPER_ARM, FOREARM)
        for side, arm, elbow in ((-1, RIGHT_ARM, RIGHT_ELBOW), (1, LEFT_ARM, LEFT_ELBOW))
    ]
    legs = []
    for side in (-1, 1):
        opposite = np.array([1, -side])  # legs swing against each other
        knee = np.maximum(angle(KNEE * opposite, 1.2), 0)
        legs.append(limb(point(side * HIPS, HIP), side, angle(LEG * opposite), -knee, THIGH, SHIN))
    segments = [
        (point(0, HIP), point(0, SHOULDER)), (point(-SHOULDERS, SHOULDER), point(SHOULDERS, SHOULDER)),
        (point(-HIPS, HIP), point(HIPS, HIP)), (point(0, SHOULDER), point(0, HEAD)),
        arms[0][0], arms[1][0], arms[0][1], arms[1][1], legs[0][0], legs[1][0], legs[0][1], legs[1][1],
    ]  # fmt: skip
    body = np.stack([np.stack(ends, axis=1) for ends in segments], axis=1)  # (n, 12, 2, 3), body heights
    height = SIZES[rng.integers(0, len(SIZES), n)] * (1 + 0.01 * rng.standard_normal(n))
    heading = rng.uniform(0, 2 * np.pi, n)
    c, s = np.cos(heading)[:, None, None], np.sin(heading)[:, None, None]
    x, y, z = np.moveaxis(body, -1, 0)
    return np.stack([c * x - s * y, s * x + c * y, z], axis=-1) * height[:, None, None, None], height


def histograms(pictures) -> np.ndarray:
    """Gradient orientations of every cell, weighted by magnitude, each vote shared by the two nearest of nine bins.

    Cells row by row, from the top; every picture's histogram is divided by its sum   (n, 270).
    """
    n, rows, columns = pictures.shape
    down, right = np.gradient(pictures, axis=(1, 2))
    magnitude = np.hypot(down, right)
    position = np.mod(np.arctan2(down, right), np.pi) * (ORIENTATIONS / np.pi) - 0.5
    lower = np.floor(position)
    share = position - lower  # of the upper bin
    cell = (np.arange(rows) // CELL)[:, None] * CELLS[1] + np.arange(columns) // CELL
    place = np.arange(n)[:, None, None] * (CELLS[0] * CELLS[1]) + cell
    total = n * CELLS[0] * CELLS[1] * ORIENTATIONS
    H = np.zeros(total)
    for step, weight in ((0, magnitude * (1 - share)), (1, magnitude * share)):
        at = place * ORIENTATIONS + (lower.astype(int) + step) % ORIENTATIONS
        H += np.bincount(at.ravel(), weight.ravel(), minlength=total)
    H = H.reshape(n, -1)
    return H / H.sum(1, keepdims=True)


@njit(cache=True)
def _draw(ends, width, shade, shape):
    """Segments as thick lines with soft rims, the brightest on top; x across and y up, both in window heights."""
    rows, columns = shape
    out, rim = np.zeros((len(ends), rows, columns)), 1.0 / rows
    for i in range(len(ends)):
        for s in range(ends.shape[1]):
            ax, ay = ends[i, s, 0]
            bx, by = ends[i, s, 1]
            dx, dy, reach = bx - ax, by - ay, width[s] + rim
            length2 = dx * dx + dy * dy + 1e-12
            top, bottom = max(ay, by) + reach, min(ay, by) - reach
            for r in range(max(0, int((0.5 - top) * rows)), min(rows, int((0.5 - bottom) * rows) + 1)):
                y = 0.5 - (r + 0.5) / rows
                for c in range(columns):
                    x = (c + 0.5 - 0.5 * columns) / rows
                    t = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / length2))
                    d = np.sqrt((x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2)
                    cover = min(1.0, max(0.0, 0.5 + 0.5 * (width[s] - d) / rim))
                    out[i, r, c] = max(out[i, r, c], shade[s] * cover)
    return out
