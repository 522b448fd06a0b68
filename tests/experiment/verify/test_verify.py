"""`gpbench verify` finds a number that the present code does not give, and blames the platform only if it differs."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpbench.experiment.plan.trial import digest
from gpbench.experiment.results.checked_files import write_checked
from gpbench.experiment.results.trial_result import TrialResult
from gpbench.experiment.verify import platforms, sample, verify
from tests.helpers.driver import gpbench, trial
from tests.helpers.paths import REPO

CONFIG = """
name: kept
datasets: [{name: friedman3, n_train: 60, n_test: 50}, {name: friedman2, n_train: 40, n_test: 50}]
trials: 2
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
d_max: [10, 20]
methods: [sod, nlml, {method: fitc, label: rough, kernel: pp2}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("verify")
    (here / "kept.yaml").write_text(CONFIG)
    ran = gpbench("run", "kept.yaml", "-o", "out", cwd=here)
    assert ran.returncode == 0, ran.stderr
    return here / "out"


def edited(folder, tmp_path, change) -> tuple[Path, str]:
    """A copy of the folder's committed files with one archived record changed, its checksum made good."""
    lines = [json.loads(line) for line in (folder / "archive.jsonl").read_text().splitlines()]
    change(lines[0])
    body = {k: v for k, v in lines[0].items() if k != "checksum"}
    lines[0] = {"checksum": digest(body), **body}
    out = tmp_path / "edited"
    (out / "env").mkdir(parents=True)
    (out / "archive.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for file in [folder / "config.resolved.yaml", *(folder / "env").iterdir()]:
        (out / file.relative_to(folder)).write_bytes(file.read_bytes())
    return out, body["id"]


def test_a_sample_holds_every_method_data_set_and_kernel_before_any_twice(folder):
    kept = sample.read(folder).kept
    assert len(kept) == 2 * 2 * 2 * 3
    for seed in range(5):
        chosen = sample.order(kept, seed)[:5]
        assert {p for k in chosen for p in k.parts} == {p for k in kept for p in k.parts}
    assert sample.order(kept, 1) != sample.order(kept, 2) and sample.order(kept, 1) == sample.order(kept, 1)
    assert set(map(id, sample.order(kept, 3))) == set(map(id, kept))


def test_a_sample_holds_every_method_of_each_paper_before_any_twice(folder):
    kept = [replace(k, paper=paper) for paper in ("keerthi", "cao") for k in sample.read(folder).kept]
    first = sample.order(kept, 0)[:8]
    assert {(k.paper, k.trial.method) for k in first} == {(k.paper, k.trial.method) for k in kept}
    assert {k.paper for k in sample.read(REPO / "results" / "snelson-figure1").kept} == {"snelson"}


def test_a_sample_has_no_trial_of_more_than_a_minute_however_much_time_there_is(folder):
    kept = sample.read(folder).kept
    kept[0].result.seconds["fit"], kept[1].result.seconds["fit"] = 61.0, 58.0
    chosen = sample.within(kept, 10_000.0, seed=0)
    assert kept[0] not in chosen and kept[1] in chosen


def test_a_sample_within_a_time_leaves_out_what_would_take_most_of_it(folder):
    kept = sample.read(folder).kept
    kept[0].result.seconds["fit"] = 1000.0
    chosen = sample.within(kept, 5.0, seed=0)
    assert kept[0] not in chosen and 0 < len(chosen) < len(kept)
    assert sample.seconds_of(chosen) <= 5.0


def test_unchanged_code_gives_every_number_again_and_leaves_the_folder_alone(folder):
    before = {f: f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    ran = gpbench("verify", folder, "--sample", 6, "-j", 2)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "6 of 24 trials run again: 6 equal, 0 drifted" in ran.stdout
    assert {f: f.read_bytes() for f in folder.rglob("*") if f.is_file()} == before


def test_a_number_that_has_drifted_is_exit_4_with_both_values(folder, tmp_path):
    out, id = edited(folder, tmp_path, lambda r: r["metrics"].update(nmse=0.5))
    ran = gpbench("verify", out, "--sample", 24)
    assert ran.returncode == 4
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("drifted")]
    assert id in line and re.search(r"nmse 0\.5 then, \d\.\d+ now", line) and "1 drifted" in ran.stdout


@pytest.mark.parametrize(("again", "code"), [(0.25, 0), (0.26, 4)])
def test_a_near_tie_that_falls_as_recorded_when_run_once_more_is_told_and_no_drift(folder, monkeypatch, again, code):
    """Last bits may hang on where arrays lie; what a second run does not give either has drifted."""
    (one,) = sample.order(sample.read(folder).kept, 0)[:1]
    calls = []

    def runs(part, settings, options, progress):
        now = 0.26 if not calls else again
        calls.append([k.trial.id for k in part])
        differs = {} if now == 0.25 else {"nmse": (0.25, now)}
        return None, {(k.folder, k.trial.id): verify.Rerun(str(k.folder), k.trial.id, "x", differs, []) for k in part}

    monkeypatch.setattr(verify, "_run", runs)
    found = verify.verify([folder], number=1)
    assert calls == [[one.trial.id]] * 2 and found.exit_code == code
    assert ("1 only as recorded when run twice" in found.message) == (code == 0)
    assert str(found.outcomes[0]).startswith("differs" if code == 0 else "drifted")


def test_on_another_platform_a_difference_is_reported_without_exit_4(folder, tmp_path):
    out, id = edited(folder, tmp_path, lambda r: r["metrics"].update(nmse=0.5))
    (file,) = (out / "env").iterdir()
    env = {k: v for k, v in json.loads(file.read_text()).items() if k != "checksum"}
    write_checked(file, env | {"machine": "sparc64"})
    ran = gpbench("verify", out, "--sample", 24)
    assert ran.returncode == 0
    assert f"differs {out} {id}" in ran.stdout and "machine sparc64 then" in ran.stdout
    assert "1 differ from another platform's" in ran.stdout


def test_nothing_to_compare_is_exit_4_and_two_measures_of_the_sample_are_refused(folder, tmp_path):
    (tmp_path / "config.resolved.yaml").write_bytes((folder / "config.resolved.yaml").read_bytes())
    (tmp_path / "archive.jsonl").write_text("")
    assert gpbench("verify", tmp_path).returncode == 4
    assert gpbench("verify", folder, "--sample", 3, "--seconds", 9).returncode == 2


def environment(core="Haswell", version="0.3.30", numpy="2.4.6"):
    blas = {"user_api": "blas", "internal_api": "openblas", "version": version, "architecture": core}
    return {"machine": "x86_64", "packages": {"numpy": numpy, "scipy": "1.17.1"}, "blas": [blas]}


def test_platforms_are_alike_in_architecture_blas_numpy_and_scipy():
    assert platforms.differences(environment(), environment()) == []
    assert "SkylakeX now" in platforms.differences(environment(), environment("SkylakeX"))[0]
    assert len(platforms.differences(environment(), environment(version="1", numpy="1"))) == 2
    assert len(platforms.differences({}, environment())) == 4, "an unknown platform is not the same one"


def test_a_newer_processor_is_lent_the_arithmetic_of_an_older_one_and_no_other():
    assert platforms.lent(environment(), environment("SkylakeX"))["OPENBLAS_CORETYPE"] == "Haswell"
    assert platforms.lent(environment(), environment()) == {}
    assert platforms.lent(environment("SkylakeX"), environment()) == {}
    assert platforms.lent({}, environment()) == {}
    told = environment() | {"arithmetic": {"OPENBLAS_CORETYPE": "Haswell"}}  # by its user, on a newer processor
    assert platforms.lent(environment(), told)["NPY_DISABLE_CPU_FEATURES"]
    assert platforms.lent(told, told) == platforms.lent(told, environment("SkylakeX")) == {}
    every = environment() | {"arithmetic": platforms.lent(environment(), environment("SkylakeX"))}
    assert platforms.lent(every, told) == platforms.lent(every, environment("SkylakeX")) == every["arithmetic"]


@pytest.mark.parametrize(("name", "drifted"), [("sonar", False), ("friedman3", True)])
def test_another_copy_of_fetched_data_is_no_drift_and_other_rows_of_a_generator_are(name, drifted, monkeypatch):
    monkeypatch.setattr(verify, "_environment", lambda kept: {})
    monkeypatch.setattr(platforms, "differences", lambda then, now: [])
    one = trial("sod", d_max=5, dataset={"name": name})
    then, now = (TrialResult(one, metrics={"nmse": v}, data_sha256=s) for v, s in ((0.5, "old"), (0.6, "new")))
    found = verify._compared(SimpleNamespace(result=then, trial=one, folder="out"), now, {})
    assert found.differs["nmse"] == (0.5, 0.6) and found.drifted is drifted
    assert ("another copy of the data: old then, new now" in str(found)) is not drifted
