"""Pages that the build writes from the code and from committed results, into docs/generated/ (git-ignored).

| page | comes from |
|---|---|
| config_keys.md | the pydantic models of the config, through its JSON schema |
| methods.md, kernels.md, data_sets.md, metrics.md | the classes and functions that `gpbench list` finds |
| scoreboard.md | results/check.json |
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "generated"


def table(head: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """A Markdown table; | inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *([str(c).replace("|", r"\|").replace("\n", " ") for c in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


# -- the config -------------------------------------------------------------------------------------------------------


def type_of(schema: dict) -> str:
    """What a value may be, in words."""
    if "const" in schema:
        return f"`{json.dumps(schema['const']).strip(chr(34))}`"
    if "enum" in schema:
        return ", ".join(f"`{v}`" for v in schema["enum"])
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2].rpartition(".")[2].lower()
    if "anyOf" in schema:
        parts = [type_of(s) for s in schema["anyOf"] if s.get("type") != "null"]
        return " or ".join(dict.fromkeys(p for p in parts if p))
    kind = schema.get("type", "")
    if kind == "array":
        return f"list of {type_of(schema.get('items', {})) or 'values'}"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"mapping to {type_of(inner)}" if isinstance(inner, dict) and inner else "mapping"
    words = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}
    return words.get(kind, kind) + _limits(schema)


def _limits(schema: dict) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    found = [f"{sign} {schema[key]:g}" for key, sign in signs.items() if key in schema]
    return f" {', '.join(found)}" if found else ""


def default_of(schema: dict) -> str:
    if "default" not in schema:
        return ""
    return "" if schema["default"] is None else f"`{json.dumps(schema['default'], ensure_ascii=False)}`"


def keys_of(schema: dict, required: Iterable[str] = ()) -> str:
    """A table of the keys of an object."""
    rows = []
    for key, about in schema.get("properties", {}).items():
        default = "required" if key in required else default_of(about)
        rows.append((f"`{key}`", type_of(about), default, about.get("description", "")))
    return table(["key", "value", "default", "meaning"], rows)


def config_keys() -> str:
    from gpbench.data.tables.csv_columns import Choices
    from gpbench.experiment.config.json_schema import config_schema
    from gpbench.experiment.config.sections import SPLITS, Compare, Hyperparameters, Limits, Published, Scale

    schema = config_schema()
    top = {k: v for k, v in schema["properties"].items() if "$ref" in v or "description" in v or "type" in v}
    own = ("name", "description", "dataset", "datasets", "methods", "split", "scale", "trials", "seed", "kernel")
    own += ("hyperparameters", "metrics", "also", "nmse_variance", "target_units", "compare", "published")
    parts = [
        "# Config keys\n\nUse this page to look up the name, the type and the default of every key of a config. The "
        "page is generated\nfrom the classes that check a config, so it cannot be out of date. "
        "[The config reference](../reference/config.md) explains\nthe keys with examples.\n",
        "## Top level\n\nThe parameters of a listed method may stand here, too: see [the methods](methods.md).\n",
        keys_of({"properties": {k: _short(k, top[k]) for k in own if k in top}}, ("name",)),
    ]
    for title, models, text in (
        ("split", SPLITS.items(), "`kind` chooses the form; `split: default` is the published split, else 90 %."),
        ("scale", [("", Scale)], "`scale: none` sets both keys to `none`."),
        ("hyperparameters", [("", Hyperparameters)], "How hyperparameters are set or learned."),
        ("compare", [("", Compare)], "The test behind the stars in the tables."),
        ("published", [("", Published)], "Which printed numbers stand beside ours."),
        ("timeout and memory", [("", Limits)], "Limits of one trial, at the top level."),
        ("csv data sets", [("", Choices)], "Keys of `dataset: {csv: FILE, target: COLUMN, ...}`."),
    ):
        parts.append(f"## {title}\n\n{text}\n")
        for name, model in models:
            found = model.model_json_schema(by_alias=True)
            heading = f"### kind: {name}\n\n" if name else ""
            parts.append(heading + keys_of(found, found.get("required", ())))
    return "\n".join(parts)


def _short(key: str, schema: dict) -> dict:
    """A key of the top level whose own section says more."""
    sections = {"split", "scale", "hyperparameters", "compare", "published"}
    if key in sections:
        return {"type": "see below", "description": schema.get("description", ""), **_default(schema)}
    if key in ("dataset", "methods", "kernel"):
        pages = {"dataset": "data_sets.md", "methods": "methods.md", "kernel": "kernels.md"}
        return {"type": f"a name or a mapping: [list]({pages[key]})", "description": schema.get("description", "")}
    if key == "datasets":
        return {"type": "list of data sets", "description": "instead of `dataset`"}
    return schema


