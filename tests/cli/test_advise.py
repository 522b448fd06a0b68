"""advise: what goes on, what is recommended, and the command; fit and predict from the command line."""

import csv
import re
import subprocess
import sys
import time

import numpy as np
import pytest
import yaml

from gpbench.errors import BadInput, ConfigError
from gpbench.estimators.advise.candidates import Candidate, candidates
from gpbench.estimators.advise.choose import promoted, recommend
from gpbench.estimators.advise.halving import AROUND, START, Search
from gpbench.experiment.config.config import load_config
from gpbench.experiment.plan.plan import plan
from gpbench.experiment.results.trial_result import TrialResult
from tests.helpers.driver import trial

SMALL, LARGE, OTHER = Candidate("vfe", 100, {}), Candidate("vfe", 500, {}), Candidate("sod", 500, {})


def gpbench(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "gpbench", *arguments], cwd=cwd, capture_output=True, text=True)


def test_the_cheapest_within_one_standard_error_of_the_best_is_recommended():
    cost = {SMALL: 1.0, LARGE: 10.0, OTHER: 0.1}
    noisy = {LARGE: [0.50, 0.60, 0.40], SMALL: [0.51, 0.59, 0.41], OTHER: [0.60, 0.70, 0.50]}
    verdict = recommend(noisy, cost, "nmse")
    assert (verdict.best, verdict.pick) == (LARGE, SMALL) and "one standard error of their difference" in verdict.reason
    clear = {LARGE: [0.50, 0.60, 0.40], SMALL: [0.53, 0.63, 0.43], OTHER: [0.60, 0.70, 0.50]}
    assert recommend(clear, cost, "nmse").pick == LARGE  # worse by the same in every split: that is no noise
    assert "no standard error" in recommend({LARGE: [0.5], SMALL: [0.6]}, cost, "nmse").reason


def test_a_large_difference_is_not_made_up_for_by_few_noisy_splits():
    cost = {SMALL: 1.0, LARGE: 10.0}
    apart = {LARGE: [-0.40, -0.35], SMALL: [-0.37, -0.23]}  # 0.075 nat behind, with a standard error of 0.045
    near = {LARGE: [-0.40, -0.35], SMALL: [-0.41, -0.30]}  # 0.02 behind, with 0.03
    assert recommend(apart, cost, "nlpd").pick == LARGE
    assert "within one standard error of their difference and 0.025 nat of it" in recommend(apart, cost, "nlpd").reason
    assert recommend(near, cost, "nlpd").pick == SMALL
    shares = {LARGE: [0.50, 0.60], SMALL: [0.50, 0.66]}  # 5.5 %, as much as the standard error
    assert recommend(shares, cost, "nmse").pick == LARGE
    assert recommend(shares, cost, "nlpd").pick == LARGE and recommend(near, cost, "snlp").pick == SMALL


def test_half_goes_on_and_on_few_rows_the_next_larger_size_too():
    every = [Candidate(m, s, {}) for m in "abcd" for s in (100, 200, 500, 1000)]
    scores = {c: float(i) for i, c in enumerate(every)}
    assert promoted(scores, every, biased=False) == every[:8]
    first = {c: (0.0 if c.size == 100 else 1.0) + i / 100 for i, c in enumerate(every)}
    assert every[-4:-2] == promoted(first, every, biased=True)[-2:]  # d 100 brings d 200 with it


def test_the_committed_grid_has_every_candidate_of_regression(repo):
    for name in ("kin40k", "abalone"):
        with open(repo / "tests" / "files" / "advice" / f"{name}.csv") as f:
            grid = {(r["method"], int(r["size"])) for r in csv.DictReader(f)}
        assert grid == {(c.method, c.size) for c in candidates("regression", 3000) if c.method != "auto"}
        config = load_config(repo / "configs" / "advice" / f"{name}.yaml")
        planned = {(t.method, t.params.get("d_max") or t.params["neighbours"]) for t in plan(config).trials}
        assert planned == grid


