"""The only module of the reports that writes files: drawings. Data is written by experiment/results/."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpbench.experiment.results.checked_files import make_folder, write_atomic

DRAWN = ("tables", "stats", "plots", "figures", "report.html", "check.json")  # of a results folder; the rest is data


def place(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """The files with these contents in a folder that is there."""
    for name, content in contents.items():
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        write_atomic(folder / name, raw)
    return [folder / name for name in contents]


def place_below(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """The same in a folder of ours, which is made where it is missing; a link in its place is refused."""
    make_folder(folder)
    return place(folder, contents)
