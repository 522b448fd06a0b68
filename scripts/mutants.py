"""Change one operator of the numerical code at a time and see whether the tests notice.

    python -m scripts.mutants -n 150 --seed 0 --log mutants.jsonl

Mutants are drawn with a seed from gp/, the evaluation of trials, the statistics, the verdicts, the splits and the
scaling. Each one is written to a temporary copy of the work tree, where the tests of its module run: those that mirror
its path, then those that import it. A line of the log is one mutant; the same command continues where it stopped.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
PLACES = (
    "gpbench/gp", "gpbench/experiment/evaluation", "gpbench/analysis/significance.py", "gpbench/papers/verdicts",
    "gpbench/data/splits.py", "gpbench/data/scaling.py",
)  # fmt: skip
COPIED = ("gpbench", "tests", "configs", "datasets", "scripts", "pyproject.toml", "docs", "results")
BINARY = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}  # fmt: skip
CHOSEN = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
SIGNS = {ast.USub: ("-", ""), ast.Not: ("not", "")}


@dataclass(frozen=True)
class Mutant:
    """One operator of a file: the bytes from `start` to `end` become `new`."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.start}:{self.old}>{self.new}"


def mutants_of(file: str, text: bytes) -> list[Mutant]:
    """Every one-operator mutant of a file, in the order of the text; annotations are left alone."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    found = []
    for left, right, (old, new) in _operators(ast.parse(text)):
        begin, end = at(left[0], left[1]), at(right[0], right[1])
        if (place := _operator_in(text[begin:end], old)) is not None:
            where = begin + place
            found.append(Mutant(file, text[:where].count(b"\n") + 1, where, where + len(old), old, new))
    return sorted(found, key=lambda m: m.start)


def _operator_in(gap: bytes, old: str) -> int | None:
    """Place of the operator in the text between two operands, past comments."""
    bare = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), gap).decode("latin-1")
    words = re.escape(old).replace(r"\ ", r"\s+")
    match = re.search(rf"\b{words}\b" if old[0].isalpha() else words, bare)
    return match.start() if match and match.group() == old else None


def _operators(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int], tuple[str, str]]]:
    """End of the left operand, start of the right one, and the operator with its replacement."""
    for node in _evaluated(tree):
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY and not _is_text(node):
            yield _end(node.left), _start(node.right), BINARY[type(node.op)]
        elif isinstance(node, ast.AugAssign) and type(node.op) in BINARY:
            yield _end(node.target), _start(node.value), BINARY[type(node.op)]
        elif isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators):
                if type(op) in COMPARED:
                    yield _end(left), _start(right), COMPARED[type(op)]
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:]):
                yield _end(left), _start(right), CHOSEN[type(node.op)]
        elif isinstance(node, ast.UnaryOp) and type(node.op) in SIGNS:
            yield _start(node), _start(node.operand), SIGNS[type(node.op)]


def _evaluated(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of annotations, which nothing evaluates."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(n, ast.JoinedStr) or (isinstance(n, ast.Constant) and isinstance(n.value, str))
               for n in (node.left, node.right))  # fmt: skip


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def drawn(number: int, seed: int, root: Path = REPO) -> list[Mutant]:
    """So many mutants of all files of PLACES, without replacement; a smaller number gives the first of these."""
    files = sorted(
        f for place in PLACES for f in ([root / place] if place.endswith(".py") else (root / place).rglob("*.py"))
    )
    every = [m for f in files for m in mutants_of(f.relative_to(root).as_posix(), f.read_bytes())]
    random.Random(seed).shuffle(every)
    return every[:number]


def tests_of(file: str, root: Path = REPO) -> tuple[list[str], list[str]]:
    """Test files that mirror the path of a module, and the further ones that import it."""
    path = Path(file).relative_to("gpbench")
    folder = root / "tests" / path.parent
    mirror = sorted(folder.glob(f"test_{path.stem}*.py")) if folder.is_dir() else []
    module = ".".join(Path(file).with_suffix("").parts)
    package, _, stem = module.rpartition(".")
    imports = re.compile(
        rf"^\s*(from {re.escape(module)} import|import {re.escape(module)}\b"
        rf"|from {re.escape(package)} import [^\n]*\b{stem}\b)", re.MULTILINE
    )  # fmt: skip
    others = [
        f for f in sorted((root / "tests").rglob("test_*.py")) if f not in mirror and imports.search(f.read_text())
    ]
    others.sort(key=lambda f: -len(os.path.commonpath([f, folder / "x"])))  # the nearest notice most and take least
    return [f.relative_to(root).as_posix() for f in mirror], [f.relative_to(root).as_posix() for f in others]


def neighbours_of(file: str, root: Path = REPO) -> list[str]:
    """The test folder of the module's package, or the nearest one above it that there is."""
    folder = root / "tests" / Path(file).relative_to("gpbench").parent
    while not folder.is_dir():
        folder = folder.parent
    return [folder.relative_to(root).as_posix()] if folder != root / "tests" else []