def test_globs_and_sizes_that_leave_nothing_are_an_error():
    assert {c.method for c in candidates("classification", 500)} == {"auto", "ep", "ep-fic", "ep-sparse"}
    assert all(c.size <= 200 for c in candidates("regression", 5000, most=200))
    with pytest.raises(ConfigError, match=r"nothing to try is called that; for regression there are auto, fitc, vfe"):
        candidates("regression", 5000, methods=("ep*",))


def test_on_few_rows_every_method_is_tried_with_all_of_them():
    assert {c.method for c in candidates("regression", 40)} == {c.method for c in candidates("regression", 5000)}
    assert {c.size for c in candidates("regression", 15)} == {0, 10, 15}  # auto has no size
    assert {c.size for c in candidates("regression", 150, methods=("sod", "fitc"))} == {100, 150}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(1)
    x, colour = rng.uniform(-3, 3, 300), rng.choice(["red", "blue"], 300)
    y = np.sin(x) + (colour == "red") + 0.1 * rng.normal(size=300)
    lines = [f"{i},{a:.6f},{c},{b:.6f},{'up' if b > 0.5 else 'down'}" for i, (a, c, b) in enumerate(zip(x, colour, y))]
    (folder / "my.csv").write_text("id,x,colour,y,way\n" + "\n".join(lines) + "\n")
    return folder


