"""What the forms of a config mean: defaults, precedence, kernels, hyperparameters, writing it back, the schema."""

import json
import re

import jsonschema
import numpy as np
import pytest
import yaml

from gpbench.errors import ConfigError
from gpbench.experiment.config.config import ONCE, load_config, resolved_yaml
from gpbench.experiment.config.json_schema import config_schema
from gpbench.experiment.config.sections import SPLITS, Hyperparameters
from gpbench.experiment.config.settings import SETTINGS
from gpbench.experiment.config.yaml_document import read
from gpbench.experiment.plan.plan import plan
from gpbench.gp.kernels.build import build_kernel
from tests.helpers.config_files import BASE, load, parts, trials  # noqa: F401  (parts is a fixture)

pytestmark = pytest.mark.usefixtures("parts")


def one(folder, text, *overrides):
    return trials(folder, text, *overrides)[0]


def test_defaults_are_those_of_the_reference(tmp_path):
    config = load(tmp_path, BASE)
    trial = plan(config).trials[0]
    assert trial.split == {} and trial.scale == {"inputs": "standardise", "target": "standardise"}
    assert trial.kernel == {"name": "ard-se", "ard": True, "form": "half", "bias": False}
    assert trial.hyperparameters == {
        "schedule": "fixed", "from": "full-gp", "subset": None, "subset_of": "train", "evaluations": 200,
        "optimiser": "lbfgs", "restarts": 1, "prior": "none",
    }  # fmt: skip
    assert trial.scoring == {"nmse_variance": "dataset", "target_units": "raw"}
    assert (config.seed, config.metrics, config.timeout, config.memory) == (0, ("nmse", "nlpd"), None, None)
    assert config.compare == {"test": "paired-t", "alpha": 0.05, "correction": "none"} and config.published == ()


def test_classification_is_scored_by_errors_unless_said_otherwise(tmp_path):
    assert load(tmp_path, "name: t\ndataset: labels\nmethods: [classifier]\n").metrics == ("err", "nlpd")


def test_numbers_may_be_written_with_an_exponent(tmp_path):
    assert one(tmp_path, BASE + "nugget: 1e-3\n").params == {"nugget": 1e-3}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("{schedule: interleaved}", {"schedule": "interleaved", "rounds": 10, "evaluations": 20}),
        ("{schedule: joint, evaluations: 7}", {"schedule": "joint", "evaluations": 7}),
        (
            "{schedule: interleaved, from: full-gp, subset: 9, rounds: 2}",
            {"schedule": "interleaved", "from": "full-gp", "subset": 9, "subset_of": "train", "start_evaluations": 200,
             "rounds": 2, "evaluations": 20},
        ),
        (
            "{schedule: joint, values: {variance: 2, lengthscale: [1, 2], noise: 0.1}, optimiser: cg}",
            {"schedule": "joint", "values": {"variance": 2.0, "lengthscale": [1.0, 2.0], "noise": 0.1},
             "evaluations": 200, "optimiser": "cg"},
        ),
    ],
)  # fmt: skip
def test_hyperparameters_keep_only_what_plays_a_part(tmp_path, text, expected):
    found = one(tmp_path, BASE + f"hyperparameters: {text}\n").hyperparameters
    assert found == {"optimiser": "lbfgs", "restarts": 1, "prior": "none"} | expected


def test_a_prior_is_kept_for_a_classifier(tmp_path):
    given = "{schedule: joint, values: {variance: 2, lengthscale: [1, 2], noise: 0.1}, prior: half-t, optimiser: cg}"
    text = f"name: t\ndataset: labels\nmethods: [classifier]\nhyperparameters: {given}\n"
    values = {"variance": 2.0, "lengthscale": [1.0, 2.0], "noise": 0.1}
    assert one(tmp_path, text).hyperparameters == {
        "schedule": "joint", "values": values, "evaluations": 200, "prior": "half-t", "optimiser": "cg", "restarts": 1,
    }  # fmt: skip


