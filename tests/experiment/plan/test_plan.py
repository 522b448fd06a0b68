"""Trials are what determines their numbers, and nothing else: ids do not move when the rest of a config does."""

import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench import catalog, data
from gpbench.errors import ConfigError
from gpbench.experiment.plan.plan import plan
from tests.helpers.config_files import BASE, PARTS, load, parts, trials  # noqa: F401  (parts is a fixture)

pytestmark = pytest.mark.usefixtures("parts")
HEAD = "name: t\ndatasets: [rows, {name: friedman3, n_train: 20}]\ntrials: 3\nd_max: [4, 8]\nmethods:\n"
ENTRIES = (
    "  - plain\n",
    "  - {method: plain, label: b, nugget: 0.5}\n",
    "  - rich\n",
    "  - {method: rich, label: c, cache: d_max, working_set: all}\n",
    "  - {method: rich, label: d, kernel: {name: ard-se, bias: true}, stop: {patience: 3}}\n",
)


def ids(found):
    return {(t.dataset_name, t.label, t.params.get("d_max"), t.index): t.id for t in found}


def test_the_grid_is_data_sets_by_trials_by_methods_by_sizes(tmp_path):
    found = trials(tmp_path, HEAD + ENTRIES[0] + ENTRIES[2])
    cells = [(t.dataset_name, t.index, t.label, t.params.get("d_max")) for t in found]
    methods = [("plain", None), ("rich", 4), ("rich", 8)]
    assert cells == [(d, i, *m) for d in ("rows", "friedman3") for i in range(3) for m in methods]
    assert len({t.id for t in found}) == len(found)


def test_every_parameter_is_part_of_a_trial_with_its_default(tmp_path):
    found = trials(tmp_path, "name: t\ndataset: rows\nmethods: [{method: rich, d_max: 3}]\n")
    assert found[0].params == {
        "d_max": 3, "cache": 0, "working_set": 59, "stop": "d_max", "bounds": [1e-3, 1e3], "nugget": 1e-6
    }  # fmt: skip
    explicit = "{method: rich, d_max: 3, cache: 0, nugget: 1e-6, bounds: [1e-3, 1000]}"
    assert trials(tmp_path, f"name: t\ndataset: rows\nmethods: [{explicit}]\n")[0].id == found[0].id


def test_a_reference_takes_the_value_of_the_other_parameter(tmp_path):
    found = trials(tmp_path, HEAD + ENTRIES[3])
    assert {(t.params["d_max"], t.params["cache"]) for t in found} == {(4, 4), (8, 8)}
    assert {t.params["stop"] for t in found} == {"d_max"}  # there the word itself is a value


def test_lists_of_other_parameters_are_axes_too_and_show_in_the_label(tmp_path):
    text = "name: t\ndataset: rows\nd_max: 3\nmethods: [{method: rich, working_set: [all, 5], cache: [0, 2]}]\n"
    assert [(t.label, t.params["cache"]) for t in trials(tmp_path, text)] == [
        ("rich working_set=all", 0), ("rich working_set=all", 2), ("rich working_set=5", 0), ("rich working_set=5", 2)
    ]  # fmt: skip


@given(st.permutations(range(len(ENTRIES))), st.integers(1, len(ENTRIES)))
@settings(max_examples=40, deadline=None)
def test_adding_or_reordering_methods_moves_no_id(tmp_path_factory, order, count):
    folder = tmp_path_factory.getbasetemp()
    everything = ids(trials(folder, HEAD + "".join(ENTRIES)))
    chosen = [ENTRIES[i] for i in order if i in order[:count] or i == 2]  # one of them must have a d_max
    some = ids(trials(folder, HEAD + "".join(chosen)))
    assert some.items() <= everything.items()


def test_an_id_ignores_labels_limits_metrics_and_the_number_of_trials(tmp_path):
    plain = trials(tmp_path, BASE)[0]
    text = "name: other\ndescription: x\ndatasets: [rows]\ntrials: 9\nmethods: [{method: plain, label: '=cmd'}]\n"
    other = trials(tmp_path, text + "timeout: 5\nmemory: 100\nmetrics: [nlpd]\ncompare: {alpha: 0.01}\n")[0]
    assert other.id == plain.id and other.label == "=cmd"


@pytest.mark.parametrize(
    "line",
    ["seed: 1", "nugget: 1", "scale: none", "kernel: bias", "target_units: standardised", "nmse_variance: test",
     "split: {kind: folds}", "hyperparameters: {schedule: joint}"],
)  # fmt: skip
def test_an_id_depends_on_whatever_moves_the_number(tmp_path, line):
    assert trials(tmp_path, BASE + line + "\n")[0].id != trials(tmp_path, BASE)[0].id


def test_ids_are_the_same_in_every_process(tmp_path):
    found = [t.id for t in trials(tmp_path, HEAD + "".join(ENTRIES))]
    code = (
        "import sys; from gpbench import catalog; catalog.load_plugin(sys.argv[1]);"
        "from gpbench.experiment.config.config import load_config; from gpbench.experiment.plan.plan import plan;"
        "print(*[t.id for t in plan(load_config(sys.argv[2])).trials])"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code, str(PARTS), str(tmp_path / "c.yaml")]
        assert subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.split() == found


