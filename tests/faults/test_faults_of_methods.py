"""Methods that change what they were given cost themselves at most; impossible figures of a fit are invalid."""

import importlib.util

import numpy as np
import pytest

from gpbench import catalog
from gpbench.errors import InvalidPrediction
from gpbench.experiment.evaluation import evaluate
from gpbench.experiment.results.folder import ResultsFolder
from gpbench.experiment.run.run import Options
from gpbench.experiment.run.run import run as run_trials
from tests.helpers.driver import FAKES, rows, trial
from tests.helpers.paths import PLUGINS

FILE = PLUGINS / "meddlers.py"
REFUSED = ("fit-X", "fit-y", "fit-order", "fit-theta", "predict-X")  # with an error of their own
HARMLESS = ("fit-force", "predict-force", "predict-drifts", "predict-rewrites")  # with the numbers of the behaved one
SAID = "tried to change its input"


def _plugin():
    """The tables of the plug-in, read apart from the copy that trials load."""
    spec = importlib.util.spec_from_file_location("meddlers_tables", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


IMPOSSIBLE = {what: reason for what, (_, reason) in _plugin().IMPOSSIBLE.items()}


def meddler(behaviour, dataset="toy", **more):
    catalog.load_plugin(str(FILE))
    return trial("meddler", behaviour=behaviour, dataset=dataset, label=f"{behaviour} {dataset}", **more)


def others():
    return [trial(label="fake"), trial("sod", d_max=8), trial("fitc", d_max=8), trial("fake-path", d_max=3)]


def run(folder, trials):
    run_trials("test", "name: test\n", trials, folder, Options(plugins=[FAKES, str(FILE)], jobs=2,
               save_predictions=True))  # fmt: skip
    return ResultsFolder(folder).results(trials)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Each misbehaviour and each impossible figure in one run with methods that behave; (store, results by name)."""
    catalog.load_plugin(str(FILE))
    folder = tmp_path_factory.mktemp("meddlers")
    trials = {b: meddler(b) for b in ("none", *REFUSED, *HARMLESS, "predict-noise", "predict-view")}
    trials |= {f"hoard {b}": meddler(b, "hoard") for b in ("none", "fit-dataset")}
    trials |= {what: trial("teller", what=what, label=what) for what in IMPOSSIBLE}
    trials |= {f"other {i}": t for i, t in enumerate(others())}
    found = run(folder, list(trials.values()))
    return ResultsFolder(folder), {name: found[t.id] for name, t in trials.items()}


@pytest.mark.parametrize("behaviour", REFUSED)
def test_a_method_that_changes_its_input_fails_and_is_told_why(ran, behaviour):
    result = ran[1][behaviour]
    assert result.status == "failed" and SAID in result.reason, result.reason


@pytest.mark.parametrize("behaviour", HARMLESS)
def test_what_a_method_does_to_its_own_copy_leaves_its_first_prediction_alone(ran, behaviour):
    store, results = ran
    found, behaved = results[behaviour], results["none"]
    assert found.status == "ok", found.reason
    assert found.metrics == behaved.metrics
    saved, right = (np.load(store.trial_path(r.trial.id, ".npz"), allow_pickle=False) for r in (found, behaved))
    assert all(np.array_equal(saved[name], right[name]) for name in right.files)


def test_a_dataset_that_its_plugin_changes_is_scored_on_the_rows_it_gave(ran):
    _, results = ran
    assert results["hoard none"].status == "ok"
    assert results["hoard fit-dataset"].metrics == results["hoard none"].metrics


def test_what_a_prediction_does_to_the_fit_is_not_recorded(ran):
    store, results = ran
    found = results["predict-rewrites"]
    values = found.trial.hyperparameters["values"]
    saved = np.load(store.trial_path(found.trial.id, ".npz"), allow_pickle=False)
    assert found.theta["variance"] == pytest.approx(values["variance"]) and found.theta["noise"] == values["noise"]
    assert len(set(saved["pivots"])) == 5 and np.abs(saved["inducing"]).min() > 0


def test_views_of_the_inputs_are_scored_as_their_copy(ran):
    found = ran[1]["predict-view"]
    draw = evaluate.trial_data(found.trial)
    mean = draw.scaler.back(draw.scaler.inputs(draw.X_test)[:, 0], None, draw.X_test)[0]
    assert found.metrics["rmse"] == pytest.approx(float(np.sqrt(np.mean((mean - draw.y_test) ** 2))))


def test_others_have_the_numbers_of_a_run_without_meddlers(ran, tmp_path):
    run(tmp_path, others())
    alone, beside = set(rows(tmp_path).splitlines()), set(rows(ran[0].folder).splitlines())
    assert len(alone) == 1 + len(others()) and alone <= beside


@pytest.mark.parametrize("short", [0.0, np.inf], ids=["one call", "as many calls as there may be"])
@pytest.mark.parametrize("behaviour", ["predict-noise", "predict-drifts", "predict-force"])
def test_scores_do_not_depend_on_how_fast_predictions_are(ran, behaviour, short, monkeypatch):
    monkeypatch.setattr(evaluate, "SHORT", short)
    [(result, _)] = evaluate.results([meddler(behaviour)], None, lambda t: None)
    assert result.metrics == ran[1][behaviour].metrics


def test_the_first_of_three_predictions_is_scored_and_later_ones_change_it_no_more(monkeypatch):
    draw, line = evaluate.trial_data(trial()), _plugin()
    problem = evaluate.problem_of(trial(), draw, None)
    model = evaluate.Fitted(line.Drifting(line.Line(problem)))
    monkeypatch.setattr(evaluate, "SHORT", np.inf)
    prediction, _ = evaluate._timed_prediction(model, draw)
    X = draw.scaler.inputs(draw.X_test)
    assert np.array_equal(prediction.mean, line.Line(problem)(X).mean)
    assert model.predict.mean[0] == pytest.approx(prediction.mean[0] + 2)


@pytest.mark.parametrize("short", [0.0, np.inf])
def test_a_path_whose_predictions_draw_numbers_is_the_same_on_a_slow_machine(short, monkeypatch):
    catalog.load_plugin(str(FILE))
    sizes = [trial("meddler-path", d_max=d) for d in (3, 7, 12)]
    found = []
    for limit in (short, evaluate.SHORT):
        monkeypatch.setattr(evaluate, "SHORT", limit)
        found.append([r.metrics for r, _ in evaluate.results(sizes, None, lambda t: None)])
    assert found[0] == found[1] and len(found[0]) == 3


def test_a_path_that_changes_its_input_keeps_the_sizes_before(tmp_path):
    catalog.load_plugin(str(FILE))
    sizes = [trial("meddler-path", d_max=d, changes_from=7) for d in (3, 7, 12)]
    found = run(tmp_path, sizes)
    assert [found[t.id].status for t in sizes] == ["ok", "failed", "failed"]
    assert SAID in found[sizes[1].id].reason


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_an_impossible_figure_is_invalid_with_its_reason(ran, what):
    result = ran[1][what]
    assert result.status == "invalid", (result.status, result.reason)
    assert IMPOSSIBLE[what] in result.reason


@pytest.mark.parametrize("what", ["masked mean", "n_basis negative", "log_evidence nan"])
def test_an_estimator_refuses_the_same_in_one_sentence(what, rng):
    from gpbench import SparseGPRegressor
    from gpbench.errors import GpbenchError

    catalog.load_plugin(str(FILE))
    X = rng.normal(size=(20, 2))
    with pytest.raises(GpbenchError, match=IMPOSSIBLE[what].split(",")[0].replace("20", r"\d+")):
        SparseGPRegressor(method="teller", learn="fixed", options={"what": what}).fit(X, X[:, 0]).predict(X)


@pytest.mark.parametrize("part", evaluate.PARTS)
def test_masked_entries_of_any_part_of_a_prediction_are_refused(part):
    def predict(X):
        shape = (len(X), 2) if part == "log_prob" else len(X)
        hidden = np.ma.masked_less(np.arange(np.prod(shape), dtype=float).reshape(shape), 2.0)
        return evaluate.Prediction(**{"mean": X[:, 0], "var": np.ones(len(X)), part: hidden})

    with pytest.raises(InvalidPrediction, match=f"^{part} is masked at 2 of"):
        evaluate.predict(evaluate.Fitted(predict), np.arange(6.0)[:, None], 6)


def test_a_masked_array_without_a_masked_entry_is_numbers():
    fitted = evaluate.Fitted(lambda X: evaluate.Prediction(np.ma.masked_array(X[:, 0]), np.ones(len(X))))
    found = evaluate.predict(fitted, np.arange(6.0)[:, None], 6)
    assert type(found.mean) is np.ndarray and found.mean.tolist() == list(range(6))
