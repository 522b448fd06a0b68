"""Raised versions and added parameters: what they do to ids, and that they draw nothing anew."""

import json
from dataclasses import asdict, replace
from types import ModuleType
from typing import Annotated, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from gpbench import catalog
from gpbench.experiment.config.config import load_config
from gpbench.experiment.config.resolved import resolved_yaml
from gpbench.experiment.config.sections import Hyperparameters
from gpbench.experiment.evaluation.trial_data import trial_data
from gpbench.experiment.plan import random_streams, trial_id
from gpbench.experiment.plan.full_gp_key import full_gp_key, full_gp_stream_key
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.plan.trial import Trial
from gpbench.experiment.run.jobs import jobs_for
from gpbench.gp.kernels.ard_se import ArdSE
from gpbench.gp.kernels.build import essential_options
from gpbench.methods.base import Method
from gpbench.versions import Added, defaults, essential, lower, raised, version_of
from tests.helpers.config_files import load, parts, trials  # noqa: F401  (parts is a fixture)
from tests.helpers.driver import trial

FULL_GP = {"schedule": "fixed", "from": "full-gp", "subset": 20, "subset_of": "train", "evaluations": 5}
RAISED = {"method": 2, "kernel ard-se": 3, "dataset toy": 2, "learner": 2}


class Later(Method):
    name = "later"
    first: int = 1
    also: Annotated[tuple[int, int], Added] = (1, 2)
    size: Annotated[int, Added] = Field(5, ge=1, alias="how-many")


def test_an_added_parameter_enters_only_where_it_differs_from_its_default():
    plain = defaults(Later)
    assert plain == {"first": 1, "also": [1, 2], "how-many": 5}
    assert essential(Later, plain) == {"first": 1}
    assert essential(Later, {**plain, "how-many": 6}) == {"first": 1, "how-many": 6}
    assert essential(Later, {"also": [1, 3]}) == {"also": [1, 3]}


def test_an_added_option_of_a_kernel_too(monkeypatch):
    def create(cls, X, ard: bool = True, period: Annotated[float, Added] = 1.0):
        raise NotImplementedError

    monkeypatch.setattr(ArdSE, "create", classmethod(create))
    spec = {"name": "ard-se", "bias": True, "ard": True, "period": 1.0}
    rest = {k: v for k, v in spec.items() if k != "period"}
    assert essential_options(spec) == rest
    assert essential_options({"sum": [spec, {**spec, "period": 2.0}]}) == {"sum": [rest, {**spec, "period": 2.0}]}


def test_the_grid_and_the_resolved_config_show_added_parameters_that_ids_leave_out(tmp_path, parts, monkeypatch):  # noqa: F811
    text = "name: t\ndataset: rows\nmethods: [{method: rich, d_max: 3, nugget: [1e-6, 1e-3]}]\n"
    field = catalog.find("method", "rich").model_fields["nugget"]
    monkeypatch.setattr(field, "metadata", [*field.metadata, Added])
    found = trials(tmp_path, text)
    assert [t.label for t in found] == ["rich nugget=1e-06", "rich nugget=0.001"]
    assert [t.params.get("nugget") for t in found] == [None, 1e-3]
    (tmp_path / "r.yaml").write_text(resolved_yaml(load(tmp_path, text)))
    assert [t.id for t in plan(load_config(tmp_path / "r.yaml")).trials] == [t.id for t in found]


def test_a_version_counts_every_raise_of_what_a_class_is_built_of():
    loop = ModuleType("loop")
    loop.version = 3

    class Core:
        version = 2

    class Family(Method):
        stands_on: ClassVar[tuple] = (loop, Core)

    class Member(Family):
        version = 2

    assert version_of(Method) == 1 and version_of(Core) == 2
    assert version_of(Family) == 1 + 2 + 1
    assert version_of(Member) == version_of(Family) + 1
    Family.version = 2
    assert version_of(Member) == 1 + 2 + 1 + 1 + 1


@given(st.dictionaries(st.sampled_from("abc"), st.integers(1, 4)))
def test_lower_versions_are_all_combinations_below_each_once(versions):
    top = raised(versions)
    below = list(lower(top))
    product = 1
    for v in top.values():
        product *= v
    assert len(below) == product - 1 == len({json.dumps(b, sort_keys=True) for b in below})
    assert all(b.get(k, 1) <= top[k] for b in below for k in top) and top not in below
    sums = [sum(b.values()) + len(top.keys() - b.keys()) for b in below]
    assert sums == sorted(sums, reverse=True)


