"""Write a config with its defaults filled in (results/<name>/config.resolved.yaml), and read that file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from gpbench.data.dataset import OWN
from gpbench.errors import DataError
from gpbench.text import is_python_file
from gpbench.versions import defaults

if TYPE_CHECKING:
    from .config import Config


NAME = "config.resolved.yaml"


def resolved_yaml(config: Config, folder: str | Path = ".") -> str:
    """The config as text, with defaults filled in; loading it gives the same trials from any working directory.

    `folder`: where the text will be stored; paths of the user's files are relative to it.

    A parameter that only some data sets set stays in their entries, because no single value is right for all.
    """
    by_dataset = {k for d in config.datasets for k in d.params}
    methods = []
    for m in config.methods:
        decided = config.params.keys() | by_dataset | m.params.keys()
        usual = {k: v for k, v in defaults(m.cls).items() if k not in decided}
        params = _seen_from(folder, m.params, ("external",)) if is_python_file(m.params.get("external")) else m.params
        methods.append({"method": m.method, "label": m.label} | m.settings | params | usual)
    datasets = []
    for d in config.datasets:
        these = [_seen_from(folder, a) for a in d.alternatives]
        base = these[0] if len(these) == 1 else {"first_of": these}
        datasets.append(base | ({"label": d.label} if d.label else {}) | _writable(d.settings) | d.params)
    content = {
        "name": config.name, "description": config.description, "datasets": datasets, **_writable(config.settings),
        "seed": config.seed, **config.params, "methods": methods, "metrics": list(config.metrics),
        "also": list(config.also),
        "compare": config.compare, "published": list(config.published), "timeout": config.timeout,
        "memory": config.memory,
    }  # fmt: skip
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def read_resolved(folder: str | Path) -> dict:
    """The content of a results folder's config.resolved.yaml, unchecked; {} if the file does not exist."""
    file = Path(folder) / NAME
    if not file.is_file():
        return {}
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as e:
        raise DataError(f"{file}: not valid YAML; run the config again to rewrite it") from e


def _seen_from(folder: str | Path, entry: dict, paths=OWN) -> dict:
    return entry | {kind: os.path.relpath(entry[kind], folder) for kind in paths if kind in entry}


def _writable(settings: dict) -> dict:
    out = dict(settings)
    if out.get("split") == {}:
        out["split"] = "default"
    if "trials" in out and out["trials"] is None:
        del out["trials"]  # 1, or the number of folds of each data set
    return out


class _Dumper(yaml.SafeDumper):
    """Writes YAML that yaml_document reads unchanged: no aliases; text that looks like a number is quoted."""

    def ignore_aliases(self, data):
        return True

    def text(self, data: str):
        return self.represent_scalar("tag:yaml.org,2002:str", data, style="'" if re.match(r"[-+.\d]", data) else None)


_Dumper.add_representer(str, _Dumper.text)
