"""Refuse Dask workers whose gpbench source, numpy or scipy differ from those of this run."""

from __future__ import annotations

from collections.abc import Callable


def versions() -> Callable[[], dict[str, str | None]]:
    """A function that returns the versions of the machine where it is called.

    It is sent by value and imports nothing of gpbench, which the machine may lack, or have in another version.
    """

    def look() -> dict[str, str | None]:
        import hashlib
        import importlib.util
        from importlib import metadata
        from pathlib import Path

        found: dict[str, str | None] = {}
        for name in ("gpbench", "numpy", "scipy"):
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = None
        spec = importlib.util.find_spec("gpbench")
        if spec is not None and spec.origin:
            home = Path(spec.origin).parent
            source = hashlib.sha256()
            for file in sorted(home.rglob("*.py")):
                source.update(f"{file.relative_to(home).as_posix()}\n".encode() + file.read_bytes())
            found["gpbench"] = f"{found['gpbench'] or 'uninstalled'} (source {source.hexdigest()[:8]})"
        return found

    return look


def complaint(address: str, theirs: dict[str, str | None] | BaseException) -> str | None:
    """One sentence if the worker's software differs; else None."""
    if isinstance(theirs, BaseException):
        return f"the worker at {address} could not be asked for its versions ({type(theirs).__name__}: {theirs})"
    ours = versions()()
    for name, version in ours.items():
        if theirs.get(name) != version:
            return f"the worker at {address} has {name} {theirs.get(name) or 'not at all'}, this run {version}"
    return None