def test_an_id_is_the_hash_of_the_plain_description(tmp_path):
    """Written out by hand, so that a change of the form, which would orphan every result on disk, is noticed."""
    text = "name: t\ndataset: {name: friedman3, n_train: 20, n_test: 30}\nmethods: [full-gp]\nkernel: bias\n"
    values = "hyperparameters: {values: {bias: 1, noise: 0.5}}\n"
    description = (
        '{"code":"","dataset":{"n_test":30,"n_train":20,"name":"friedman3","noise":null,"noise_ratio":3.0,'
        '"noisy_test":false},"hyperparameters":{"schedule":"fixed","values":{"bias":1.0,"noise":0.5}},"index":0,'
        '"kernel":{"name":"bias"},"method":"full-gp","params":{},"scale":{"inputs":"standardise",'
        '"target":"standardise"},"scoring":{"nmse_variance":"dataset","target_units":"raw"},"seed":0,"split":{}}'
    )
    assert trials(tmp_path, text + values)[0].id == hashlib.sha256(description.encode()).hexdigest()[:16]


def test_editing_a_plugin_changes_the_ids_that_run_through_it_only(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "_plugins", {})
    found = []
    for n, remark in enumerate(("one", "two")):
        file = tmp_path / f"p{n}.py"
        file.write_text(PARTS.read_text() + f"\n# {remark}\n")
        catalog._plugins.clear()
        catalog.load_plugin(str(file))
        text = "name: t\ndatasets: [rows, friedman3]\nmethods: [full-gp, plain, {method: full-gp, label: w, kernel: "
        found.append(ids(trials(tmp_path, text + "{name: warped, depth: 1}}]\n")))
    same = {key[:2] for key in found[0] if found[0][key] == found[1][key]}
    assert same == {("friedman3", "full-gp")}


def test_a_users_file_is_known_by_its_content(tmp_path):
    rows = "a,y\n" + "".join(f"{k},{k * k}\n" for k in range(20))
    (tmp_path / "my.csv").write_text(rows)
    text = "name: t\ndataset: {csv: my.csv, target: y}\nmethods: [plain]\n"
    first = trials(tmp_path, text)[0]  # found beside the config
    assert first.dataset["sha256"] == hashlib.sha256(rows.encode()).hexdigest()
    (tmp_path / "my.csv").write_text(rows.replace("3,9", "3,8"))
    assert trials(tmp_path, text)[0].id != first.id


def test_the_first_data_set_at_hand_is_used_with_a_notice(tmp_path, monkeypatch):
    def stand_in(specs):
        assert [s["name"] for s in specs] == ["rows", "friedman2"]
        return specs[1], "using friedman2 instead of rows"

    monkeypatch.setattr(data, "resolve_first_of", stand_in)
    config = load(tmp_path, "name: t\ndataset: {first_of: [rows, friedman2]}\nmethods: [plain]\n")
    found = plan(config, datasets="rows")  # a glob may name any of them
    assert [t.dataset_name for t in found.trials] == ["friedman2"]
    assert found.notices == ["using friedman2 instead of rows"]


def test_results_keep_the_data_set_that_they_began_with_and_a_dry_run_fetches_none(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "resolve_first_of", lambda specs: pytest.fail("was looked for"))
    config = load(tmp_path, "name: t\ndataset: {first_of: [rows, friedman2]}\nmethods: [plain]\n")
    assert [t.dataset_name for t in plan(config, begun={"friedman2", "abalone"}).trials] == ["friedman2"]
    assert [t.dataset_name for t in plan(config, fetch=False).trials] == ["rows"]
    monkeypatch.setattr(data, "at_hand", lambda spec: spec["name"] == "friedman2")
    assert [t.dataset_name for t in plan(config, fetch=False).trials] == ["friedman2"]


def test_selections_are_globs_and_ranges(tmp_path):
    config = load(tmp_path, HEAD + "".join(ENTRIES))
    whole = plan(config).trials
    assert plan(config, methods=["b", "ri*"]).trials == [t for t in whole if t.label == "b" or t.method == "rich"]
    assert plan(config, datasets="fried*").trials == [t for t in whole if t.dataset_name == "friedman3"]
    assert plan(config, trials="0,2").trials == [t for t in whole if t.index != 1]
    assert plan(config, trials="1-99").trials == [t for t in whole if t.index >= 1]


@pytest.mark.parametrize(
    "selection, words",
    [
        ({"methods": "x*"}, "--method x*: matches none of the config's methods: plain, c"),
        ({"datasets": ["rows", "boston"]}, "--dataset boston: matches none of the config's datasets: rows, friedman3"),
        ({"trials": "5-7"}, "--trials 5-7: selects nothing; the config has trials 0-2"),
        ({"trials": "4-2"}, "--trials 4-2: expected numbers and ranges"),
        ({"trials": "a"}, "--trials a: expected numbers and ranges"),
        ({"trials": ""}, "--trials : expected numbers and ranges"),
        ({"trials": "-1"}, "--trials -1: expected numbers and ranges"),
    ],
)
def test_a_selection_that_fits_nothing_says_what_there_is(tmp_path, selection, words):
    with pytest.raises(ConfigError) as e:
        trials(tmp_path, HEAD + ENTRIES[0] + ENTRIES[3], **selection)
    assert str(e.value).startswith(words)


def test_the_same_computation_under_two_labels_is_refused(tmp_path):
    text = "name: t\ndataset: rows\nmethods: [plain, {method: plain, label: b, nugget: 1e-8}]\n"
    with pytest.raises(ConfigError, match="methods 'plain' and 'b' are the same computation on rows"):
        trials(tmp_path, text)
