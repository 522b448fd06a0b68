"""The command line as a user meets it: output, exit codes, one sentence for what goes wrong."""

import json
import subprocess
import sys

import pytest

from gpbench import __version__
from gpbench.cli import main
from gpbench.experiment.run import run
from gpbench.system import memory

SMALL = """
name: small
dataset: {name: friedman3, n_train: 60, n_test: 50}
trials: 2
hyperparameters: {schedule: fixed, values: {variance: 1.0, lengthscale: 1.5, noise: 0.1}}
d_max: [10, 20]
methods: [full-gp, sod]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def gpbench(here, monkeypatch, capsys):
    """Run a command line in this process: (exit code, stdout, stderr)."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["gpbench", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out = capsys.readouterr()
        return stop.value.code or 0, out.out, out.err

    return call


def test_quiet_is_of_one_call_wherever_it_stands_and_not_of_the_next(gpbench):
    assert gpbench("-q", "run", "small.yaml", "--trials", "0", "-m", "full-gp")[2] == ""
    assert gpbench("run", "small.yaml", "--trials", "0", "-m", "full-gp", "-q")[2] == ""
    assert "done" in gpbench("run", "small.yaml", "--trials", "0", "-m", "full-gp")[2]


def test_run_status_and_rendering_again(gpbench, here):
    code, out, err = gpbench("run", "small.yaml")
    assert code == 0 and "friedman3" in out and "6 done" in err
    folder = here / "results" / "small"
    for name in ("plan.json", "config.resolved.yaml", "results.csv", "report.html"):
        assert (folder / name).is_file(), name
    for part in ("trials", "env", "tables", "stats", "plots"):
        assert any((folder / part).iterdir()), part
    code, out, _ = gpbench("status", str(folder))
    assert code == 0 and out.startswith("6 done, 0 failed, 0 left of 6 planned")
    assert json.loads(gpbench("status", str(folder), "--json")[1])["done"] == 6
    for command in ("tables", "stats", "plot", "report"):
        code, out, _ = gpbench(command, str(folder))
        assert code == 0 and out.strip(), command
    code, _, err = gpbench("run", "small.yaml")
    assert code == 0 and "6 done" in err


def test_status_says_that_there_are_more_errors_and_tells_each_once(gpbench, here, monkeypatch):
    gpbench("run", "small.yaml", "--trials", "0", "-m", "full-gp")
    told = [{"reason": f"reason {i // 2}", "what": f"failed {i}", "log": "logs/x.log"} for i in range(24)]
    real = run.status
    monkeypatch.setattr(run, "status", lambda folder: real(folder) | {"failures": told})
    _, *lines = gpbench("status", "results/small")[1].splitlines()
    assert lines[0] == "  failed 4 (and 1 more trials)" and len(lines) == 11
    assert lines[-1] == "  ... and 2 more; `gpbench status results/small --json` lists every trial that failed"


def test_a_table_that_goes_into_a_pipe_is_not_cut(gpbench, here):
    long = "a name of more than forty characters, told whole"
    (here / "long.yaml").write_text(SMALL.replace("sod]", f"{{method: sod, label: '{long}'}}]"))
    assert long in gpbench("run", "long.yaml", "--trials", "0")[1]


def test_a_selection_is_done_when_its_own_trials_are(gpbench, here):
    code, _, err = gpbench("run", "small.yaml", "-m", "full*", "--trials", "1")
    assert code == 0 and "1 done" in err
    assert gpbench("status", str(here / "results" / "small"))[1].startswith("1 done, 0 failed, 5 left of 6 planned")


def test_a_dry_run_says_what_would_run_and_writes_nothing(gpbench, here):
    code, out, _ = gpbench("run", "small.yaml", "--dry-run")
    assert code == 0 and "6 trials, 0 done; about" in out
    assert not (here / "results").exists()


def test_a_dry_run_foresees_matrices_that_no_memory_holds(gpbench, here, monkeypatch):
    (here / "big.csv").write_text("x,y\n" + "".join(f"{i},{i % 89}\n" for i in range(2000)))
    (here / "big.yaml").write_text("name: big\ndataset: {csv: big.csv, target: y}\nmethods: [full-gp, fitc]\n")
    monkeypatch.setattr(memory, "memory_bytes", lambda: 8 * 1799**2)
    code, _, err = gpbench("run", "big.yaml", "-n")
    assert code == 0 and "full-gp keeps 1800 x 1800 matrices" in err and "fitc keeps" not in err


def test_a_dry_run_lists_only_what_is_missing(gpbench):
    assert gpbench("run", "small.yaml", "--trials", "0", "-q")[0] == 0
    lines = gpbench("run", "small.yaml", "-n")[1].splitlines()
    assert [line.split()[-1] for line in lines[:-1]] == ["1", "1", "1"] and lines[-1].startswith("6 trials, 3 done")
    assert gpbench("run", "small.yaml", "-n", "--trials", "0")[1] == "3 trials, 3 done; nothing left\n"


def test_set_changes_a_value(gpbench):
    assert "3 trials" in gpbench("run", "small.yaml", "-n", "--set", "trials=1")[1]
    code, _, err = gpbench("run", "small.yaml", "-n", "--set", "trails=1")
    assert code == 2 and "trials" in err


def test_version_and_help_and_usage_errors(gpbench):
    code, out, _ = gpbench("--version")
    assert code == 0 and __version__ in out
    assert gpbench("--help")[0] == 0
    code, _, err = gpbench("runn")
    assert code == 2 and "runn" in err
    assert gpbench("run")[0] == 2
    assert gpbench("run", "small.yaml", "-j", "0")[0] == 2
    assert gpbench("status", "nowhere")[0] == 2


