"""Every code block of README and of the documentation runs, or is marked as output, or says why it does not run."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml

from gpbench.errors import GpbenchError
from gpbench.experiment.config.config import load_config
from tests.helpers.code_blocks import OUTPUT, Block, blocks, pages, shell
from tests.helpers.paths import REPO

pytestmark = pytest.mark.timeout(300)
LANGUAGES = {"python", "sh", "yaml", "toml", *OUTPUT}
BASE = {"name": "example", "dataset": "friedman3", "methods": ["fitc"]}
ELSEWHERE = {  # pages whose blocks a test of their own runs
    "docs/reference/python.md": "tests/docs/test_python.py",
    "docs/reference/extending.md": "tests/docs/test_extending.py",
    "docs/reference/clusters.md": "tests/experiment/run/dask/test_executor.py",
}
ALL = {page.relative_to(REPO).as_posix(): blocks(REPO, page) for page in pages(REPO)}
RUN = {name: [b for b in found if b.runs] for name, found in ALL.items() if name not in ELSEWHERE}


@pytest.mark.parametrize("page", list(ALL))
def test_every_block_has_a_language_that_says_what_happens_to_it(page):
    for block in ALL[page]:
        assert block.language in LANGUAGES or block.language.startswith("{"), f"{page}:{block.line}: {block.language!r}"


@pytest.mark.parametrize("page", list(ELSEWHERE))
def test_the_test_of_a_page_with_its_own_test_exists_and_reads_it(page):
    assert page in (REPO / ELSEWHERE[page]).read_text(encoding="utf-8")


def long(page):
    return pytest.param(page, marks=pytest.mark.long if page.startswith("docs/how-to/") else ())


@pytest.mark.parametrize("page", [long(name) for name, found in RUN.items() if found])
def test_the_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(REPO / "configs")
    _example_files(tmp_path)
    names = {"__name__": "__main__"}
    saved = [b for b in RUN[page] if b.file]
    for block in RUN[page]:
        where = f"{page}:{block.line}"
        if block.file:
            (tmp_path / block.file).write_text(block.code, encoding="utf-8")
        elif block.language == "python":
            exec(compile(block.code, where, "exec"), names)
        elif block.language == "sh":
            ran = shell(block.code, tmp_path, REPO)
            assert ran.returncode == 0, f"{where}: exit code {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        elif block.language == "yaml":
            _check_config(block, tmp_path)
    commands = "".join(b.code for b in RUN[page] if b.language == "sh")
    assert all(b.file in commands for b in saved), f"{page}: a file is saved and no command uses it"


def _example_files(folder) -> None:
    """The files that examples name as the reader's own."""
    rng = np.random.default_rng(0)
    columns = ("price", "id", "area", "rooms", "size", "year", "fare", "y")
    table = pd.DataFrame({name: rng.normal(size=40) for name in columns})
    table["id"] = range(40)
    table.to_csv(folder / "my.csv", index=False)
    table.to_csv(folder / "new.csv", index=False)


def _check_config(block: Block, folder) -> None:
    """A whole config is loaded; of a part, each entry is loaded in a small config."""
    whole = "\nname:" in f"\n{block.code}"
    for text in [block.code] if whole else _entries(block.code):
        if not whole:
            entry = yaml.safe_load(text)
            base = {k: v for k, v in BASE.items() if k not in entry and not (k == "dataset" and "datasets" in entry)}
            text = yaml.safe_dump(base) + text
        (folder / "block.yaml").write_text(text, encoding="utf-8")
        try:
            load_config(folder / "block.yaml")
        except GpbenchError as e:
            if not re.search(r"no (parquet )?file|no such file", str(e)):  # the reader's own rows and adapters
                raise AssertionError(f"{block.page}:{block.line}\n{text}\n{e}") from e


def _entries(code: str) -> list[str]:
    """The parts of the block that begin with a key in the first column."""
    parts: list[str] = []
    for line in code.splitlines(keepends=True):
        if line[:1] not in (" ", "#", "\n") or not parts:
            parts.append("")
        parts[-1] += line
    return [part for part in parts if part.strip() and not part.startswith("#")]


def test_a_block_that_fails_fails_the_test(tmp_path):
    assert shell("false\necho on", tmp_path, REPO).returncode == 1
    assert shell("gpbench validate nothing.yaml", tmp_path, REPO).returncode == 2
    with pytest.raises(AssertionError, match="d_max"):
        _check_config(Block("page", 1, "yaml", "d_max: -1\n", ""), tmp_path)


def test_a_mark_needs_a_reason():
    assert not Block("p", 1, "sh", "x", "<!-- not run: needs a cluster -->").runs
    assert Block("p", 1, "sh", "x", "<!-- not run: -->").runs and Block("p", 1, "sh", "x", "").runs
