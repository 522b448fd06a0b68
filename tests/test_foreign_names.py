"""An unknown name is answered with the file that defines it, or with gpbench's own word for it."""

import pytest

from gpbench import catalog, foreign_names
from gpbench.errors import ConfigError


@pytest.mark.parametrize(
    "kind, name, ours",
    [("kernel", "rbf", "ard-se"), ("kernel", "RBFKernel", "ard-se"), ("kernel", "Matern-5", "matern52"),
     ("method", "SVGP", "vfe"), ("method", "spgp", "fitc"), ("method", "exact_gp", "full-gp")],
)  # fmt: skip
def test_names_of_other_libraries_are_understood(kind, name, ours):
    with pytest.raises(ConfigError, match=f"unknown {kind} '{name}'; gpbench calls it '{ours}'"):
        catalog.find(kind, name)


def test_every_word_stands_for_a_name_that_exists_and_is_none_of_ours():
    for kind, words in foreign_names._OURS.items():
        ours = catalog.own_names(kind)
        assert set(words.values()) <= ours and not words.keys() & ours


def test_a_file_nearby_that_defines_the_name_is_offered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text('class A:\n    name = "my-rule"\n')
    (tmp_path / "my_method.py").touch()
    with pytest.raises(ConfigError, match=r"other\.py may define it: add --plugin other\.py"):
        catalog.find("method", "my-rule")
    with pytest.raises(ConfigError, match=r"add --plugin my_method\.py"):
        catalog.find("method", "my-method")