def test_given_values_need_no_optimiser_and_an_idle_bias_is_dropped(tmp_path):
    values = "hyperparameters: {values: {variance: 1, lengthscale: 2, noise: 0.1, bias: 0}}\n"
    plain = {"variance": 1.0, "lengthscale": 2.0, "noise": 0.1}
    assert one(tmp_path, BASE + values).hyperparameters == {"schedule": "fixed", "values": plain}
    biased = one(tmp_path, BASE + values + "kernel: {name: ard-se, bias: true}\n").hyperparameters
    assert biased["values"] == plain | {"bias": 0.0}


def test_method_entry_beats_data_set_entry_beats_top_level(tmp_path):
    text = """
name: t
datasets:
  - rows
  - {name: friedman3, n_train: 30, trials: 2, nugget: 0.2, cache: 7, kernel: bias, nmse_variance: test}
methods: [plain, {method: plain, label: own, nugget: 0.3, kernel: {name: ard-se, form: plain}}, rich]
d_max: 4
nugget: 0.1
"""
    found = {(t.dataset_name, t.label, t.index): t for t in trials(tmp_path, text)}
    assert len(found) == 3 + 2 * 3
    assert found["rows", "plain", 0].params == {"nugget": 0.1}
    assert found["friedman3", "plain", 1].params == {"nugget": 0.2}
    assert found["friedman3", "own", 0].params == {"nugget": 0.3}
    assert found["friedman3", "own", 0].kernel["form"] == "plain"
    assert found["friedman3", "plain", 0].kernel == {"name": "bias"}
    assert found["friedman3", "rich", 0].params["cache"] == 7 and found["rows", "rich", 0].params["cache"] == 0
    assert found["friedman3", "rich", 0].scoring["nmse_variance"] == "test"
    assert found["friedman3", "rich", 0].dataset["n_train"] == 30


def test_a_data_set_may_be_listed_at_several_training_sizes(tmp_path):
    sizes = (
        "datasets: [{name: rows, split: {kind: random, n_train: 5}}, {name: rows, split: {kind: random, n_train: 6}}]"
    )
    found = trials(tmp_path, f"name: t\n{sizes}\nmethods: [plain]\n")
    assert [t.split["n_train"] for t in found] == [5, 6]


def test_overrides_reach_into_mappings_and_lists(tmp_path):
    text = "name: t\ndataset: {name: rows, size: 5}\nmethods: [plain, {method: plain, label: b}]\n"
    options = ["dataset.size=9", "methods.1.nugget=0.5", "split={kind: folds, k: 3}", "scale.inputs=none", "seed=4"]
    a, b = trials(tmp_path, text, *options)[:2]
    assert a.dataset == {"name": "rows", "size": 9} and b.params == {"nugget": 0.5}
    assert a.split == {"kind": "folds", "k": 3} and a.scale["inputs"] == "none" and a.seed == 4
    assert len(trials(tmp_path, text, *options)) == 2 * 3  # as many trials as folds


def test_kernels_are_built_from_their_description(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, 2))
    text = "kernel: {sum: [{product: [ard-se, {name: ard-se, ard: false, form: plain}]}, bias]}\n"
    spec = one(tmp_path, BASE + text).kernel
    product, bias = spec["sum"]
    assert product["product"][1] == {"name": "ard-se", "ard": False, "form": "plain", "bias": False}
    kernel = build_kernel(spec, X)
    a, b = (build_kernel(part, X) for part in product["product"])
    assert np.allclose(kernel(X), a(X) * b(X) + build_kernel(bias, X)(X), rtol=0, atol=1e-14)
    biased = build_kernel({"name": "ard-se", "bias": True}, X)
    assert np.allclose(biased(X), build_kernel({"name": "ard-se"}, X)(X) + 1.0, rtol=0, atol=1e-14)
    assert biased.names == ("variance", "lengthscale[0]", "lengthscale[1]", "bias")