def test_a_raised_version_moves_the_id_and_no_random_stream():
    old = trial(hyperparameters=FULL_GP)
    new = replace(old, versions=RAISED)
    assert new.id != old.id and full_gp_key(new) != full_gp_key(old)
    assert (new.data_key, new.path_key) == (old.data_key, old.path_key)
    assert full_gp_stream_key(new) == full_gp_stream_key(old) == full_gp_key(old)
    for draw in (
        lambda t: random_streams.data(t, True),
        random_streams.split,
        random_streams.order,
        random_streams.method,
    ):
        assert (draw(old).random(9) == draw(new).random(9)).all()  # method: the candidates of a working set
    one, other = trial_data(old), trial_data(new)
    assert (one.split.train == other.split.train).all() and (one.order == other.order).all()


def test_no_version_above_one_is_the_id_of_today():
    assert replace(trial(), versions={}).id == trial().id
    body = asdict(trial())
    del body["versions"]  # a manifest of before
    assert Trial(**body).id == trial().id


def test_raising_a_class_is_seen_by_the_plan_and_lowering_it_again_finds_the_old_id(tmp_path, monkeypatch):
    text = "name: t\ndataset: {name: friedman3, n_train: 20, n_test: 30}\nmethods: [{method: sod, d_max: 5}]\n"
    text += "hyperparameters: {schedule: fixed, from: full-gp, subset: 20, learner: 1}\n"
    kernel = "kernel: {name: ard-se, bias: true}\n"
    old = trials(tmp_path, text + kernel)[0]
    monkeypatch.setattr(catalog.find("method", "sod"), "version", 3)
    monkeypatch.setattr(catalog.find("dataset", "friedman3"), "version", 2)
    monkeypatch.setattr(catalog.find("kernel", "bias"), "version", 2)
    new = trials(tmp_path, text + kernel)[0]
    assert new.versions == {"method": 3, "dataset friedman3": 2, "kernel bias": 2}
    assert new.path_key == old.path_key
    earlier = list(new.earlier())
    assert len(earlier) == 3 * 2 * 2 - 1 and earlier[-1].id == old.id != new.id
    assert trials(tmp_path, text)[0].versions == {"method": 3, "dataset friedman3": 2}


def test_the_learner_is_a_version_and_no_parameter():
    plain = {**FULL_GP, "optimiser": "lbfgs"}
    settings = {"split": {}, "scale": {}, "kernel": {"name": "ard-se"}, "hyperparameters": {**plain, "learner": 2}}
    assert trial_id.versions(Method, {"csv": "x"}, settings, {}) == {"learner": 2}
    assert trial_id.identified(settings)["hyperparameters"] == plain
    settings["hyperparameters"] = {**plain, "learner": 1}
    assert trial_id.versions(Method, {"csv": "x"}, settings, {}) == {}
    assert "from" in defaults(Hyperparameters)
    assert replace(trial(), versions={"learner": 2}).learner == 2 and trial().learner == 1


def test_two_versions_of_one_path_do_not_share_a_process():
    pair = [trial("fake-path", d_max=d) for d in (5, 10)]
    pair += [replace(t, versions={"learner": 2}) for t in pair]
    assert [len(state.job.trials) for state in jobs_for(pair, lambda key: True).waiting] == [2, 2]


def test_an_added_key_of_the_hyperparameters_enters_the_key_of_shared_work():
    more = {**FULL_GP, "bounds": [1, 2]}
    assert full_gp_key(trial(hyperparameters=more)) != full_gp_key(trial(hyperparameters=FULL_GP))


def test_every_committed_trial_is_found_by_planning_its_config(repo, monkeypatch):
    """By its id of today, or as the earlier version of one: no change of the code may orphan a committed number."""
    archives = sorted((repo / "results").glob("*-*/archive.jsonl"))
    assert archives
    for file in archives:
        committed, known = {json.loads(line)["id"] for line in file.open()}, set()
        config = load_config(file.parent / "config.resolved.yaml")
        for k in range(max(len(d.alternatives) for d in config.datasets)):  # whichever of first_of was at hand
            take = lambda specs, k=k: (specs[min(k, len(specs) - 1)], "")  # noqa: E731
            monkeypatch.setattr("gpbench.data.resolve_first_of", take)
            planned = plan(config).trials
            known |= {t.id for t in planned} | {e.id for t in planned if t.versions for e in t.earlier()}
        assert committed <= known, f"{file.parent.name}: {len(committed - known)} of {len(committed)} are orphans"


@pytest.mark.parametrize("cls", ["method", "kernel", "dataset"])
def test_everything_in_the_catalog_has_a_version(cls):
    assert all(version_of(c) >= 1 for c in catalog.available(cls).values())
