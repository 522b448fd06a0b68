"""Description of the machine and software of a run: versions, commit, BLAS, CPU. No user, host or path."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = ("gpbench", "numpy", "scipy", "numba", "pandas", "pydantic", "scikit-sparse", "rdkit")
_PINNED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


_ARITHMETIC = (
    "OPENBLAS_CORETYPE",
    "NPY_DISABLE_CPU_FEATURES",
    "NUMBA_CPU_NAME",
)  # select inner loops
_NUMERICAL = (  # folders and files of the package that a number may depend on
    "gp",
    "methods",
    "data",
    "metrics.py",
    "experiment/evaluation",
    "experiment/plan/random_streams.py",
)


@cache
def source() -> str:
    """Hash of the numerical source code. Equal hashes mean equal numbers; different hashes need not change them."""
    root, hashed = Path(__file__).parents[2], hashlib.sha256()
    for part in _NUMERICAL:
        for file in sorted((root / part).rglob("*.py")) or [root / part]:
            hashed.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def thread_environment(threads: int) -> dict[str, str]:
    """Variables that must be set before numpy is loaded: 1 and 2 BLAS threads differ in the last bits."""
    return {name: str(threads) for name in _PINNED}


def environment() -> dict[str, Any]:
    """Description of this process; call it after the libraries are loaded."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "commit": commit(),
        "blas": blas(),
        "threads": {name: os.environ.get(name) for name in _PINNED},
    } | ({"arithmetic": chosen} if (chosen := {n: os.environ[n] for n in _ARITHMETIC if n in os.environ}) else {})


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def commit() -> str | None:
    """Commit of gpbench's source tree, with '+' if files differ from it; None outside a git tree."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        return head + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no", "--", "gpbench") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()


def blas() -> list[dict[str, Any]]:
    import threadpoolctl

    keep = ("user_api", "internal_api", "version", "threading_layer", "architecture", "num_threads")
    return [{k: pool[k] for k in keep if k in pool} for pool in threadpoolctl.threadpool_info()]


def cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
