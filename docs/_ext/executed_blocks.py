"""The directive {run}: a block of shell or Python that the build executes, with what it prints below it.

    ```{run} sh
    :figure: results/first/plots/times-cpu.svg
    :alt: error against time
    gpbench run first.yaml
    ```

The blocks of one page share a new, empty folder and one Python namespace. A block that fails ends the build.

`{run} file NAME` writes its content into a file of that folder.

    :figure: FILE     an image that the block made, shown below what it printed (needs :alt:)
    :exit: N          the exit code that is expected (shell only; 0)
    :last: N          show the last N lines of the output only
    :quiet:           do not show the output
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

TIMEOUT = 240
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_pages: dict[str, tuple[Path, dict]] = {}


def environment() -> dict[str, str]:
    """What the shell of an executed block sees: gpbench of this Python, no network, plain output."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    repository = str(Path(__file__).resolve().parents[2])
    plain = {"NO_COLOR": "1", "COLUMNS": "88", "GPBENCH_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    return {**os.environ, "PATH": path, "PYTHONPATH": repository, **plain}


class Run(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {  # noqa: RUF012  (docutils reads it from the class)
        "figure": directives.unchanged,
        "alt": directives.unchanged,
        "exit": directives.nonnegative_int,
        "last": directives.nonnegative_int,
        "quiet": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        (language, _, name), code = self.arguments[0].partition(" "), "\n".join(self.content)
        folder, names = _page(self.env.docname)
        if language == "file":
            (folder / name).write_text(code + "\n", encoding="utf-8")
            suffix = {".yaml": "yaml", ".py": "python"}.get(Path(name).suffix, "text")
            return [nodes.paragraph("", "", nodes.literal("", name)), nodes.literal_block(code, code, language=suffix)]
        printed = (_shell if language == "sh" else _python)(code, folder, names, self.options.get("exit", 0))
        found: list[nodes.Node] = [nodes.literal_block(code, code, language=language)]
        text = _tidy(printed, folder, self.options.get("last"))
        if text and "quiet" not in self.options:
            found.append(nodes.literal_block(text, text, language="text", classes=["output"]))
        if "figure" in self.options:
            found.append(self._figure(folder / self.options["figure"]))
        return found

    def _figure(self, file: Path) -> nodes.Node:
        if not file.is_file() or "alt" not in self.options:
            raise ExtensionError(f"{self.env.docname}: {file} was not made, or has no :alt:")
        kept = Path(self.env.srcdir) / "generated" / "figures" / f"{self.env.docname.replace('/', '-')}-{file.name}"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, kept)
        image = nodes.image(uri="/" + kept.relative_to(self.env.srcdir).as_posix(), alt=self.options["alt"])
        image["classes"] = ["drawn"]
        return image


def _page(name: str) -> tuple[Path, dict]:
    if name not in _pages:
        _pages[name] = Path(tempfile.mkdtemp(prefix="gpbench-docs-")), {"__name__": "__main__"}
    return _pages[name]


def _shell(code: str, folder: Path, _names: dict, expected: int) -> str:
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
    )
    if ran.returncode != expected:
        raise ExtensionError(f"exit code {ran.returncode} instead of {expected}:\n{code}\n{ran.stdout}")
    return ran.stdout


def _python(code: str, folder: Path, names: dict, _expected: int) -> str:
    printed = io.StringIO()
    with (
        contextlib.chdir(folder) if hasattr(contextlib, "chdir") else _chdir(folder),
        contextlib.redirect_stdout(printed),
    ):
        exec(compile(code, "<docs>", "exec"), names)
    return printed.getvalue()


@contextlib.contextmanager
def _chdir(folder: Path):  # Python 3.10
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _tidy(printed: str, folder: Path, last: int | None) -> str:
    """The output without progress, escape codes and the name of the temporary folder."""
    lines = [line.split("\r")[-1].rstrip() for line in ESCAPES.sub("", printed).replace(f"{folder}/", "").splitlines()]
    if last is not None:
        lines = lines[-last:]
    return "\n".join(lines).strip("\n")


def _forget(_app, _env, docname: str) -> None:
    if found := _pages.pop(docname, None):
        shutil.rmtree(found[0], ignore_errors=True)


def _clean(app, _error) -> None:
    for name in list(_pages):
        _forget(app, None, name)


def setup(app) -> dict:
    app.add_directive("run", Run)
    app.connect("env-purge-doc", _forget)
    app.connect("build-finished", _clean)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
