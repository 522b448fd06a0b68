"""`gpbench.extend` is the one import of plug-ins, and old paths are the same objects, with a warning."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

from gpbench import extend, old_paths


def test_every_public_name_has_a_docstring_and_is_listed_in_the_modules_own():
    assert extend.__all__ == sorted(extend.__all__)
    for name in extend.__all__:
        assert getattr(extend, name).__doc__, name
        assert re.search(rf"\b{name}\b", extend.__doc__), name


def test_plug_ins_of_documents_and_tests_import_from_extend_alone(repo):
    blocks = re.findall(r"```python\n(.*?)```", (repo / "docs/reference/extending.md").read_text(), re.S)
    for text in [*blocks, (repo / "tests/plugins/first_rows.py").read_text()]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("gpbench"):
                assert node.module in ("gpbench.extend", "gpbench.methods.full_gp"), node.module


@pytest.mark.parametrize("old", [*old_paths.MOVED, "gpbench.kernels.base", "gpbench.inference.exact"])
def test_an_old_path_is_the_same_module_with_a_warning(old):
    for name in [m for m in sys.modules if m == old]:
        del sys.modules[name]
    with pytest.warns(DeprecationWarning, match="gpbench.extend"):
        module = importlib.import_module(old)
    assert module is importlib.import_module(old_paths.new_path(old))
    assert module.__spec__.name == old_paths.new_path(old)


def test_no_old_path_names_a_module_that_exists(repo):
    for old in (*old_paths.MOVED, *old_paths.PARENTS):
        assert not (repo / old.replace(".", "/")).exists() and not (repo / f"{old.replace('.', '/')}.py").exists()
    assert Path(extend.__file__).exists()
