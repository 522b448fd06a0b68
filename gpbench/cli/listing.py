"""What there is: list, describe, schema, doctor."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import click

from .shared import Command, any_name, json_option, note, plugin_option, print_json

KINDS = {"datasets": "dataset", "methods": "method", "kernels": "kernel", "likelihoods": "likelihood",
         "stop-rules": "stop-rule"}  # fmt: skip


def _summary(cls) -> str:
    doc = (vars(cls).get("__doc__") or sys.modules[cls.__module__].__doc__ or "").strip().split("\n")[0]
    return getattr(cls, "title", "") or doc


def _sentence(cls) -> str:
    """What it is; of a method, what it does and when to take it."""
    return getattr(cls, "use", "") or _summary(cls)


@click.command("list", cls=Command)
@click.argument("what", type=click.Choice([*KINDS, "metrics", "configs"]))
@json_option
@plugin_option
def list_(what, as_json):
    """One line each: datasets, methods, kernels, likelihoods, metrics or configs."""
    if what in KINDS:
        from gpbench import catalog

        rows = {name: _sentence(cls) for name, cls in catalog.available(KINDS[what]).items()}
        for text in catalog.broken(KINDS[what]):
            note(text)
    elif what == "metrics":
        from gpbench import catalog, metrics

        for text in catalog.load_installed_metrics():
            note(text)
        rows = {m: _metric(m)["summary"] for m in metrics.METRICS}
    else:
        rows = {name: _config_title(path) for name, path in _configs().items()}
    if as_json:
        print_json(rows)
        return
    width = max(map(len, rows), default=0)
    for name, text in rows.items():
        click.echo(f"{name:<{width}}  {text}".rstrip())


def _metric(name: str) -> dict:
    from gpbench import metrics

    metric = metrics.METRICS[name]
    facts = {"summary": metric.about.split("\n")[0], "about": " ".join(metric.about.split()), "better": metric.best}
    return facts | {f"{task} needs": ", ".join(metric.needs(task)) for task in metric.tasks}


def _configs() -> dict[str, Path]:
    """By the name that `gpbench run` takes: files of ./configs, else those that come with gpbench."""
    from gpbench.experiment.config import packaged

    if here := sorted(Path("configs").rglob("*.yaml")):
        return {str(p): p for p in here}
    return {name: packaged.FOLDER / f"{name}.yaml" for name in packaged.names()}


def _config_title(path: Path) -> str:
    from gpbench.experiment.config.packaged import title

    return title(path)


def _config(path: Path) -> dict:
    """What a config runs."""
    from gpbench.experiment.config.config import load_config

    config = load_config(path)
    trials = {" or ".join(d.names): config.repetitions_for(d) for d in config.datasets}
    return {
        "summary": config.description, "file": str(path), "results": f"results/{config.name}",
        "trials": {name: f"{count}" for name, count in trials.items()},
        "methods": ", ".join(m.label for m in config.methods), "metrics": ", ".join(config.metrics),
        "published": "; ".join(f"{p['paper']} {p['item']}" for p in config.published),
    }  # fmt: skip


def _described(name: str) -> dict[str, dict]:
    from gpbench import catalog, metrics

    found = {kind: _facts(kind, cls) for kind in KINDS.values() if (cls := catalog.available(kind).get(name))}
    catalog.load_installed_metrics()
    if name in metrics.METRICS:
        found["metric"] = _metric(name)
    configs = _configs()
    path = next((configs[n] for n in (name, f"configs/{name}", f"configs/{name}.yaml") if n in configs), None)
    if path is None and name.endswith(".yaml") and Path(name).is_file():
        path = Path(name)
    if path is not None:
        found["config"] = _config(path)
    return found


@click.command(cls=Command)
@click.argument("name", shell_complete=any_name)
@json_option
@plugin_option
def describe(name, as_json):
    """Parameters, defaults, paper, licence, size and hashes of a method, data set or kernel; a metric; a config."""
    from gpbench import catalog, metrics
    from gpbench.errors import ConfigError
    from gpbench.experiment.config import packaged
    from gpbench.foreign_names import our_name
    from gpbench.text import suggestion

    described = _described(name)
    if not described:
        every = [n for kind in KINDS.values() for n in catalog.available(kind)]
        usual = "; see gpbench list methods|datasets|kernels|likelihoods|metrics|configs"
        known = [(kind, ours) for kind in KINDS.values() if (ours := our_name(kind, name))]
        hint = f"; gpbench calls this {known[0][0]} '{known[0][1]}'" if known else ""
        hint = hint or suggestion(name, [*every, *metrics.METRICS, *packaged.names()], usual)
        raise ConfigError(f"nothing is called '{name}'{hint}")
    if as_json:
        print_json(described)
        return
    for kind, facts in described.items():
        click.echo(f"{kind} {name}")
        for key, value in facts.items():
            if isinstance(value, dict) and value:
                click.echo(f"  {key}:")
                for k, v in value.items():
                    click.echo(f"    {k}: {v}")
            elif value not in (None, "", (), [], {}):
                click.echo(f"  {key}: {value}")


def _facts(kind: str, cls) -> dict:
    facts = {"summary": _summary(cls), "use": getattr(cls, "use", "")}
    if kind == "likelihood":
        return facts | {"targets": cls.targets, "parameters": dict.fromkeys(cls.parameters, "learned")}
    if kind == "kernel":
        import inspect

        from gpbench.gp.kernels.build import COMBINED, how_to_write

        if cls.name in COMBINED:
            return facts | {"written": how_to_write(cls.name)}
        options = list(inspect.signature(cls.create).parameters.values())[1:]
        facts["options"] = {p.name: "required" if p.default is p.empty else f"default {p.default}" for p in options}
        facts["input gradients"] = bool(cls.smooth)
        return facts
    facts["about"] = " ".join((cls.__doc__ or "").split())
    for key in ("paper", "papers", "stands_for", "task", "shape", "licence", "citation", "generated", "nested"):
        value = getattr(cls, key, None)
        if value:
            facts[key] = ", ".join(value) if key in ("papers", "stands_for") else value
    facts["parameters"] = {
        key: f"{_type_name(f.annotation)}, "
        + ("required" if f.is_required() else f"default {f.get_default(call_default_factory=True)!r}")
        + (f"; {f.description}" if f.description else "")
        for key, f in cls.model_fields.items()
    }
    if kind == "dataset":
        from gpbench.data.service import audit_at_hand

        facts |= {"home": cls.home, "notes": "; ".join(cls.notes), "audit": audit_at_hand(cls)}
        facts["files"] = {
            f.path: f"sha256 {f.sha256}" if f.sha256 else "no raw hash; its rows are checked" for f in cls.files
        }
    return facts


def _type_name(annotation) -> str:
    """What a config may write: `dtc|fitc` for a choice, `int|none` for an optional number."""
    import types
    from typing import Annotated, Literal, Union, get_args, get_origin

    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return "|".join(map(str, inside))
    if origin is Annotated:
        return _type_name(inside[0])
    if origin in (Union, types.UnionType):
        return "|".join("null" if a is type(None) else _type_name(a) for a in inside)
    if fields := getattr(annotation, "model_fields", None):
        return "{" + ", ".join(f"{k}: {_type_name(f.annotation)}" for k, f in fields.items()) + "}"
    if origin:
        return f"{origin.__name__} of {_type_name(inside[0])}"
    return getattr(annotation, "__name__", str(annotation))


@click.command(cls=Command)
def schema():
    """JSON schema of the config, for editors."""
    from gpbench.experiment.config.json_schema import config_schema

    print_json(config_schema())


@click.command(cls=Command)
@json_option
def doctor(as_json):
    """Versions, BLAS, threads, CHOLMOD, disk, available data."""
    import platform
    import shutil
    from importlib.metadata import PackageNotFoundError, version

    import numpy as np
    import scipy.linalg  # noqa: F401  (its BLAS pool shows only once loaded)
    import threadpoolctl

    from gpbench import __version__, catalog, data

    def installed(package):
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    facts = {
        "gpbench": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "packages": {p: installed(p) for p in ("numpy", "scipy", "numba", "pandas", "matplotlib", "pydantic")},
        "extras": {
            "sparse (scikit-sparse: CHOLMOD orderings)": installed("scikit-sparse")
            or "absent: pip install -e '.[sparse]'",
            "sklearn (the estimators in scikit-learn's company)": installed("scikit-learn")
            or "absent: pip install -e '.[sklearn]'",
            "molecules (RDKit)": installed("rdkit") or "absent: pip install -e '.[molecules]'",
            "peers": ", ".join(p for p in ("GPy", "gpflow", "gpytorch") if importlib.util.find_spec(p)) or "none",
        },
        "blas": {
            f"{p['internal_api']} {p.get('version')} ({Path(p['filepath']).name})": f"{p['num_threads']} threads"
            for p in threadpoolctl.threadpool_info()
        },
        "disk": f"{shutil.disk_usage('.').free / 2**30:.0f} GiB free here",
        "data folder": os.environ.get("GPBENCH_DATA", "datasets"),
        "mirror": os.environ.get("GPBENCH_MIRROR", "not set"),
        "data at hand": ", ".join(n for n in catalog.available("dataset") if data.at_hand({"name": n})) or "none",
        "dgemm": f"{_dgemm_rate(np):.0f} GFLOP/s",
    }
    if as_json:
        print_json(facts)
        return
    for key, value in facts.items():
        if isinstance(value, dict):
            click.echo(f"{key}:")
            for k, v in value.items():
                click.echo(f"  {k}: {v}")
        else:
            click.echo(f"{key}: {value}")


def _dgemm_rate(np, n: int = 1000) -> float:
    import time

    A = np.ones((n, n))
    A @ A
    begin = time.perf_counter()
    A @ A
    return 2 * n**3 / (time.perf_counter() - begin) / 1e9