def test_advise_gives_a_table_a_reason_a_plot_and_a_config_that_runs(folder):
    ran = gpbench("advise", "my.csv", "--target", "y", "--drop", "id", "--drop", "way", "--budget", "200s",
                  "-m", "sod", "-m", "fitc", "--most", "200", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    pick = re.search(r"advice: (fitc|sod) (\d+): its? .* over 5 splits", ran.stdout)
    assert pick and "±" in ran.stdout and "the advice rests on 240 of 240 training rows and 5 splits" in ran.stdout
    out = folder / "results" / "advice-my"
    assert (out / "advice.svg").stat().st_size > 1000
    assert pick[0].removeprefix("advice: ").split(":")[0] in (out / "advice.html").read_text()
    assert pick[0].removeprefix("advice: ") in (out / "advice.md").read_text()
    config = yaml.safe_load((out / "advice.yaml").read_text())
    assert (config["methods"][0]["method"], config["methods"][0]["d_max"]) == (pick[1], int(pick[2]))
    assert config["dataset"]["drop"] == ["id", "way"] and config["dataset"]["columns"] == "auto"
    assert gpbench("validate", str(out / "advice.yaml"), cwd=folder).returncode == 0


def test_a_budget_that_is_too_small_says_so_and_is_kept(folder):
    started = time.monotonic()
    ran = gpbench("advise", "my.csv", "--target", "y", "--drop", "way", "--budget", "0.5s", "-o", "short", cwd=folder)
    assert ran.returncode == 0 and "the budget of 0.5 s is too small" in ran.stderr, ran.stderr
    assert time.monotonic() - started < 60
    assert "advice: auto: the recommended method; nothing was compared" in ran.stdout
    assert re.search(r"id +id +left out; copied to predictions +a running number", ran.stderr)


@pytest.mark.parametrize(
    "name, targets, message",
    [
        ("one", [1.0], "one.csv: 1 row is too few to hold some out; 20 at least"),
        ("flat", [3.5] * 40, "flat.csv: column 'y' is constant (3.5): every candidate predicts that"),
    ],
)
def test_targets_that_tell_no_candidates_apart_are_refused_at_once(folder, name, targets, message):
    (folder / f"{name}.csv").write_text("x,y\n" + "".join(f"{i * 0.3},{y}\n" for i, y in enumerate(targets)))
    ran = gpbench("advise", f"{name}.csv", "--target", "y", "-o", name, cwd=folder)
    assert ran.returncode == 3 and message in ran.stderr and not (folder / name).exists()


def test_what_was_good_on_the_most_rows_is_done_first(tmp_path):
    def scored(nmse):
        return TrialResult(trial(), "ok", metrics={"nmse": nmse})

    search = Search({"csv": "a.csv"}, "regression", 900, "nmse", 5.0, tmp_path, [SMALL, LARGE, OTHER])
    assert search.ordered([SMALL, LARGE, OTHER]) == [SMALL, LARGE, OTHER]
    search.results |= {(SMALL, 400, 0): scored(0.1), (OTHER, 400, 0): scored(0.2)}
    assert search.ordered([OTHER, SMALL, LARGE]) == [SMALL, LARGE, OTHER]
    search.results |= {(SMALL, 800, 0): scored(0.1), (LARGE, 800, 0): scored(0.09), (OTHER, 800, 0): scored(0.05)}
    assert search.ordered([SMALL, LARGE, OTHER]) == [OTHER, SMALL, LARGE]


def test_a_size_that_few_rows_could_not_try_is_tried_next_to_a_good_one_on_all_rows(tmp_path):
    every = [Candidate(m, s, {}) for m in ("local", "sod") for s in (200, 500, 1000)]
    search = Search({"csv": "a.csv"}, "regression", 5000, "nmse", 300.0, tmp_path, every)

    def scored(c, rows, nmse, fit=1.0):
        search.results[c, rows, 0] = TrialResult(trial(), "ok", metrics={"nmse": nmse}, seconds={"fit": fit})

    for c in (every[0], every[3]):
        scored(c, 400, 0.3)
    scored(every[1], search.full, 0.1)
    scored(every[4], search.full, 0.2)
    assert search.larger() == [every[2], every[5]]
    scored(every[5], 2000, 0.4)  # tried, and left behind
    assert search.larger() == [every[2]]
    scored(every[1], search.full, 0.1, fit=40.0)  # a thousand would take 160 s of 300
    assert search.larger() == []


def test_a_busy_machine_is_planned_with_as_the_last_rung_showed_it(tmp_path):
    def took(fit):
        return TrialResult(trial(), "ok", seconds={"learn": 2.0, "fit": fit, "predict": 0.5})

    search = Search({"csv": "a.csv"}, "regression", 5000, "nmse", 300.0, tmp_path, [SMALL, LARGE])
    search.results[SMALL, 400, 0] = took(1.0)
    around = START + 2 * AROUND
    assert search.seconds([SMALL, LARGE], 400) == pytest.approx(1.5 * (1 + 25) + 2 + around)
    assert search.pace_of(5.0, [took(1.0)]) == 1.0  # never faster than an idle machine
    search.pace = search.pace_of(3.5 + 4 * (START + AROUND), [took(1.0)])
    assert search.pace == pytest.approx(4.0)
    assert search.seconds([SMALL, LARGE], 400) == pytest.approx(1.5 * (1 + 25) + 2 + 4 * around)


def test_why_nothing_could_be_fitted_is_told(tmp_path):
    search = Search({"csv": "a.csv"}, "regression", 50, "nmse", 5.0, tmp_path, [SMALL])
    assert "the budget of 5 s is too small" in search.nothing()
    search.results[SMALL, 40, 0] = TrialResult(trial(), "timeout", "took longer than 5 s")
    assert "the budget of 5 s is too small" in search.nothing()
    search.results[SMALL, 40, 1] = TrialResult(trial(), "nonpsd", "no jitter helped")
    assert search.nothing() == "no candidate could be fitted; the first one: no jitter helped"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--target", "z"], "has no column 'z'"),
        (["--target", "y", "--metric", "nmsee"], "unknown metric 'nmsee'; did you mean 'nmse'?"),
        (["--target", "y", "--budget", "soon"], "'soon' is no time: expected for example 90s, 10m or 1h"),
        (["--target", "y", "--drop", "colours"], "--drop: has no column 'colours'; did you mean 'colour'?"),
    ],
)
def test_wrong_arguments_are_told_before_anything_runs(folder, arguments, message):
    ran = gpbench("advise", "my.csv", *arguments, cwd=folder)
    assert ran.returncode in (2, 3) and message in ran.stderr and "Traceback" not in ran.stderr