def fails(tests: list[str], folder: Path, seconds: float) -> str:
    """How the tests ended in the copy: empty if they passed, else the first failure or `timeout`."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider",
               "-m", "not real and not long and not faults", *tests]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
           "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / ".numba")}  # fmt: skip
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timeout"
    if process.returncode in (0, 5):  # 5: nothing selected
        return ""
    told = [line for line in out.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return told[0] if told else f"exit code {process.returncode}"


def judge(mutant: Mutant, folder: Path, seconds: float, further: bool) -> dict:
    """Run the tests of one mutant in the copy `folder`, which is as before afterwards."""
    target, begin = folder / mutant.file, time.monotonic()
    before = target.read_bytes()
    mirror, others = tests_of(mutant.file)
    rounds = {"mirror": mirror, "importing": others}
    if further or not mirror + others:
        rounds["neighbours"] = neighbours_of(mutant.file)
    by, said = "", ""
    target.write_bytes(before[: mutant.start] + mutant.new.encode() + before[mutant.end :])
    try:
        for name, tests in rounds.items():
            if tests and (said := fails(tests, folder, seconds)):
                by = name
                break
    finally:
        target.write_bytes(before)
    line = before.splitlines()[mutant.line - 1].decode().strip()
    return {"key": mutant.key, "line": mutant.line, "text": line, "killed": by, "said": said,
            "seconds": round(time.monotonic() - begin, 1)}  # fmt: skip


def copy_to(folder: Path) -> Path:
    for name in COPIED:
        source = REPO / name
        if source.is_dir():
            skipped = shutil.ignore_patterns("__pycache__", "trials", ".tmp-*")
            shutil.copytree(source, folder / name, ignore=skipped, symlinks=True)
        else:
            shutil.copy(source, folder / name)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=150, help="mutants to draw [150]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--timeout", type=float, default=300, help="seconds that one round of tests may take [300]")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="draw no further mutant after so long")
    parser.add_argument("--further", action="store_true", help="run the survivors' neighbouring test folders, too")
    parser.add_argument("--again", action="store_true", help="only the logged survivors, with the present tests")
    asked = parser.parse_args()
    known = {}
    if asked.log.exists():
        known = {one["key"]: one for one in map(json.loads, asked.log.read_text().splitlines())}
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = copy_to(Path(name))
        for mutant in drawn(asked.n, asked.seed):
            before = known.get(mutant.key)
            wanted = before is not None and not before["killed"] if asked.again else before is None
            if not wanted:
                continue
            if time.monotonic() - begin > asked.seconds:
                break
            known[mutant.key] = found = judge(mutant, folder, asked.timeout, asked.further)
            with asked.log.open("a") as log:
                log.write(json.dumps(found) + "\n")
            fate = f"killed by {found['killed']}" if found["killed"] else "SURVIVES"
            print(
                f"{mutant.file}:{mutant.line} {mutant.old} -> {mutant.new or 'nothing'}: {fate}: {found['text']}",
                flush=True,
            )
    late = sum(one["said"] == "timeout" for one in known.values())  # an endless loop, or a slow machine: look at them
    killed = sum(bool(one["killed"]) for one in known.values()) - late
    print(f"{len(known)} mutants, {killed} killed, {late} over the time, {len(known) - killed - late} survive")


if __name__ == "__main__":
    main()
