"""The wheel: all that is not code is inside, it runs where nothing of the repository is, and on other Pythons."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gpbench import SparseGPClassifier, SparseGPRegressor

SMALL = ["run", "smoke/tiny", "-o", "out"]


@pytest.fixture(scope="module")
def wheel(repo, tmp_path_factory):
    """Built from a copy of what is committed or about to be, as pip builds it; without the network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", "gpbench", "configs", "pyproject.toml", "README.md"],
        cwd=repo, capture_output=True, text=True,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git repository")
    for name in listed.stdout.split("\n"):
        if name and (repo / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            if (repo / name).is_symlink():
                (source / name).symlink_to(os.readlink(repo / name))
            else:
                (source / name).write_bytes((repo / name).read_bytes())
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(out),
        str(source),
    ]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode and "No module named" in built.stderr:
        pytest.skip("setuptools or pip is missing from this environment")
    assert built.returncode == 0, built.stderr
    return next(out.glob("*.whl"))


def _expected(repo) -> set[str]:
    """Every file of the package but caches, and the configs."""
    own = {p for p in (repo / "gpbench").rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    own = {p for p in own if p.suffix not in (".pyc", ".nbi", ".nbc")}
    names = {p.relative_to(repo).as_posix() for p in own}
    return names | {"gpbench/" + p.relative_to(repo).as_posix() for p in (repo / "configs").rglob("*.yaml")}


def test_configs_page_files_and_tables_are_inside(wheel, repo):
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert _expected(repo) - inside == set()
    assert "gpbench/configs/quickstart.yaml" in inside
    assert not [n for n in inside if n.startswith(("tests/", "results/"))]


def _run(python, arguments, cwd):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run([str(python), *arguments], cwd=cwd, env=env, capture_output=True, text=True)


def _installed(folder, wheel, with_ours: bool, base: str = sys.executable):
    """An environment with the wheel in it; its dependencies are borrowed from this one, or fetched."""
    if base == sys.executable:
        venv.create(folder, with_pip=not with_ours)
    else:
        subprocess.run([base, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    site = Path(_run(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder).stdout.strip())
    if with_ours:
        zipfile.ZipFile(wheel).extractall(site)
        borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    else:
        added = _run(python, ["-m", "pip", "install", "-q", str(wheel)], folder)
        assert added.returncode == 0, added.stderr
    return python, site


def _works(python, site, cwd):
    where = _run(python, ["-c", "import gpbench; print(gpbench.__file__)"], cwd)
    assert Path(where.stdout.strip()).is_relative_to(site), where.stderr
    ran = _run(python, ["-m", "gpbench", *SMALL], cwd)
    assert ran.returncode == 0, ran.stderr
    assert (cwd / "out" / "report.html").stat().st_size > 10_000
    assert _run(python, ["-m", "gpbench", "run", "quickstart", "-n"], cwd).returncode == 0


def test_an_environment_with_the_wheel_runs_a_built_in_config(wheel, tmp_path):
    python, site = _installed(tmp_path / "env", wheel, with_ours=True)
    (tmp_path / "work").mkdir()
    _works(python, site, tmp_path / "work")


@pytest.mark.real  # fetches the dependencies
@pytest.mark.timeout(1200)
def test_an_empty_environment_with_the_wheel_runs_a_built_in_config(wheel, tmp_path):
    python, site = _installed(tmp_path / "env", wheel, with_ours=False)
    (tmp_path / "work").mkdir()
    _works(python, site, tmp_path / "work")


ELSEWHERE = """
import importlib, pathlib, pkgutil, sys
import numpy as np
import gpbench
for module in pkgutil.walk_packages(gpbench.__path__, "gpbench."):
    if ".adapters." in module.name or module.name.endswith("__main__") or "._" in module.name:
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as e:  # what an extra brings
        assert not e.name.startswith("gpbench")
folder = pathlib.Path(sys.argv[1])
X = np.load(folder / "X.npy")
for file in folder.glob("*.npz"):
    model = gpbench.load(file)
    if hasattr(model, "classes_"):
        found = model.predict_proba(X)
    else:
        found = np.column_stack(model.predict(X, return_std=True))
    assert np.array_equal(found, np.load(file.with_suffix(".npy"))), file
    print(file.stem)
"""


def _python(minor: int) -> str | None:
    """A Python of that version which can make environments: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    listed = [shutil.which(f"python3.{minor}"), *sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python"))]
    usable = (p for p in listed if p and not subprocess.run([p, "-c", "import venv"], capture_output=True).returncode)
    return next(map(str, usable), None)


@pytest.mark.real  # fetches the dependencies
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("minor", [10, 12, 13])
def test_another_python_has_every_module_and_predicts_the_same_with_a_saved_model(wheel, tmp_path, minor):
    base = None if sys.version_info[1] == minor else _python(minor)
    if base is None:
        pytest.skip(f"no other Python 3.{minor} on this machine")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=90)
    np.save(tmp_path / "X.npy", X)
    learn = {"schedule": "joint", "evaluations": 3}
    methods = ["fitc", "nlgpp", "full-gp", "vecchia", "ep-fic"]
    for method in methods:
        cls, target = (SparseGPClassifier, y > 0) if method == "ep-fic" else (SparseGPRegressor, y)
        model = cls(method, n_basis=10, learn=learn, random_state=0).fit(X, target)
        model.save(tmp_path / f"{method}.npz")
        told = model.predict_proba(X) if method == "ep-fic" else np.column_stack(model.predict(X, return_std=True))
        np.save(tmp_path / f"{method}.npy", told)
    python, _ = _installed(tmp_path / "env", wheel, with_ours=False, base=base)
    ran = _run(python, ["-c", ELSEWHERE, str(tmp_path)], tmp_path)
    assert ran.returncode == 0 and set(ran.stdout.split()) == set(methods), ran.stderr
