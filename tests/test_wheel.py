"""The wheel: all that is not code is inside, and it runs where nothing of the repository is."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

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


def _installed(folder, wheel, with_ours: bool):
    """An environment with the wheel in it; its dependencies are borrowed from this one, or fetched."""
    venv.create(folder, with_pip=not with_ours)
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
