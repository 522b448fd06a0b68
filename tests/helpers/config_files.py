"""Helpers of the config and plan tests: small files, with the plug-ins of plugins/config_parts.py."""

from pathlib import Path

import pytest

from gpbench import catalog
from gpbench.errors import ConfigError
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan
from tests.helpers.paths import PLUGINS

PARTS = PLUGINS / "config_parts.py"
BASE = "name: t\ndataset: rows\nmethods: [plain]\n"


@pytest.fixture
def parts(monkeypatch):
    """The plug-ins are known during the test and forgotten after it."""
    monkeypatch.setattr(catalog, "_plugins", {})
    catalog.load_plugin(str(PARTS))


def load(folder, text, *overrides):
    file = Path(folder) / "c.yaml"
    file.write_text(text)
    return load_config(file, overrides)


def problems(folder, text, *overrides):
    """Messages without the file's path: '3:7: ...'."""
    with pytest.raises(ConfigError) as e:
        load(folder, text, *overrides)
    assert e.value.exit_code == 2
    return [line.removeprefix(f"{folder}/c.yaml:").strip() for line in str(e.value).split("\n")]


def trials(folder, text, *overrides, **selection):
    return plan(load(folder, text, *overrides), **selection).trials