def test_every_config_problem_is_listed_before_anything_runs(gpbench, here):
    (here / "bad.yaml").write_text("name: bad\ndatset: friedman3\ntrials: no\nmethods: [ful-gp]\n")
    code, _, err = gpbench("validate", "bad.yaml")
    assert code == 2
    for position, word in (("bad.yaml:2:1", "dataset"), ("bad.yaml:3:9", "trials"), ("bad.yaml:4:11", "full-gp")):
        assert any(position in line and word in line for line in err.splitlines()), (position, err)
    assert gpbench("validate", "small.yaml")[:2] == (0, "small.yaml: ok (small)\n")


def test_a_config_whose_file_is_wrong_does_not_keep_the_others_from_running(gpbench, here):
    (here / "empty.csv").write_text("")
    (here / "empty.yaml").write_text("name: empty\ndataset: {csv: empty.csv, target: y}\nmethods: [full-gp]\n")
    code, out, err = gpbench("validate", "empty.yaml", "small.yaml")
    assert code == 3 and out == "small.yaml: ok (small)\n" and "empty.csv: needs a first line" in err
    code, out, err = gpbench("run", "-n", "empty.yaml", "small.yaml")
    assert code == 3 and "done; about" in out and "empty.csv: needs a first line" in err
    (here / "bad.yaml").write_text("name: bad\ndatset: friedman3\nmethods: [full-gp]\n")
    code, out, err = gpbench("run", "-n", "empty.yaml", "bad.yaml", "small.yaml")
    assert code == 2 and not out and "empty.csv: needs a first line" in err and "bad.yaml:2:1" in err


@pytest.mark.parametrize("what", ["datasets", "methods", "kernels", "metrics", "configs"])
def test_lists_have_one_line_each_with_a_text(gpbench, here, what):
    (here / "configs").mkdir()
    (here / "configs" / "x.yaml").write_text("name: x\ndescription: an example\n")
    code, out, _ = gpbench("list", what)
    assert code == 0 and all(len(line.split(None, 1)) == 2 for line in out.splitlines())
    texts = json.loads(gpbench("list", what, "--json")[1])
    assert len(texts) == len(out.splitlines())
    assert what != "kernels" or len(set(texts.values())) == len(texts)


def test_describe_tells_how_kernels_made_of_others_are_written(gpbench):
    for name in ("sum", "product"):
        code, out, _ = gpbench("describe", name)
        assert code == 0 and f"written: write {{{name}: [...]}}" in out and "required" not in out


def test_describe_every_name(gpbench):
    from gpbench import catalog

    for kind in ("method", "dataset", "kernel"):
        for name in catalog.available(kind):
            code, out, _ = gpbench("describe", name)
            assert code == 0 and f"{kind} {name}" in out
    code, _, err = gpbench("describe", "ful-gp")
    assert code == 2 and "did you mean full-gp" in err


def test_doctor_and_schema(gpbench):
    code, out, _ = gpbench("doctor", "--json")
    facts = json.loads(out)
    assert code == 0 and facts["packages"]["numpy"] and "friedman3" in facts["data at hand"]
    assert "properties" in json.loads(gpbench("schema")[1])


def test_quiet_keeps_stderr_empty(here):
    ran = subprocess.run(
        [sys.executable, "-m", "gpbench", "-q", "run", "small.yaml"], capture_output=True, text=True
    )  # fmt: skip
    assert ran.returncode == 0 and ran.stderr == "" and "friedman3" in ran.stdout


def test_export_predict_elsewhere_and_score(gpbench, here):
    """Another library's predictions on our splits get our metrics, and may enter our tables."""
    import numpy as np

    gpbench("run", "small.yaml", "-m", "full-gp", "--save-predictions", "--trials", "0-1")
    code, out, _ = gpbench("data", "export", "-c", "small.yaml", "-o", "splits")
    assert code == 0 and out.strip() == "splits"
    ours = next((here / "results" / "small" / "trials").glob("*.npz"))
    record = json.loads(ours.with_suffix(".json").read_text())["result"]
    index = record["trial"]["index"]
    with np.load(ours) as arrays:
        lines = [
            f"{r},{float(m)!r},{float(v)!r}" for r, m, v in zip(arrays["test_index"], arrays["mean"], arrays["var"])
        ]
    predictions = here / "splits" / f"trial-{index:03d}" / "predictions.csv"
    predictions.write_text("row,mean,var\n" + "\n".join(lines) + "\n")
    code, out, _ = gpbench("score", "splits", str(predictions), "--label", "elsewhere", "--json")
    scores = json.loads(out)
    assert code == 0 and scores["nmse"] == pytest.approx(record["metrics"]["nmse"], rel=1e-9)
    assert scores["nlpd"] == pytest.approx(record["metrics"]["nlpd"], rel=1e-9)


def test_data_commands_name_what_is_wrong(gpbench):
    assert gpbench("data", "cite", "friedman3")[0] == 0
    code, _, err = gpbench("data", "fetch", "bostn")
    assert code == 2 and "did you mean boston" in err
    assert gpbench("data", "fetch")[0] == 2


def test_comparing_nothing_fails_the_check(gpbench, here):
    gpbench("run", "small.yaml", "-m", "sod")
    code, _, err = gpbench("check", "results/small")
    assert code == 4 and "nothing" in err
