"""Other libraries as methods: numbers equal the library called by hand, and a broken one costs its own trial only."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpbench import catalog
from gpbench.adapters import environment
from gpbench.adapters.offers import offers
from gpbench.errors import ConfigError, NotApplicable
from gpbench.experiment.config.config import load_config
from gpbench.experiment.config.resolved import resolved_yaml
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.results.folder import ResultsFolder
from tests.helpers.driver import run_here, trial
from tests.helpers.paths import PLUGINS

pytestmark = pytest.mark.long
RIDGE = str(PLUGINS / "ridge.py")
FATES = {
    "ok": ("ok", ""),
    "raise": ("failed", "ValueError: no such luck"),
    "exit": ("failed", "ended with code 3 during fit"),
    "hang": ("timeout", "time limit"),
    "hog": ("oom", "Memory"),
}


def external(behaviour="ok", **options):
    return trial("external", external=RIDGE, options={"behaviour": behaviour, **options}, label=behaviour)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapters")
    trials = {b: external(b) for b in FATES}
    trials["ours"] = trial(label="ours")
    run_here(folder, list(trials.values()), jobs=2, timeout=20, memory=400, save_predictions=True)
    store = ResultsFolder(folder)
    found = store.results(list(trials.values()))
    return store, trials, {name: found[t.id] for name, t in trials.items()}


@pytest.mark.parametrize("behaviour", FATES)
def test_every_fate_of_a_library_is_the_fate_of_its_trial(zoo, behaviour):
    status, reason = FATES[behaviour]
    _, _, results = zoo
    assert results[behaviour].status == status, results[behaviour].reason
    assert reason in results[behaviour].reason


def test_a_broken_library_costs_nobody_else_and_leaves_no_process(zoo):
    _, _, results = zoo
    assert results["ours"].status == "ok"
    left = subprocess.run(["pgrep", "-f", RIDGE], capture_output=True, text=True).stdout
    assert not left.strip()


def test_numbers_equal_the_adapter_called_by_hand_on_the_same_split(zoo):
    store, trials, results = zoo
    draw = trial_data(trials["ok"])
    X, y = draw.scaled(draw.split.train)
    spec = {}
    exec(Path(RIDGE).read_text(), spec)
    model = spec["fit"](X, y, {})
    mean, var = model.predict(draw.scaler.inputs(draw.X_test))
    mean, var = draw.scaler.back(mean, var, draw.X_test)
    with np.load(store.trial_path(trials["ok"].id, ".npz")) as arrays:
        np.testing.assert_allclose(arrays["mean"], mean, rtol=1e-12)
        np.testing.assert_allclose(arrays["var"], var, rtol=1e-12)
        assert "theta" not in arrays
    result = results["ok"]
    assert result.n_basis == X.shape[1] + 1 and result.log_evidence == -1.5 and "by hand" in result.notes
    assert result.theta == {}


def test_times_are_those_of_the_library_without_its_start(zoo):
    _, _, results = zoo
    assert 0 < results["ok"].seconds["fit"] < 0.2  # the process alone takes longer to start


def test_identity_follows_pinned_packages_and_code_but_not_the_machine(tmp_path):
    copy = tmp_path / "mine.py"
    copy.write_text(Path(RIDGE).read_text())
    first = environment.find(str(copy)).lock
    copy.write_text(Path(RIDGE).read_text() + "\n# edited\n")
    edited = environment.find(str(copy)).lock
    (tmp_path / "requirements.txt").write_text("numpy==1.26.4\n")
    pinned = environment.find(str(copy)).lock
    assert len({first, edited, pinned}) == 3 and first == environment.find(RIDGE).lock


def test_a_library_that_cannot_be_installed_is_skipped_with_the_reason(tmp_path, monkeypatch):
    copy = tmp_path / "mine.py"
    copy.write_text(Path(RIDGE).read_text())
    (tmp_path / "requirements.txt").write_text("no-such-package-of-gpbench==1.0\n")
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    one = trial("external", external=str(copy))
    run_here(tmp_path / "out", [one])
    result = ResultsFolder(tmp_path / "out").results([one])[one.id]
    assert result.status == "skipped" and "mine could not be installed" in result.reason
    adapter = environment.find(str(copy))
    assert not environment.installed(adapter) and not adapter.folder.exists()
    assert run_here(tmp_path / "out", [one]).ran == 0 and run_here(tmp_path / "out", [one], rerun="failed").ran == 1
    adapter.folder.mkdir(parents=True)
    (adapter.folder / ".installed").touch()  # by hand: the next run tries it without being asked
    assert run_here(tmp_path / "out", [one]).ran == 1


@pytest.mark.parametrize("edit, reason", [(" ", "has changed since the run was planned"), (None, "no such file")])
def test_a_file_that_is_not_the_planned_one_is_refused_in_a_sentence(tmp_path, edit, reason):
    copy = tmp_path / "mine.py"
    copy.write_text(Path(RIDGE).read_text())
    one = trial("external", external=str(copy))
    copy.write_text(copy.read_text() + edit) if edit else copy.unlink()
    run_here(tmp_path / "out", [one])
    result = ResultsFolder(tmp_path / "out").results([one])[one.id]
    assert result.status == "failed"
    assert result.reason.startswith(f"ConfigError: external {copy}: {reason}"), result.reason
    assert "pydantic" not in result.reason


def test_an_environment_is_made_used_and_removed(tmp_path, monkeypatch):
    """With no package at all, so that nothing is fetched: the adapter then finds no numpy and says so."""
    copy = tmp_path / "mine.py"
    copy.write_text(Path(RIDGE).read_text())
    (tmp_path / "requirements.txt").write_text("")
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path / "data"))
    adapter = environment.find(str(copy))
    python = environment.python_of(adapter)
    assert python.exists() and environment.installed(adapter)
    other = environment.home() / "mine-0123456789ab"
    other.mkdir()
    assert environment.remove(adapter) == [adapter.folder] and not environment.installed(adapter)
    assert other.is_dir()  # of another file of that name


def test_offline_nothing_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("GPBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("GPBENCH_OFFLINE", "1")
    with pytest.raises(NotApplicable, match="OFFLINE"):
        environment.python_of(environment.find("gpboost"))


def test_unknown_names_are_config_errors_that_tell_the_known_ones(tmp_path):
    for name in ("gpbust", "gpytorch-sgd", "./nowhere.py"):
        with pytest.raises(ConfigError):
            environment.find(name)
    config = tmp_path / "c.yaml"
    config.write_text("name: c\ndataset: friedman2\nmethods: [{external: gpbust}]\n")
    with pytest.raises(ConfigError, match=r"c\.yaml:3.*known libraries are"):
        load_config(config)


def test_an_adapter_beside_the_config_is_found_from_any_folder_and_has_one_id(tmp_path, monkeypatch):
    home, away = tmp_path / "home", tmp_path / "away"
    for folder in (home, away):
        folder.mkdir()
    (home / "mine.py").write_text(Path(RIDGE).read_text())
    (home / "c.yaml").write_text("name: c\ndataset: friedman2\nmethods: [{external: ./mine.py}]\n")
    ids = {}
    for folder in (home, away, tmp_path):
        monkeypatch.chdir(folder)
        config = load_config(Path(os.path.relpath(home / "c.yaml", folder)))
        [planned] = plan(config).trials
        assert environment.find(planned.params["external"]).file == home / "mine.py"
        results = folder / "results" / "c"
        results.mkdir(parents=True)
        (results / "config.resolved.yaml").write_text(resolved_yaml(config, results))
        [again] = plan(load_config(results / "config.resolved.yaml")).trials
        ids[folder] = {planned.id, planned.path_key, again.id, again.path_key}
        assert (planned.label, again.label) == ("./mine.py", "./mine.py")
    assert ids[home] == ids[away] == ids[tmp_path] and len(ids[home]) == 2
    (away / "mine.py").write_text("MODELS = ('other',)\n")  # beside the config comes first
    monkeypatch.chdir(away)
    [planned] = plan(load_config(Path("../home/c.yaml"))).trials
    assert planned.id in ids[home]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"def fit(:\n", "f.py, line 1: invalid syntax"),
        (b"\nMODELS = [f(x)]\n", "f.py, line 2: MODELS must be names"),
        (b"MODELS = ()\n", "f.py, line 1: MODELS must be names"),
        (b"\xff\xfe\x00", "f.py: no Python file"),
    ],
)
def test_an_adapter_that_cannot_be_read_is_told_where_it_stands(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    Path("f.py").write_bytes(content)
    Path("c.yaml").write_text("name: c\ndataset: friedman2\nmethods: [{external: ./f.py}]\n")
    with pytest.raises(ConfigError, match=re.escape(f"c.yaml:3:22: 'external': {message}")):
        load_config(Path("c.yaml"))


@pytest.mark.parametrize(
    "entry, message",
    [
        (
            "gpy-fitc, options: {iteratons: 1}",
            "gpy-fitc has no option iteratons; it has iterations,",
        ),
        ("gpy-fitc, options: {warm_up: true}", "warm_up is gpbench's own to tell"),
        ("gpy-fitc, approx: nosuch", "gpy-fitc has no approximation nosuch; leave it out"),
        ("gpboost, approx: nosuch", "gpboost has no approximation nosuch; it has vecchia, fitc, vif"),
        (
            "gpboost-vif, options: {likelihood: gaussian}",
            "likelihood: 'gaussian' is not one of poisson, negative-binomial, student-t",
        ),
        ("gpboost-vecchia, approx: fitc", "gpboost-vecchia is vecchia; for fitc write external: gpboost-fitc"),
        ("gpy-fitc, options: {iterations: many}", "iterations: 'many' is not a whole number from 1"),
        ("gpy-fitc, options: {iterations: 0}", "iterations: 0 is not a whole number from 1"),
        ("gpflow-svgp, options: {rate: -1}", "rate: -1 is not a positive number"),
        ("gpflow-sgpr, options: {optimise_inputs: 1}", "optimise_inputs: 1 is not true or false"),
        ("gpboost-vecchia, options: {neighbours: 2.5}", "neighbours: 2.5 is not a whole number from 1"),
        ("sklearn-boosting, d_max: [10, 20]", "'d_max': sklearn-boosting takes no notice of it"),
        ("gpboost, approx: vecchia, d_max: 20", "'d_max': gpboost vecchia takes no notice of it"),
        ("gpy-fitc, hyperparameters: {schedule: joint}", "gpy-fitc learns its own; leave them out"),
    ],
)
def test_what_a_library_does_not_offer_or_cannot_take_is_refused_where_it_stands(tmp_path, entry, message):
    config = tmp_path / "c.yaml"
    config.write_text(f"name: c\ndataset: friedman2\nmethods: [{{external: {entry}}}]\n")
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_config(config)


def test_a_kernel_that_a_library_does_not_have_is_not_replaced_by_another(tmp_path):
    one = trial("external", external="sklearn-exact", kernel={"name": "matern32", "bias": False})
    run_here(tmp_path, [one])
    result = ResultsFolder(tmp_path).results([one])[one.id]
    assert (result.status, result.reason) == ("skipped", "sklearn-exact has no kernel matern32; it has ard-se")


def test_every_kept_lock_is_one_of_a_model_that_there_is():
    """Of the present code, or it says nothing: those of earlier code are no longer asked for."""
    for content, kept in environment.kept_locks().items():
        names = {m for library in environment.libraries() for m in environment.models(environment.find(library).file)}
        assert re.fullmatch("[0-9a-f]{16}", content) and kept.keys() <= names
        assert all(re.fullmatch("[0-9a-f]{16}", lock) and lock != content for lock in kept.values())


def test_an_edit_that_adds_a_model_keeps_the_lock_of_the_others(tmp_path, monkeypatch):
    copy = tmp_path / "mine.py"
    copy.write_text("MODELS = ('one', 'two')\n")
    adapter = environment.find(str(copy))
    plain = adapter.lock
    monkeypatch.setattr(environment, "kept_locks", lambda: {plain: {"one": "0123456789abcdef"}})
    assert adapter.lock == "0123456789abcdef" and adapter.of("two").lock == plain
    environment.refuse_changed(str(copy), "0123456789abcdef")
    environment.refuse_changed(str(copy), plain, "two")
    with pytest.raises(ConfigError, match="has changed since"):
        environment.refuse_changed(str(copy), plain)
    copy.write_text("MODELS = ('one', 'two')\n# edited again\n")
    assert adapter.lock not in (plain, "0123456789abcdef")


def test_a_kernel_with_one_lengthscale_is_not_replaced_by_ard(tmp_path):
    one = trial("external", external="sklearn-exact", kernel={"name": "ard-se", "ard": False})
    run_here(tmp_path, [one])
    result = ResultsFolder(tmp_path).results([one])[one.id]
    assert result.status == "skipped" and result.reason.endswith("ard: false is not offered")


def test_a_general_grid_of_sizes_reaches_models_that_have_one(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text(
        "name: c\ndataset: friedman2\nd_max: [10, 20]\nmethods:\n"
        "  - external: sklearn-boosting\n  - external: gpy-fitc\n"
        "  - {external: gpboost, approx: fitc, label: f}\n  - {external: gpboost, label: v}\n"
    )
    sizes = [(t.label, t.params["d_max"]) for t in plan(load_config(config)).trials]
    assert sizes == [("sklearn-boosting", None), *((n, d) for n in ("gpy-fitc", "f") for d in (10, 20)), ("v", None)]


def test_every_model_says_what_it_offers():
    for library in environment.libraries():
        for model in environment.models(environment.find(library).file):
            there = offers(environment.find(f"{library}-{model}"))
            assert there.options is not None and there.approx is not None
            assert there.kernels is not None or model in ("boosting", "logistic", "boosting-classifier")
            assert (there.task == "classification") == (model.endswith("classifier") or model == "logistic")
            assert set(there.kernels or ()) <= set(catalog.available("kernel"))
    assert offers(environment.find(RIDGE)).options is None


@pytest.mark.parametrize(
    "code, reason",
    [
        ("import nosuchmodule", "No module named 'nosuchmodule'"),
        ("M = type('M', (), {'notes': 'a text'})", "the adapter's notes is 'a text', which is not a list of texts"),
        ("M = type('M', (), {'n_basis': 'few'})", "the adapter's n_basis is 'few', which is not a whole number"),
    ],
)
def test_what_is_wrong_with_an_adapter_is_the_reason_of_its_trial(tmp_path, code, reason):
    mine = tmp_path / "mine.py"
    mine.write_text(f"{code}\n\ndef fit(X, y, params):\n    return M()\n")
    one = trial("external", external=str(mine))
    run_here(tmp_path / "out", [one])
    result = ResultsFolder(tmp_path / "out").load(one)
    assert result.status == "failed" and reason in result.reason


def test_a_config_lists_libraries_beside_our_methods_without_a_full_gp_for_them(tmp_path):
    from gpbench.experiment.plan.full_gp_key import full_gp_key
    from gpbench.experiment.plan.plan import plan

    config = tmp_path / "c.yaml"
    config.write_text(
        "name: c\ndataset: friedman2\nd_max: 20\n"
        "methods: [random, {external: gpboost, approx: vecchia}, {external: gpytorch-svgp, d_max: 50}]\n"
    )
    trials = plan(load_config(config)).trials
    assert [t.label for t in trials] == ["random", "gpboost vecchia", "gpytorch-svgp"]
    assert [full_gp_key(t) is None for t in trials][1:] == [True, True]
    assert [t.params["d_max"] for t in trials] == [20, None, 50]


def test_requirements_are_pinned_exactly_and_every_library_declares_its_models():
    for library in environment.libraries():
        adapter = environment.find(library)
        lines = adapter.requirements.read_text().split()
        assert lines and all("==" in line for line in lines), library
        assert environment.models(adapter.file)[0] == adapter.model


def test_serve_imports_nothing_of_ours():
    code = "import sys; import importlib.util as u; "
    code += f"s = u.spec_from_file_location('s', {str(environment.HOME / 'serve.py')!r}); m = u.module_from_spec(s); "
    code += "s.loader.exec_module(m); print([k for k in sys.modules if k.startswith('gpbench')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(out.replace("'", '"')) == []