def test_fit_and_predict_go_from_csv_to_csv(folder):
    ran = gpbench("fit", "my.csv", "--target", "y", "--drop", "id", "--drop", "way", "-o", "model.npz",
                  "--method", "vfe", "--n-basis", "30", "--set", "inducing=kmeans", cwd=folder)  # fmt: skip
    assert ran.returncode == 0 and "vfe with 30 basis vectors on 300 rows" in ran.stdout, ran.stderr
    (folder / "new.csv").write_text("colour,x\nred,0.5\ngreen,1\nblue,0.5\n")
    ran = gpbench("predict", "model.npz", "new.csv", "-o", "out.csv", cwd=folder)
    assert ran.returncode == 0 and "1 row of no level of the fit, taken as none of them: 'green' (row 2)" in ran.stderr
    rows = list(csv.DictReader((folder / "out.csv").read_text().splitlines()))
    assert len(rows) == 3 and abs(float(rows[0]["mean"]) - float(rows[2]["mean"]) - 1) < 0.1
    for content, code, message in (
        ("x\n1\n", 3, "has no column 'colour', which the model was fitted to"),
        ("colour,x\nred,\n", 0, "column 'x': 1 cell missing; the median of the fit is used"),
        ("colour,x\nred,much\n", 0, "column 'x': 1 cell cannot be read, taken as missing: 'much' (row 1)"),
    ):
        (folder / "bad.csv").write_text(content)
        ran = gpbench("predict", "model.npz", "bad.csv", cwd=folder)
        assert ran.returncode == code and message in ran.stderr, ran.stderr