def _default(schema: dict) -> dict:
    return {"default": schema["default"]} if "default" in schema else {}


# -- what a config may name -------------------------------------------------------------------------------------------


def methods() -> str:
    from gpbench import catalog

    text = (
        "# Methods\n\nUse this page to look up what a method does and which parameters it has. `gpbench describe "
        "NAME` prints the\nsame. [Choosing a method](../how-to/choosing.md) says which one to take.\n\n"
    )
    classes = catalog.available("method")
    text += table(["method", "what it is"], ((f"[`{n}`](#{n})", _title(c)) for n, c in classes.items()))
    for name, cls in classes.items():
        schema = cls.model_json_schema(by_alias=True)
        use = getattr(cls, "use", "")
        text += f"## {name}\n\n{_about(cls)}\n\n" + (f"{_plain(use)}.\n\n" if use else "")
        task = getattr(cls, "task", "regression")
        text += f"Task: {task}. Paper: {getattr(cls, 'paper', '') or 'none'}. Version: {cls.version}.\n\n"
        if schema.get("properties"):
            text += keys_of(schema, schema.get("required", ()))
    return text


def _title(cls) -> str:
    return (getattr(cls, "title", "") or _about(cls)).replace("\n", " ")


def _about(cls) -> str:
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def _plain(use: str) -> str:
    return use.strip().rstrip(".")


def kernels() -> str:
    import inspect

    from gpbench import catalog
    from gpbench.gp.kernels.build import COMBINED

    rows = []
    for name, cls in catalog.available("kernel").items():
        if name in COMBINED:
            continue
        options = list(inspect.signature(cls.create).parameters.values())[1:]
        shown = [f"`{p.name}`" + ("" if p.default is p.empty else f" ({p.default})") for p in options]
        rows.append((f"`{name}`", _about(cls), ", ".join(shown), "yes" if cls.smooth else "no"))
    head = ["kernel", "what it is", "options (default)", "moves inducing inputs"]
    return (
        "# Kernels\n\nUse this page to look up the names and options of the kernels. `bias: true` adds an unknown "
        "constant to any\nkernel; `sum` and `product` combine kernels. The formulas are in "
        "[the config reference](../reference/config.md#kernels).\n\n" + table(head, rows)
    )


def data_sets() -> str:
    from gpbench import catalog

    rows = []
    for name, cls in catalog.available("dataset").items():
        shape = getattr(cls, "shape", None)
        size = " x ".join(map(str, shape)) if isinstance(shape, tuple) else str(shape or "")
        origin = "generated" if getattr(cls, "generated", False) else "file"
        options = ", ".join(f"`{k}`" for k in cls.model_fields)
        rows.append((f"`{name}`", _title(cls), size, origin, getattr(cls, "task", "regression"), options))
    head = ["data set", "what it is", "rows x inputs", "origin", "task", "options"]
    return (
        "# Data sets\n\nUse this page to look up the data sets that a config can name. Generated sets need no file; "
        "[Data](../reference/data.md)\nexplains where the files of the others come from.\n\n" + table(head, rows)
    )


def metrics() -> str:
    from gpbench import metrics as scores

    rows = []
    for name, metric in scores.METRICS.items():
        rows.append((f"`{name}`", " ".join(metric.about.split("\n\n")[0].split()), metric.best))
    return "# Metrics\n\nUse this page to look up what a score measures and which values are better.\n\n" + table(
        ["metric", "what it measures", "best"], rows
    )


# -- results ----------------------------------------------------------------------------------------------------------


def scoreboard() -> str:
    from gpbench.report.site.readme_state import state

    found = json.loads((ROOT / "results" / "check.json").read_text(encoding="utf-8"))
    counted = state(found)
    return (
        "# Scoreboard\n\nThis page shows how many printed results and claims of the five papers gpbench reproduces. "
        "It is written from\n`results/check.json` when the documentation is built. "
        "[The verdicts](../explanations/check.md) are explained, and\n"
        "[the reproduction report](../results/reproduction.md) gives every number with reasons.\n\n"
        f"{counted}\n\n`make site` writes the full scoreboard, with one page for each paper and each results folder, "
        "into `site/`. This\ndocumentation is its folder `docs/`.\n\n"
        '```{raw} html\n<p><a class="scoreboard" href="../../index.html">Open the full scoreboard</a></p>\n```\n'
    )


PAGES = {
    "config_keys": config_keys, "methods": methods, "kernels": kernels, "data_sets": data_sets, "metrics": metrics,
    "scoreboard": scoreboard,
}  # fmt: skip


def write(_app=None) -> None:
    """Write each page; an unchanged one keeps its time, so that Sphinx does not read it again."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        file, text = OUT / f"{name}.md", make()
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def setup(app) -> dict:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