AWKWARD = """
name: t
description: "010"
datasets:
  - {name: rows, size: 7, cache: 3, scale: none}
  - {first_of: [friedman2, {name: friedman3, noise_ratio: 2}], trials: 2, hyperparameters: {schedule: joint}}
split: {kind: random, n_train: 50}
trials: 3
seed: 9
kernel: {sum: [{name: ard-se, bias: true}, {name: warped, depth: 2}]}
d_max: [4, 8]
nugget: 1e-9
stop: {patience: 4}
methods:
  - {method: rich, label: 1e-3, cache: d_max, bounds: [0.5, 2]}
  - {method: rich, label: 'no', working_set: [all, 5]}
  - {method: plain, label: "[x] \\u00e9: #"}
metrics: [smse]
published: [{paper: keerthi, item: Figure 1}, {paper: cao, item: Fig. 1}]
timeout: 1e3
memory: 900
"""


def test_the_resolved_config_gives_the_same_trials(tmp_path):
    config = load(tmp_path, AWKWARD.replace("label: 1e-3", "label: '1e-3'"))
    written = tmp_path / "resolved.yaml"
    written.write_text(resolved_yaml(config), encoding="utf-8")
    again = load_config(written)
    assert [(t.id, t.label) for t in plan(again).trials] == [(t.id, t.label) for t in plan(config).trials]
    assert (again.metrics, again.published, again.timeout, again.memory, again.description) == (
        ("smse",), config.published, 1000.0, 900, "010"
    )  # fmt: skip
    assert resolved_yaml(again) == resolved_yaml(config)