def test_predictions_have_the_ids_first_bounds_and_quantiles_and_a_row_that_cannot_be_read_is_empty(folder):
    ran = gpbench("fit", "my.csv", "--target", "y", "--drop", "way", "-o", "ids.npz", "--method", "sod", "--n-basis",
                  "30", "--encoding", "utf-8", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (folder / "some.csv").write_text("x,id,colour\n0.5,a7,red\n1,2\n1.5,=b9,blue\n")
    ran = gpbench("predict", "ids.npz", "some.csv", "--interval", ".5", "--quantile", ".9", cwd=folder)
    rows = list(csv.DictReader(ran.stdout.splitlines()))
    assert ran.returncode == 0 and list(rows[0]) == ["id", "mean", "std", "lower", "upper", "q0.9"]
    assert [r["id"] for r in rows] == ["a7", "", "'=b9"] and rows[1]["mean"] == "" and "(line 3)" in ran.stderr
    mean, std, lower, upper, q = (float(rows[0][k]) for k in ("mean", "std", "lower", "upper", "q0.9"))
    assert np.allclose([lower, upper, q], [mean - 0.67449 * std, mean + 0.67449 * std, mean + 1.28155 * std], rtol=1e-4)


def test_explain_prints_what_becomes_of_each_column_and_keeps_nothing(folder):
    ran = gpbench("fit", "my.csv", "--target", "y", "--explain", cwd=folder)
    assert ran.returncode == 0 and "my.csv: 300 rows, 5 columns, 5 inputs" in ran.stdout, ran.stderr
    assert "2 levels: " in ran.stdout and not ran.stderr
    ran = gpbench("fit", "my.csv", "--target", "y", "--explain", "--column", "colour=text", "--drop", "way", cwd=folder)
    assert "300 rows, 5 columns, 1 input;" in ran.stdout
    for wrong, message in (
        ("colour", "expected NAME=KIND"),
        ("colour=colour", "expected one of number, date"),
        ("color=text", "has no column 'color'; did you mean 'colour'?"),
        ("colour=number", "'blue' is none of the numbers that --column colour=number expects"),
    ):
        ran = gpbench("fit", "my.csv", "--target", "y", "--explain", "--column", wrong, cwd=folder)
        assert ran.returncode in (2, 3) and message in ran.stderr, ran.stderr
    ran = gpbench("fit", "my.csv", "--target", "y", cwd=folder)
    assert ran.returncode == 2 and "--output: where the model goes is missing" in ran.stderr


def test_fit_answers_in_its_own_options(folder):
    (folder / "two.csv").write_text(
        "id,a,y\n" + "".join(f"{i},{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    )
    for arguments, code, message in (
        (["--task", "regression"], 3, "'no' is text, not a number; for classes --task classification"),
        (["--target", "a", "--drop", "id,y"], 3, "each by itself: --drop id --drop y"),
        (["--target", "a", "--n-basis", "5", "--set", "d_max=3"], 2, "--n-basis: is the d_max of auto"),
        (["--target", "a", "--set", "foo=3"], 2, "--set: auto has no parameter 'foo'"),
        (["--target", "a", "--method", "ep"], 2, "--method: ep is for classification; --task classification"),
        ([], 0, "a running number; --column id=number keeps it"),
    ):
        ran = gpbench("fit", "two.csv", "--target", "y", *arguments, "-o", "two.npz", cwd=folder)
        assert ran.returncode == code and message in ran.stderr, ran.stderr
    assert ran.stdout.startswith("two.npz: ep on 30 rows\n")


def test_what_is_odd_about_a_file_is_told_once(folder):
    (folder / "odd.csv").write_text("a,b,y\n1,2,3\n1,2,3\n2,2,3\n")
    ran = gpbench("fit", "odd.csv", "--target", "y", "-o", "model.npz", cwd=folder)
    assert [ran.stderr.count(word) for word in ("another row", "every cell is 2", "number    target")] == [1, 1, 1], (
        ran.stderr
    )


def test_classes_keep_their_names_and_gaps_are_filled_with_the_median_of_the_fit(folder):
    text = (folder / "my.csv").read_text().splitlines()
    text[3] = text[3].replace(text[3].split(",")[1], "", 1)
    (folder / "gaps.csv").write_text("\n".join(text) + "\n")
    ran = gpbench("fit", "gaps.csv", "--target", "way", "--task", "classification", "--missing", "median",
                  "--inputs", "x", "--inputs", "colour", "-o", "c.npz", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (folder / "new.csv").write_text("colour,x\nred,1.5\nblue,-1.5\nred,\n")
    ran = gpbench("predict", "c.npz", "new.csv", cwd=folder)
    rows = list(csv.DictReader(ran.stdout.splitlines()))
    assert [r["class"] for r in rows][:2] == ["up", "down"] and float(rows[0]["prob"]) > 0.8


def test_what_was_tabulated_is_not_said_to_be_left_out(tmp_path, monkeypatch):
    every = [SMALL, OTHER]
    search = Search({"csv": "a.csv"}, "regression", 500, "nmse", 300.0, tmp_path, every)

    def rung(live, rows, split):
        for c in live:
            took = {"fit": 1.0 if split else 1e6}  # the second split is out of reach
            search.results[c, rows, split] = TrialResult(trial(), "ok", metrics={"nmse": 0.1}, seconds=took)

    monkeypatch.setattr(search, "rung", rung)
    search.go()
    assert len(found := search.table(every)[1]) == 2 and search.left_out(found) == []


def test_a_candidate_that_later_splits_go_without_is_told_so(tmp_path, monkeypatch):
    dear = Candidate("dear", 500, {})
    search = Search({"csv": "a.csv"}, "regression", 500, "nmse", 300.0, tmp_path, [SMALL, OTHER, dear])

    def rung(live, rows, split):
        for c in live:
            took = {"fit": 1e6 if c is dear else 0.1}
            search.results[c, rows, split] = TrialResult(trial(), "ok", metrics={"nmse": 0.1}, seconds=took)

    monkeypatch.setattr(search, "rung", rung)
    live = search.go()
    assert live == [SMALL, OTHER]
    assert search.left_out(search.table(live)[1]) == ["dear 500: no time for another split"]


def test_coverage_is_recommended_by_its_distance_from_what_it_should_be():
    reason = recommend({LARGE: [0.01, 0.02], SMALL: [0.10, 0.12]}, {LARGE: 1.0, SMALL: 9.0}, "coverage").reason
    assert "the lowest distance of coverage from 0.95 over 2 splits, 0.015" in reason


@pytest.mark.parametrize(
    "target, task, metric, known",
    [("y", "regression", "err", "nmse, nlpd"), ("way", "classification", "rmse", "those are nlpd, err")],
)
def test_a_metric_of_the_other_task_is_refused_before_any_fit(folder, target, task, metric, known):
    ran = gpbench("advise", "my.csv", "--target", target, "--task", task, "--metric", metric, "-o", "no", cwd=folder)
    assert ran.returncode == 2 and f"'{metric}' is no metric of {task}" in ran.stderr and known in ran.stderr
    assert not (folder / "no").exists()


def test_a_folder_that_cannot_be_written_is_told_before_any_fit(folder):
    (folder / "file").touch()
    ran = gpbench("advise", "my.csv", "--target", "y", "--drop", "way", "-o", "file/below", cwd=folder)
    assert ran.returncode == 7 and "cannot write file/below" in ran.stderr, ran.stderr


def test_methods_of_a_plug_in_are_candidates(folder, repo):
    text = (repo / "docs/reference/extending.md").read_text()
    (folder / "my_method.py").write_text(re.search(r"```python\n(# my_method\.py\n.*?)```", text, re.DOTALL)[1])
    ran = gpbench("advise", "my.csv", "--target", "y", "--drop", "way", "--budget", "90s", "-m", "first-rows",
                  "--most", "100", "--plugin", "my_method.py", "-o", "mine", cwd=folder)  # fmt: skip
    assert ran.returncode == 0 and "advice: first-rows 100" in ran.stdout, ran.stderr


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["-o", "nowhere/m.npz"], 7, "cannot write nowhere/m.npz: there is no folder nowhere; name another file"),
        (["-o", "m.txt"], 2, "m.txt: a model is saved as .npz, for example m.npz"),
        (["-o", "m.npz", "--method", "nosuch"], 2, "method: unknown method 'nosuch'"),
        (["-o", "m.npz", "--method", "ep"], 2, "ep is for classification"),
        (["-o", "m.npz", "--n-basis", "many"], 2, "--n-basis: expected 'auto' or a whole number"),
        (["-o", "m.npz", "--kernel", "nosuch"], 2, "kernel: unknown kernel 'nosuch'"),
        (["-o", "m.npz", "--kernel", "sum"], 2, "write {sum: [...]} with the kernels it is made of"),
        (["-o", "m.npz", "--kernel", "{sum: ["], 2, "--kernel: is no YAML"),
        (["-o", "m.npz", "--set", "foo=3"], 2, "has no parameter 'foo'"),
        (["-o", "m.npz", "--set", "foo=["], 2, "--set foo=[: is no YAML"),
    ],
)
def test_what_fit_cannot_do_is_told_before_it_fits(folder, arguments, code, message):
    ran = gpbench("fit", "my.csv", "--target", "y", "--drop", "way", "--drop", "id", *arguments, cwd=folder)
    assert ran.returncode == code and message in ran.stderr and "internal error" not in ran.stderr, ran.stderr
    assert not (folder / "m.npz").exists()


@pytest.fixture(scope="module")
def kept(folder):
    """A small model with a kernel as a config has it."""
    ran = gpbench("fit", "my.csv", "--target", "y", "--inputs", "x", "--inputs", "colour", "-o", "kept.npz",
                  "--method", "sod", "--n-basis", "40", "--kernel", "{sum: [ard-se, linear]}", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder / "kept.npz"


def test_predictions_never_take_the_place_of_what_is_read(folder, kept):
    (folder / "rows.csv").write_text("colour,x\nred,0.5\n")
    for name in ("rows.csv", "kept.npz"):
        before = (folder / name).read_bytes()
        ran = gpbench("predict", "kept.npz", "rows.csv", "-o", f"./{name}", cwd=folder)
        assert ran.returncode == 2 and "is what is read, and would be lost" in ran.stderr
        assert (folder / name).read_bytes() == before
    ran = gpbench("predict", "kept.npz", "rows.csv", "-o", "nowhere/x.csv", cwd=folder)
    assert ran.returncode == 7 and "there is no folder nowhere" in ran.stderr


def test_a_model_of_a_csv_takes_data_frames_with_its_columns_in_any_order(folder, kept):
    import pandas as pd

    import gpbench as package

    model, frame = package.load(kept), pd.read_csv(folder / "my.csv")
    ran = gpbench("predict", "kept.npz", "my.csv", cwd=folder)
    by_command = [float(r["mean"]) for r in csv.DictReader(ran.stdout.splitlines())]
    assert np.array_equal(model.predict(frame), by_command)
    assert np.array_equal(model.predict(frame[["colour", "x"]].astype({"colour": "string"})), by_command)
    encoded = pd.DataFrame({c: frame[c] if c == "x" else frame["colour"] == c[7:] for c in model.columns_.inputs})
    assert np.allclose(model.predict(encoded), by_command)
    with pytest.warns(UserWarning, match="1 row of no level of the fit, taken as none of them: 'green'"):
        model.predict(pd.DataFrame({"x": [1.0], "colour": ["green"]}))
    with pytest.raises(BadInput, match="X: has no column 'colour', which the model was fitted to"):
        model.predict(frame[["x", "y"]])
    with pytest.warns(UserWarning, match="column 'x': 1 cell missing; the median of the fit is used"):
        model.predict(pd.DataFrame({"x": [None], "colour": ["red"]}))
    again = model.fit(np.arange(6.0)[:, None], np.arange(6.0))
    assert np.isfinite(again.predict(pd.DataFrame({"a": [1.0]}))).all()  # of a frame's own columns, not the csv's


def test_a_kernel_of_a_plug_in_is_saved_by_its_name(folder, repo):
    text = (repo / "docs/reference/extending.md").read_text()
    (folder / "my_kernel.py").write_text(re.search(r"```python\n(# my_kernel\.py\n.*?)```", text, re.DOTALL)[1])
    ran = gpbench("fit", "my.csv", "--target", "y", "--inputs", "x", "-o", "dot.npz", "--method", "sod", "--n-basis",
                  "30", "--kernel", "dot", "--plugin", "my_kernel.py", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    ran = gpbench("predict", "dot.npz", "my.csv", cwd=folder)
    assert ran.returncode == 3 and "needs the kernel 'dot' of a plug-in: give its file as --plugin" in ran.stderr
    (folder / "other").mkdir()
    (folder / "other" / "my_kernel.py").write_text((folder / "my_kernel.py").read_text() + "\n# edited\n")
    ran = gpbench("predict", "dot.npz", "my.csv", "--plugin", "other/my_kernel.py", cwd=folder)
    assert (
        ran.returncode == 3 and "was fitted with another version of the plug-in that has the kernel 'dot'" in ran.stderr
    )
    ran = gpbench("predict", "dot.npz", "my.csv", "--plugin", "my_kernel.py", cwd=folder)
    assert ran.returncode == 0 and len(ran.stdout.splitlines()) == 301, ran.stderr
