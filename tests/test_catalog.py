"""Names are files; a user's file is found like our own."""

import sys

import pytest

from gpbench import catalog
from gpbench.errors import ConfigError

PLUGIN = '''
from gpbench.methods.base import Method
class Mine(Method):
    """My method."""
    name = "mine"
    d_max: int = 3
    def fit(self, problem, rng):
        return None
'''


@pytest.fixture
def plugins(monkeypatch):
    monkeypatch.setattr(catalog, "_plugins", {})


def test_own_names_are_found_by_file_and_by_listing():
    for kind in ("method", "kernel", "dataset"):
        for name, cls in catalog.available(kind).items():
            assert catalog.find(kind, name) is cls and cls.name == name


@pytest.mark.parametrize("kind", ["method", "kernel", "dataset"])
def test_own_names_are_read_off_the_files(kind, plugins):
    assert catalog.own_names(kind) == catalog.available(kind).keys()


def test_a_plugin_that_hides_a_built_in_name_is_refused(tmp_path, plugins):
    (tmp_path / "mine.py").write_text(PLUGIN.replace('"mine"', '"full-gp"'))
    with pytest.raises(ConfigError, match="there is a method 'full-gp' already; give yours another name"):
        catalog.load_plugin(str(tmp_path / "mine.py"))
    assert catalog.find("method", "full-gp").__module__ == "gpbench.methods.full_gp"
    for n in "ab":
        (tmp_path / f"{n}.py").write_text(PLUGIN)
    catalog.load_plugin(str(tmp_path / "a.py"))
    with pytest.raises(ConfigError, match=r"b\.py: there is a method 'mine' already"):
        catalog.load_plugin(str(tmp_path / "b.py"))


HELPERS = {
    "top": ("import helper_top\n", ["helper_top.py"]),
    "from": ("from helper_from import x\n", ["helper_from.py"]),
    "in a function": ("def f():\n    import helper_lazy\n", ["helper_lazy.py"]),
    "of a package": ("from helper_package import part\n", ["helper_package/__init__.py", "helper_package/part.py"]),
    "of a helper": ("import helper_first\n", ["helper_first.py", "helper_second.py"]),
}


@pytest.mark.parametrize("where", HELPERS)
def test_the_helper_modules_of_a_plugin_are_part_of_its_hash(where, tmp_path, plugins, monkeypatch):
    monkeypatch.setattr("sys.path", [*sys.path])
    line, files = HELPERS[where]
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("x = 1\n")
    if where == "of a helper":
        (tmp_path / files[0]).write_text("import helper_second\n")
    (tmp_path / "mine.py").write_text(line + PLUGIN)

    def hashed():
        catalog._plugins.clear()
        catalog.load_plugin(str(tmp_path / "mine.py"))
        return catalog.source_hash(catalog.find("method", "mine"))

    before = hashed()
    assert hashed() == before
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    assert hashed() == before
    (tmp_path / files[-1]).write_text("x = 2\n")
    assert hashed() != before


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(ConfigError, match="unknown method 'ful-gp'; did you mean full-gp"):
        catalog.find("method", "ful-gp")
    with pytest.raises(ConfigError, match="unknown kernel 'zzzzz'; known: ard-se"):
        catalog.find("kernel", "zzzzz")


def test_a_plugin_file_adds_a_method_and_its_edits_change_the_hash(tmp_path, plugins):
    file = tmp_path / "mine.py"
    file.write_text(PLUGIN)
    catalog.load_plugin(str(file))
    cls = catalog.find("method", "mine")
    assert "mine" in catalog.available("method") and cls(d_max=4).d_max == 4
    before = catalog.source_hash(cls)
    file.write_text(PLUGIN + "\n# changed\n")
    assert catalog.source_hash(cls) == before != ""  # of what was loaded, not of what stands there now
    catalog._plugins.clear()
    catalog.load_plugin(str(file))
    assert catalog.source_hash(catalog.find("method", "mine")) != before
    assert catalog.source_hash(catalog.find("method", "full-gp")) == ""


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "no such file"),
        ("x = 1", "defines no Method, Kernel, Likelihood, StopRule, Metric or Source"),
        ("1/0", "ZeroDivisionError"),
        ("def", "SyntaxError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        (PLUGIN.replace('"mine"', '"First Rows"'), "method 'First Rows': a name is made of a-z"),
    ],
)
def test_a_bad_plugin_is_one_sentence(tmp_path, plugins, text, message):
    file = tmp_path / "bad.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        catalog.load_plugin(str(file))


def test_no_fit_and_a_fit_that_gives_no_model_are_told(tmp_path, plugins):
    import numpy as np

    from gpbench import SparseGPRegressor

    (tmp_path / "mine.py").write_text(PLUGIN)
    catalog.load_plugin(str(tmp_path / "mine.py"))
    with pytest.raises(TypeError, match="method mine: fit gave NoneType, not a Fitted"):
        SparseGPRegressor("mine").fit(np.eye(3), [1, 2, 3])
    (tmp_path / "other.py").write_text(PLUGIN.replace("def fit", "def fitt").replace("mine", "other"))
    catalog.load_plugin(str(tmp_path / "other.py"))
    with pytest.raises(NotImplementedError, match="method other has no fit"):
        SparseGPRegressor("other").fit(np.eye(3), [1, 2, 3])