def test_the_resolved_config_names_every_parameter(tmp_path):
    resolved = yaml.safe_load(resolved_yaml(load(tmp_path, BASE)))
    assert resolved["methods"] == [{"method": "plain", "label": "plain", "nugget": 1e-8}]
    assert resolved["datasets"] == [{"name": "rows", "size": 100}]
    assert resolved["kernel"]["form"] == "half" and resolved["hyperparameters"]["subset"] is None


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(json.dumps(config_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_reference_names_every_key_and_its_first_example_runs(repo, tmp_path):
    text = (repo / "docs/reference/config.md").read_text(encoding="utf-8")
    for key in (*SETTINGS, *ONCE, *SPLITS, *(f.alias or name for name, f in Hyperparameters.model_fields.items())):
        assert f"`{key}`" in text or f"kind: {key}" in text or f"{key}:" in text, key
    first = text.split("```yaml\n")[1].split("```")[0]
    assert len(trials(tmp_path, first)) == 5 * (1 + 3)


def all_configs(repo):
    return sorted((repo / "configs").rglob("*.yaml"))


def test_every_config_of_the_repository_is_valid(repo, validator):
    assert len(all_configs(repo)) >= 4
    for file in all_configs(repo):
        assert not [e.message for e in validator.iter_errors(read(file).data)], file
        config = load_config(file)
        assert not [e.message for e in validator.iter_errors(yaml.safe_load(resolved_yaml(config)))], file


def test_the_schema_accepts_what_is_accepted_and_refuses_what_is_refused(tmp_path):
    validator = jsonschema.Draft202012Validator(config_schema())  # with the plug-ins of this module
    (tmp_path / "a.yaml").write_text(AWKWARD.replace("label: 1e-3", "label: '1e-3'"))
    assert not [e.message for e in validator.iter_errors(read(tmp_path / "a.yaml").data)]
    base = {"name": "t", "dataset": "rows", "methods": ["plain"]}
    assert validator.is_valid(base)
    for wrong in (
        {"trials": "no"}, {"trails": 3}, {"dataset": "rws"}, {"methods": ["plian"]}, {"methods": []}, {"name": "../x"},
        {"split": {"kind": "randm"}}, {"split": {"kind": "random"}}, {"kernel": "ard-sf"}, {"metrics": ["nlpdd"]},
        {"kernel": {"name": "warped"}}, {"methods": [{"method": "plain", "nuget": 1}]}, {"datasets": ["rows"]},
        {"dataset": {"name": "rows", "sise": 1}}, {"published": {"paper": "x", "item": "y"}}, {"timeout": 0},
    ):  # fmt: skip
        assert not validator.is_valid(base | wrong), wrong


IDLE = [
    ("cholqr", "{schedule: joint, evaluations: 200}", "evaluations"),
    ("cholqr", "{schedule: joint, optimiser: lbfgs}", "optimiser"),
    ("cholqr", "{schedule: joint, restarts: 1}", "restarts"),
    ("cholqr", "{schedule: interleaved, rounds: 3, evaluations: 15}", "rounds"),
    ("nlml", "{schedule: interleaved, restarts: 2}", "restarts"),
    ("csi", "{schedule: joint, evaluations: 10}", "evaluations"),
    ("fitc", "{schedule: interleaved, rounds: 3}", "rounds"),
]


@pytest.mark.parametrize("method, given, key", IDLE)
def test_a_key_of_the_schedule_that_the_method_takes_no_notice_of_is_refused(tmp_path, method, given, key):
    own = f"name: t\ndataset: friedman3\nmethods: [{{method: {method}, hyperparameters: {given}}}]\n"
    schedule = given.split()[1].rstrip(",")
    message = f"'{key}': {method} takes no notice of it with `schedule: {schedule}`"
    with pytest.raises(ConfigError, match=re.escape(message)):
        load(tmp_path, own)
    general = f"name: t\ndataset: friedman3\nmethods: [{method}]\nhyperparameters: {given}\n"
    with pytest.raises(ConfigError, match=re.escape(message)):
        load(tmp_path, general)


def test_a_general_key_serves_one_of_the_methods_and_a_start_has_its_optimiser_and_restarts(tmp_path):
    text = "name: t\ndataset: friedman3\nmethods: [cholqr, fitc]\nhyperparameters: {schedule: joint, evaluations: 9}\n"
    assert load(tmp_path, text)
    start = "{schedule: interleaved, from: full-gp, subset: 20, optimiser: cg, restarts: 3}"
    assert load(tmp_path, f"name: t\ndataset: friedman3\nmethods: [cholqr, nlml]\nhyperparameters: {start}\n")


def test_what_a_key_that_plays_no_part_says_about_kept_values_is_refused(tmp_path):
    given = "{values: {variance: 1, lengthscale: 1, noise: 1}, evaluations: 5}"
    with pytest.raises(ConfigError, match="`evaluations` plays no part where `values` are kept"):
        load(tmp_path, f"name: t\ndataset: friedman3\nmethods: [nlml]\nhyperparameters: {given}\n")


def test_values_of_a_classifier_need_no_noise(tmp_path):
    given = "name: t\ndataset: %s\nmethods: [%s]\nhyperparameters: {values: {variance: 1, lengthscale: 1}}\n"
    assert one(tmp_path, given % ("labels", "classifier")).hyperparameters["values"] == {
        "variance": 1.0, "lengthscale": 1.0
    }  # fmt: skip
    with pytest.raises(ConfigError, match="values: 'noise' of the kernel is missing"):
        load(tmp_path, given % ("rows", "plain"))


def test_every_committed_resolved_config_can_be_read(repo):
    for path in sorted((repo / "results").glob("*/config.resolved.yaml")):
        load_config(path)


@pytest.mark.parametrize("data, method", [("rows", "auto"), ("labels", "auto")])
def test_a_config_without_methods_gets_the_recommended_one_of_its_task(tmp_path, data, method):
    trial = one(tmp_path, f"name: t\ndataset: {data}\n")
    assert trial.method == method
    resolved = resolved_yaml(load(tmp_path, f"name: t\ndataset: {data}\n"))
    assert [t.id for t in trials(tmp_path, resolved)] == [trial.id]


def test_a_label_of_a_data_set_is_kept_and_moves_no_id(tmp_path):
    text = "name: t\ndataset: {name: rows, label: Plain rows}\nmethods: [plain]\n"
    labelled, bare = load(tmp_path, text), load(tmp_path, text.replace(", label: Plain rows", ""))
    assert [d.label for d in labelled.datasets] == ["Plain rows"]
    assert [t.id for t in plan(labelled).trials] == [t.id for t in plan(bare).trials]
    written = yaml.safe_load(resolved_yaml(labelled))
    assert written["datasets"][0]["label"] == "Plain rows"
    jsonschema.validate(written, config_schema())
