"""Names are files; a user's file is found like our own."""

import pytest

from gpbench import catalog
from gpbench.errors import ConfigError

PLUGIN = '''
from gpbench.methods.base import Method
class Mine(Method):
    """My method."""
    name = "mine"
    d_max: int = 3
'''


@pytest.fixture
def plugins(monkeypatch):
    monkeypatch.setattr(catalog, "_plugins", {})


def test_own_names_are_found_by_file_and_by_listing():
    for kind in ("method", "kernel", "dataset"):
        for name, cls in catalog.available(kind).items():
            assert catalog.find(kind, name) is cls and cls.name == name


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
    assert before and catalog.source_hash(cls) != before
    assert catalog.source_hash(catalog.find("method", "full-gp")) == ""


@pytest.mark.parametrize(
    "text, message",
    [
        (None, "no such file"),
        ("x = 1", "defines no Method, Kernel or Source"),
        ("1/0", "ZeroDivisionError"),
        ("def", "SyntaxError"),
    ],
)
def test_a_bad_plugin_is_one_sentence(tmp_path, plugins, text, message):
    file = tmp_path / "bad.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        catalog.load_plugin(str(file))
