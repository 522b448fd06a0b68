"""Models that version 0.1 saved are read by this version, and predict what they predicted then."""

import numpy as np
import pytest

import gpbench
from gpbench import catalog
from tests.helpers import frozen_models
from tests.helpers.paths import FILES

FOLDER = FILES / "models-0.1"
NAMES = sorted(file.stem for file in FOLDER.glob("*.npz") if file.stem != "predictions")


@pytest.fixture(scope="module")
def expected():
    with np.load(FOLDER / "predictions.npz") as kept:
        return dict(kept)


def _found(name: str, expected: dict) -> dict[str, np.ndarray]:
    model = gpbench.load(FOLDER / f"{name}.npz")
    if name.startswith("csv-"):
        return frozen_models.csv_predictions(model, FOLDER / f"new-{name.removeprefix('csv-')}.csv")
    return frozen_models.predictions(model, expected[f"inputs/{expected[f'{name}/inputs']}"])


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_version_0_1_predicts_the_same(name, expected):
    if name.endswith("graph"):
        pytest.importorskip("rdkit")
    found = frozen_models.as_rows(name, _found(name, expected))
    assert np.allclose(found[name], expected[name], rtol=1e-10, atol=1e-10)
    assert np.array_equal(found.get(f"{name}/class"), expected.get(f"{name}/class"))


def test_every_method_and_kernel_of_version_0_1_has_a_model():
    def cases(prefix):
        return {name.removeprefix(prefix) for name in NAMES if name.startswith(prefix)}

    methods = catalog.own_names("method") - set(frozen_models.NOT_SAVED)
    assert cases("method-") <= methods and len(cases("method-")) == 32
    assert cases("kernel-") == frozen_models.KERNELS.keys() and len(cases("kernel-")) == 20
    assert {"csv-regression", "csv-classification"} < set(NAMES)
